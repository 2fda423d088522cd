"""The answer that most ballots approve of."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_marks
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


@decision(
    source="Brams and Fishburn 1978, American Political Science Review 72(3)", needs="approvals"
)
def approval(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that most ballots approve of; the lowest seat breaks a tie."""
    approved = [
        dict.fromkeys(ballot.approved, 1.0) for ballot in ballots.values() if ballot.approved
    ]
    return decide_by_marks(views, question, approved, sum, by="approval", missing="approvals")
