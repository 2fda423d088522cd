"""The most frequent answer of the first round."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="the vote before any debate; self-consistency on the same replies")
def first_round(views: Views, question: Question, *, history: Views) -> Verdict:
    """Take the answer of most votes in the first round."""
    first = {view.agent.seat.number: view for view in reversed(history)}
    begun = Views(first[view.agent.seat.number] for view in views)
    return majority(begun, question, by="first round")
