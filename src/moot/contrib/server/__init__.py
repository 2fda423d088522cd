"""``moot serve``: debates over HTTP, for programs and for people."""
