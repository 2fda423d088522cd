"""The protocols of oversight: one a file, the algorithm alone."""
