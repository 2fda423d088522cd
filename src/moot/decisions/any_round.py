"""The most frequent answer of all rounds."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="our own")
def any_round(views: Views, question: Question, *, history: Views, last: int = 0) -> Verdict:  # noqa: ARG001 -- every rule takes the final views
    """Take the answer of most votes over all rounds, or over the ``last`` so many turns of a seat.

    Args:
        views: the final views, by seat.
        question: the question.
        history: all views of those who vote, oldest first.
        last: how many of each seat's newest turns count; 0 for all.
    """
    seats = sorted({view.agent.seat.number for view in history})
    counted = [
        view
        for seat in seats
        for view in [each for each in history if each.agent.seat.number == seat][-last:]
    ]
    return majority(Views(counted), question, by="any round")
