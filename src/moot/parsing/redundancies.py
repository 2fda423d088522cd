"""Redundancies: which messages agents were not shown, since they are like others."""

from moot.core.readings import Reading, readings


class Redundancies(Reading, frozen=True, kw_only=True):
    """What a round leaves out of what agents read, as a debate records it between turns.

    Attributes:
        dropped: by agent, the ids of the turns that it was not shown, each with the id of the turn
            that it is like: the agent's own last one, or one that the agent reads or has read.
    """

    dropped: dict[str, dict[int, int]]


readings.add("redundancies", Redundancies)
