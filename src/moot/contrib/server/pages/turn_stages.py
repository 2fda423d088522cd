"""The stage of a message: a round, or after a round for an agent that has read it."""

from collections.abc import Iterable
from typing import NamedTuple

from moot import Turn


class TurnStage(NamedTuple):
    """A round, or the time after it: an agent that judges rounds counts only its own turns.

    Attributes:
        round: the number of the round.
        after: whether the stage is after the round.
    """

    round: int
    after: bool = False

    @property
    def place(self) -> int:
        """Its place in the order of stages."""
        return 2 * self.round + self.after

    @property
    def name(self) -> str:
        """Its name."""
        return f"after round {self.round}" if self.after else f"round {self.round}"


def find_stages(turns: Iterable[Turn]) -> dict[int, TurnStage]:
    """Return the stage of each turn by its id.

    An agent that reads a later round than the number of its own turn speaks after that round.
    """
    found: dict[int, TurnStage] = {}
    nodes: dict[int, str] = {}
    for turn in sorted(turns, key=lambda turn: turn.id):
        read = [found[each] for each in turn.reads if nodes.get(each) == turn.node]
        last = max(read, default=TurnStage(turn.round))
        if last.round > turn.round:
            found[turn.id] = TurnStage(last.round, after=True)
        elif last.after and last.round == turn.round:
            found[turn.id] = last
        else:
            found[turn.id] = TurnStage(turn.round)
        nodes[turn.id] = turn.node
    return found
