"""Documents of a user, or of the question: they are read, searched, and shown to agents."""
