"""Floor 0b: the store, one SQLite file of replies, runs and debates, written by one thread."""
