"""The answer with the most points from rankings."""

from collections.abc import Mapping, Sequence

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_rankings
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


@decision(source="Borda 1784", needs="rankings")
def borda(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer with most points: of m answers the best ranked gets m - 1, the last none.

    Answers that a ballot does not rank share the mean of the places that are left.
    """
    return decide_by_rankings(views, question, ballots, _score, by="borda")


def _score(rankings: Sequence[Sequence[str]], candidates: Sequence[str]) -> dict[str, float]:
    scores = dict.fromkeys(candidates, 0.0)
    for ranking in rankings:
        left = len(candidates) - len(ranking)
        for place, each in enumerate(ranking):
            scores[each] += len(candidates) - 1 - place
        for each in scores.keys() - set(ranking):
            scores[each] += (left - 1) / 2
    return scores
