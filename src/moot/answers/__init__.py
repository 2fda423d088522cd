"""Floor 0b: from a reply to an answer, and from answers to a vote."""
