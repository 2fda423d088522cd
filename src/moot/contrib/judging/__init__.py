"""Two answers to one question side by side, blind: which of them people prefer."""
