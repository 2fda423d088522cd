"""The protocols of review: one a file, the algorithm alone."""
