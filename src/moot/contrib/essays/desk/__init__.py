"""A desk to write at, on the pages of ``moot serve``: a form, and the page of each essay."""
