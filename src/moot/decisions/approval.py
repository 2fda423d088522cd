"""The answer that most ballots approve of."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_score, list_candidates
from moot.debate.verdicts import majority, without_answer
from moot.debate.views import Views
from moot.parsing.ballot import Ballot
from moot.parsing.same import is_same


@decision(source="Brams and Fishburn 1978, American Political Science Review 72(3)")
def approval(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that most ballots approve of; the lowest seat breaks a tie."""
    approved = [each for ballot in ballots.values() for each in ballot.approved]
    if not approved:
        return without_answer(majority(views, question), by="approval: no approvals")
    scores = {
        candidate: float(sum(is_same(each, candidate, question.kind) for each in approved))
        for candidate in list_candidates(views, question)
    }
    return decide_by_score(views, question, scores, by="approval")
