"""The kinds of figures, a file each."""
