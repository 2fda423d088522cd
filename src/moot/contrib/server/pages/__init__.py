"""Pages to ask, to watch a debate, and to look through what was debated."""
