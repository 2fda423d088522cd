"""Floor 7: the command line; the only place that prints, exits and runs an event loop."""
