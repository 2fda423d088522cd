"""The protocols that run on a framework: one a file."""
