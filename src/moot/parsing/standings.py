"""Standings: what ballots, marks or weights add up to for each agent or answer."""

from moot.core.readings import Reading, readings


class Standings(Reading, frozen=True, kw_only=True):
    """The figures of a count, as a debate records it between turns.

    Attributes:
        scores: by agent or answer, the best first.
        lead: how far the best score is above the next; None with fewer than two.
        deadlock: whether that is too little to tell the two apart.
        ballots: how many ballots counted.
    """

    scores: dict[str, float]
    lead: float | None = None
    deadlock: bool = False
    ballots: int = 0


readings.add("standings", Standings)
