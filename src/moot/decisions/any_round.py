"""The most frequent answer of all rounds."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="our own")
def any_round(views: Views, question: Question, *, history: Views) -> Verdict:  # noqa: ARG001 -- every rule takes the final views
    """Take the answer of most votes over all rounds; the lowest seat breaks a tie."""
    return majority(history.by_seat, question, by="any round")
