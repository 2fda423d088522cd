"""The most frequent answer of the last rounds."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.verdicts import majority
from moot.debate.views import Views


@decision(source="our own", name="last-k")
def last_k(
    views: Views, question: Question, *, history: Views, k: Annotated[int, Meta(ge=1)] = 2
) -> Verdict:
    """Take the answer of most votes over the newest turns of each seat.

    Args:
        views: the final views, by seat.
        question: the question.
        history: all views of those who vote, oldest first.
        k: how many turns of each seat count.
    """
    seats = [view.agent.seat.number for view in views]
    by_seat = ([each for each in history if each.agent.seat.number == seat] for seat in seats)
    newest = Views(view for own in by_seat for view in own[-k:])
    return majority(newest, question, by=f"last {k} turns")
