"""Models, one file for each kind. A model answers calls."""
