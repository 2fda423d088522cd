"""Stops: checks after each round that end a debate early, by the setting ``stop``."""
