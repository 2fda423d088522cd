"""The answer that most ballots vote for."""

from collections.abc import Mapping

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import decide_by_marks
from moot.debate.views import Views
from moot.parsing.ballots import Ballot


@decision(source="Kaesberg et al. 2025 (arXiv:2502.19130)", needs="votes")
def votes(views: Views, question: Question, *, ballots: Mapping[int, Ballot]) -> Verdict:
    """Take the answer that most ballots vote for, whichever answer their agents gave themselves."""
    cast = [{ballot.vote: 1.0} for ballot in ballots.values() if ballot.vote is not None]
    return decide_by_marks(views, question, cast, sum, by="votes", missing="votes")
