"""Voting: the answer that most agents stand for."""

from collections.abc import Hashable, Sequence

from moot.core.questions import Kind
from moot.parsing.same import value


def majority(answers: Sequence[str | None], kind: Kind) -> tuple[str | None, dict[str, int]]:
    """Count answers and name the one that most stand for.

    Args:
        answers: in canonical form, in the order of the agents' seats; None, an unparsed answer,
            has no vote.
        kind: the question's, by which answers are equal or not (see ``moot.parsing.same``).

    Returns:
        The winner, and the votes of each answer. Equal answers pool under the spelling that came
        first. A tie goes to the answer that came first, never to chance. The winner is None, and
        there are no votes, where every answer is None.
    """
    spelling: dict[Hashable, str] = {}
    votes: dict[str, int] = {}
    for answer in answers:
        if answer is not None:
            first = spelling.setdefault(value(answer, kind), answer)
            votes[first] = votes.get(first, 0) + 1
    return max(votes, key=votes.__getitem__, default=None), votes
