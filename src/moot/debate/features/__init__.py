"""Features: what any protocol can have, each in a file of its own."""
