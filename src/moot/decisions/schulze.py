"""The answer with the strongest paths of pairwise wins."""

from collections.abc import Mapping, Sequence

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings, find_weakest_wins, prefer_pairs
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


@decision(source="Schulze 2011, Social Choice and Welfare 36(2)", needs="rankings")
def schulze(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer whose paths of pairwise wins are as strong as every path against it."""
    return decide_by_rankings(views, question, ballots, _score, by="schulze")


def _score(rankings: Sequence[Sequence[str]], candidates: Sequence[str]) -> dict[str, float]:
    above = prefer_pairs(rankings, candidates)
    paths = {(a, b): won if won > above[b, a] else 0 for (a, b), won in above.items()}
    for middle in candidates:
        for (a, b), direct in paths.items():
            if middle not in (a, b):
                paths[a, b] = max(direct, min(paths[a, middle], paths[middle, b]))
    return find_weakest_wins(paths)
