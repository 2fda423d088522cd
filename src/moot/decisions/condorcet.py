"""The answer that beats every other one in a pairwise vote."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings, prefer_pairs
from moot.debate.views import Views
from moot.parsing.ballot import Ballot


@decision(source="Condorcet 1785")
def condorcet(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that more rankings prefer to each other one; else there is none."""
    return decide_by_rankings(views, question, ballots, _choose, by="condorcet", none="cycle")


def _choose(rankings: list[list[str]], candidates: list[str]) -> str | None:
    above = prefer_pairs(rankings, candidates)
    return next(
        (
            one
            for one in candidates
            if all(above[one, other] > above[other, one] for other in candidates if other != one)
        ),
        None,
    )
