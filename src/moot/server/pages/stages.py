"""When something was said: in which round, or after it by somebody who read that round."""

from collections.abc import Iterable
from typing import NamedTuple

from moot.core.events import Turn


class Stage(NamedTuple):
    """A round, or what follows it: whoever judges rounds counts only its own turns.

    Attributes:
        round: the number of the round.
        after: whether this comes after it.
    """

    round: int
    after: bool = False

    @property
    def place(self) -> int:
        """Its place among the others."""
        return 2 * self.round + self.after

    @property
    def name(self) -> str:
        """What it is called."""
        return f"after round {self.round}" if self.after else f"round {self.round}"


def stages(turns: Iterable[Turn]) -> dict[int, Stage]:
    """The stage of each turn by its id; those before are all there, since it has read them.

    An agent that reads a later round than the number of its own turn stands behind that round.
    """
    found: dict[int, Stage] = {}
    nodes: dict[int, str] = {}
    for turn in sorted(turns, key=lambda turn: turn.id):
        read = [found[each] for each in turn.reads if nodes.get(each) == turn.node]
        last = max(read, default=Stage(turn.round))
        if last.round > turn.round:
            found[turn.id] = Stage(last.round, after=True)
        elif last.after and last.round == turn.round:
            found[turn.id] = last
        else:
            found[turn.id] = Stage(turn.round)
        nodes[turn.id] = turn.node
    return found
