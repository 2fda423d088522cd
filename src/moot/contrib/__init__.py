"""Parts of moot that the core does without: each imports the core, and joins by entry points."""
