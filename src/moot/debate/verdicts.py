"""The ways in which a debate comes to its verdict."""

from moot.answers.vote import majority as most_voted
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import View, Views


def majority(views: Views, question: Question) -> Verdict:
    """The answer most agents stand for; a tie goes to the one first to appear by seat.

    An unparsed reply has no vote; without any vote the verdict has no answer.
    """
    answer, votes = most_voted([view.answer for view in views], question.kind)
    carried = next((view for view in views if view.answer == answer and answer is not None), None)
    return Verdict(
        answer=answer,
        text=carried.turn.text if carried else "",
        by="majority",
        turn=carried.turn.id if carried else None,
        votes=votes,
    )


def says(view: View, *, by: str = "answer") -> Verdict:
    """The answer of one agent, e.g. of a judge."""
    return Verdict(answer=view.answer, text=view.turn.text, by=by, turn=view.turn.id)
