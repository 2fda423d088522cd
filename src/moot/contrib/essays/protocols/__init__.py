"""The protocols that write essays: one a file, the algorithm alone."""
