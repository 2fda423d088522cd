"""Verdicts from views: by counting answers, from one agent, or from the first that answers."""

import msgspec

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.core.readings import kind_of
from moot.debate.views import View, Views
from moot.parsing.same import answer_value, is_same
from moot.parsing.same import majority as most_voted

UNLIKE = "first of unlike answers"
"""What a vote's verdict says in which no two answers to an open question are the same."""

INVENTED = "judge: nobody gave its answer"
"""What a verdict says whose judge had to choose a response and gave an answer of its own."""


def majority(views: Views, question: Question, *, by: str = "majority") -> Verdict:
    """Return the answer that most views give; of a tie, the one of the earlier view.

    A view without an answer has no vote; without any vote the verdict has no answer. Where the
    answers to an open question are all different, which is usual for whole texts, the verdict says
    so in ``by``.

    Args:
        views: the final view of each agent that votes, by seat.
        question: the question.
        by: what the verdict says of how it was reached.
    """
    answer, votes = most_voted(views.answers, question.kind)
    if question.kind == "text" and len(votes) > 1 and max(votes.values()) == 1:
        by = UNLIKE
    return verdict_for(answer, views, question, by=by, votes=votes)


def verdict_for(
    answer: str | None,
    views: Views,
    question: Question,
    *,
    by: str,
    votes: dict[str, int] | None = None,
    scores: dict[str, float] | None = None,
) -> Verdict:
    """Return a verdict for one of the answers of these views, in the words of the first with it.

    Args:
        answer: as a view gives it; None for a verdict without an answer.
        views: the final view of each agent that votes, by seat.
        question: the question.
        by: how the verdict was reached.
        votes: the number of votes by answer.
        scores: of answers, where the rule compares something else than votes.
    """
    first = next((view for view in views if view.answer == answer and answer is not None), None)
    return Verdict(
        answer=answer,
        text=carrying_words(first, question) if first else "",
        by=by,
        turn=first.turn.id if first else None,
        votes=votes or {},
        scores=scores or {},
    )


def without_answer(verdict: Verdict, *, by: str, scores: dict[str, float] | None = None) -> Verdict:
    """Return a verdict without an answer, with the votes of this one and why there is none."""
    return Verdict(answer=None, by=by, votes=verdict.votes, scores=scores or {})


def without_ballots(verdict: Verdict, *, by: str, missing: str) -> Verdict:
    """Return a verdict without an answer, since agents did not state what the rule needs.

    Args:
        verdict: whose votes it has.
        by: the rule.
        missing: what is missing, e.g. ``"rankings"``.
    """
    return Verdict(answer=None, by=f"{by}: {missing} missing", votes=verdict.votes, missing=missing)


def carrying_words(view: View, question: Question) -> str:
    """Return the text that carries an answer: the reply, or the reason of a reasoned one.

    A reply that speaks of choices in another order is replaced by the choice.
    """
    if not view.turn.order or view.answer is None:
        return _own_words(view)
    return _name_choice(view.answer, question)


def _name_choice(answer: str, question: Question) -> str:
    return f"({answer}) {question.choices[question.letters.index(answer)]}"


def verdict_from(view: View, *, by: str = "answer", longest: int | None = None) -> Verdict:
    """Return one agent's answer as the verdict, e.g. a judge's.

    Args:
        view: of that agent.
        by: how the verdict was reached.
        longest: characters that its text and its answer are cut to; None for the whole of both.
    """
    text, answer = _own_words(view)[:longest], view.answer
    return Verdict(answer=answer and answer[:longest].strip(), text=text, by=by, turn=view.turn.id)


def choice_from(view: View, responses: Views, question: Question, *, free: bool) -> Verdict:
    """Return a judge's choice among responses as the verdict.

    An answer that none of the responses gives is no choice: the verdict then has no answer and says
    so in ``by``. Open answers are whole texts and are not compared.

    Args:
        view: of the judge.
        responses: what it chooses from.
        question: the question.
        free: whether its own answer counts all the same.
    """
    verdict = verdict_from(view, by="judge")
    if free or view.answer is None or question.kind == "text":
        return verdict
    if any(is_same(view.answer, answer, question.kind) for answer in responses.answers):
        return verdict
    return msgspec.structs.replace(verdict, answer=None, by=INVENTED)


def _own_words(view: View) -> str:
    """Return an agent's text; of a reasoned answer in JSON, the reason."""
    return view.reason if kind_of(view.turn.reading) == "reasoned" else view.text


def first_answer(*views: View, by: tuple[str, ...]) -> Verdict:
    """Return the first answer of several agents; without any, the verdict of the first agent.

    Args:
        views: in the order of preference.
        by: for each of them, how the verdict is then reached.
    """
    for view, name in zip(views, by, strict=True):
        if view.answer is not None:
            return verdict_from(view, by=name)
    return verdict_from(views[0], by=by[0])


def view_verdict(verdict: Verdict, views: Views, question: Question) -> View:
    """Return a debate's verdict as a view: the deciding turn, else the newest, with its answer.

    A judge that gave an answer of its own is passed on as it spoke, that answer included.

    Args:
        verdict: of the debate.
        views: all that was said in it; at least one.
        question: of the debate. Words that speak of choices in another order are replaced by the
            choice, since only the agent that wrote them was shown that order.
    """
    newest = max(views, key=_turn_id)
    view = next((view for view in views if view.turn.id == verdict.turn), newest)
    answer = view.answer if verdict.by == INVENTED else verdict.answer
    if view.turn.order and answer:
        view = view.with_text(_name_choice(answer, question))
    turn = msgspec.structs.replace(view.turn, answer=answer)
    return View(view.agent, turn)


def _turn_id(view: View) -> int:
    return view.turn.id


def all_agree(views: Views, question: Question) -> bool:
    """Return whether every view has an answer, and all have the same one."""
    answers = [view.answer for view in views]
    return None not in answers and len({answer_value(a, question.kind) for a in answers if a}) == 1


def answer_share(views: Views, question: Question) -> float | None:
    """Return the share of an agent's answers that are its most frequent one: above 0, at most 1.

    Returns:
        None if the newest view has no answer, or if fewer than two views have one.

    Source: Exchange-of-Thought (arXiv:2312.01823).
    """
    _, votes = most_voted(views.answers, question.kind)
    given = sum(votes.values())
    return max(votes.values()) / given if views[-1].answer is not None and given > 1 else None
