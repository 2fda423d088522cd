"""Floor 0a: frozen types, events, errors and the interfaces. No I/O."""
