"""Features: what any protocol can have, one a file; see ``moot.debate.feature``."""
