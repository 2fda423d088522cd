"""Floor 0b: prompt packs, the only place where wording lives."""
