"""Floor 2: agents, rounds and the transcript being written."""
