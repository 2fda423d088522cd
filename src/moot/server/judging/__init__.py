"""The face on which people compare essays of a run without being told whose they are."""
