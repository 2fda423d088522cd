"""Floor 3: one protocol a file, the algorithm alone."""

USUAL = "society-of-minds"
"""The protocol of a question for which none is named."""
SINGLE = "single"
"""The protocol that others are compared with where a study names no baseline."""
SAMPLES = "self-consistency"
"""The protocol of the arms that ``equal_budget = true`` adds to a study."""
