"""Decision rules: how the final views of those who vote become a verdict."""

RULES = {
    "answers": "absolute-majority judge plurality supermajority unanimity",
    "ballots": "approval borda condorcet cumulative instant-runoff schulze scores votes",
    "rounds": "any-round first-round last-k locked trajectory",
    "weights": "fusion seat-weights weighted",
}
"""The rules in each module."""
