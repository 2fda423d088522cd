"""The answer with the strongest paths of pairwise wins."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings, prefer_pairs
from moot.debate.views import Views
from moot.parsing.ballot import Ballot


@decision(source="Schulze 2011, Social Choice and Welfare 36(2)")
def schulze(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer whose paths of pairwise wins are as strong as every path against it."""
    return decide_by_rankings(views, question, ballots, _choose, by="schulze")


def _choose(rankings: list[list[str]], candidates: list[str]) -> str:
    above = prefer_pairs(rankings, candidates)
    paths = {(a, b): won if won > above[b, a] else 0 for (a, b), won in above.items()}
    for middle in candidates:
        for (a, b), direct in paths.items():
            if middle not in (a, b):
                paths[a, b] = max(direct, min(paths[a, middle], paths[middle, b]))
    return next(
        one
        for one in candidates
        if all(paths[one, other] >= paths[other, one] for other in candidates if other != one)
    )
