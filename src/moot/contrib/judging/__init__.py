"""Two answers to one question side by side, blind: which one people prefer, and whether it shows."""
