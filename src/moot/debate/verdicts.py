"""The ways in which a debate comes to its verdict."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import View, Views
from moot.parsing.reasoned import Reasoned
from moot.parsing.same import value
from moot.parsing.vote import majority as most_voted

UNLIKE = "first of unlike answers"
"""How a vote is decided in which no two answers to an open question are the same."""


def majority(views: Views, question: Question, *, by: str = "majority") -> Verdict:
    """The answer most agents stand for; a tie goes to the one first to appear by seat.

    An unparsed reply has no vote; without any vote the verdict has no answer. Where the answers to
    an open question are all unlike, which is how whole texts are, the verdict says so.
    """
    answer, votes = most_voted([view.answer for view in views], question.kind)
    if question.kind == "text" and len(votes) > 1 and max(votes.values()) == 1:
        by = UNLIKE
    carried = next((view for view in views if view.answer == answer and answer is not None), None)
    return Verdict(
        answer=answer,
        text=words(carried, question) if carried else "",
        by=by,
        turn=carried.turn.id if carried else None,
        votes=votes,
    )


def words(view: View, question: Question) -> str:
    """What carries an answer: the reply, of a reasoned answer the reason.

    A reply that speaks of choices in another order is replaced by the choice.
    """
    if not view.turn.order or view.answer is None:
        return _unwrapped(view)
    return f"({view.answer}) {question.choices[question.letters.index(view.answer)]}"


def verdict_from(view: View, *, by: str = "answer", longest: int | None = None) -> Verdict:
    """The answer of one agent, e.g. of a judge; its words cut to so many characters."""
    text = _unwrapped(view)[:longest]
    return Verdict(answer=view.answer, text=text, by=by, turn=view.turn.id)


def _unwrapped(view: View) -> str:
    """An agent's words; of a reasoned answer in JSON the reason."""
    return view.reason if view.get(Reasoned) else view.text


def first_said(*views: View, by: tuple[str, ...]) -> Verdict:
    """The first of several agents' answers that is one; that of the first agent where none is.

    Args:
        views: in the order in which they are believed.
        by: how the verdict is called, for each of them.
    """
    for view, name in zip(views, by, strict=True):
        if view.answer is not None:
            return verdict_from(view, by=name)
    return verdict_from(views[0], by=by[0])


def agreed(views: Views, question: Question) -> bool:
    """Whether all agents commit to one and the same answer."""
    answers = [view.answer for view in views]
    return None not in answers and len({value(a, question.kind) for a in answers if a}) == 1


def confidence(views: Views, question: Question) -> float | None:
    """The share of an agent's answers so far that are its most frequent one, above 0 to 1.

    Returns:
        None where the newest reply has no answer, or where fewer than two replies have one.

    Source: Exchange-of-Thought (arXiv:2312.01823).
    """
    _, votes = most_voted([view.answer for view in views], question.kind)
    given = sum(votes.values())
    return max(votes.values()) / given if views[-1].answer is not None and given > 1 else None
