"""The answer with the most points of ballots that share out a fixed number."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score, list_candidates
from moot.debate.verdicts import majority, without_answer
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.same import is_same


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)")
def cumulative(
    views: Views, question: Question, *, ballots: Mapping[int, Ballot], points: int = 10
) -> Verdict:
    """Take the answer with the most points; a ballot counts if its points sum to ``points``."""
    valid = [ballot.points for ballot in ballots.values() if sum(ballot.points.values()) == points]
    if not valid:
        return without_answer(majority(views, question), by=f"cumulative: no {points} points")
    scores = {
        candidate: float(
            sum(
                n for each in valid for a, n in each.items() if is_same(a, candidate, question.kind)
            )
        )
        for candidate in list_candidates(views, question)
    }
    return decide_by_score(views, question, scores, by="cumulative")
