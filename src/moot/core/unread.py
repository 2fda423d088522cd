"""What of a debate could not be read, and a verdict's words for how it was reached."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from moot.core.events import Verdict

ANSWER = "answer"
"""What those who vote should give, whatever the protocol."""


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """Replies that should have counted for a verdict and did not, as they could not be read.

    Attributes:
        what: what they should have held: ``"answer"``, ``"ranking"``, ``"grades"`` …
        agents: who wrote them, in order; one for each reply.
        of: how many such replies there are, readable ones included.
        why: that in words: ``"2 of 3 gave no answer that could be read"``.
    """

    what: str
    agents: tuple[str, ...]
    of: int
    why: str


def tell_by(verdict: "Verdict", unread: Sequence[Unread]) -> str:
    """Return how a verdict was reached, in words: what was recorded, unless that says too much.

    Where one of several answers could be read, it is no majority but the only answer; an answer by
    ballots or grades of which none could be read says so.

    Args:
        verdict: of a debate.
        unread: of the same debate.
    """
    if verdict.answer is None:
        return verdict.by
    by = verdict.by
    alone = [*verdict.votes.values()] == [1] and len(verdict.scores) <= 1
    for each in unread:
        if each.what == ANSWER and alone:
            by = f"the only answer of {each.of}" if by == "majority" else f"{by}, the only answer"
        elif each.what != ANSWER and len(each.agents) == each.of > 1:
            by += f", without any {each.what} that could be read"
    return by
