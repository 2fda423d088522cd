"""Floor 3: one protocol a file, the algorithm alone."""
