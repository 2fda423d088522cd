"""Rules that look at the answers of all rounds."""

from collections import defaultdict
from collections.abc import Hashable
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision
from moot.debate.ranked import DIGITS
from moot.debate.verdicts import majority, verdict_for
from moot.debate.views import View, Views
from moot.parsing.same import answer_value


@decision(source="the vote before any debate; self-consistency on the same replies")
def first_round(views: Views, question: Question, *, history: Views) -> Verdict:
    """Take the answer of most votes in the first round."""
    first = {view.agent.seat.number: view for view in reversed(history)}
    begun = Views(first[view.agent.seat.number] for view in views)
    return majority(begun, question, by="first round")


@decision(source="our own")
def any_round(views: Views, question: Question, *, history: Views) -> Verdict:  # noqa: ARG001 -- every rule takes the final views
    """Take the answer of most votes over all rounds; the lowest seat breaks a tie."""
    return majority(history.by_seat, question, by="any round")


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


@decision(source="our own")
def locked(views: Views, question: Question, *, history: Views) -> Verdict:
    """Let each agent vote for the answer that it gave in most rounds."""
    votes = []
    for view in views:
        seat = view.agent.seat.number
        own = Views(each for each in history if each.agent.seat.number == seat)
        answer = majority(own, question).answer
        votes.append(next((each for each in own if each.answer == answer), view))
    return majority(Views(votes), question, by="locked")


StepPoints = Annotated[float, Meta(ge=0)]


@decision(source="Free-MAD (arXiv:2509.11035)")
def trajectory(
    views: Views,
    question: Question,
    *,
    history: Views,
    first: StepPoints = 20,
    left: StepPoints = 25,
    taken: StepPoints = 30,
    kept: StepPoints = 20,
) -> Verdict:
    """Take the answer with the highest score over all rounds; ties go to the lowest seat.

    In an agent's turn k, from 0, each score is divided by k + 1. The first answer gains ``first``.
    A change costs the old answer ``left`` and brings the new one ``taken``. An answer that stays
    gains ``kept``. A reply without an answer changes no score.

    Args:
        views: the final views, by seat.
        question: the question.
        history: all views of those who vote, oldest first.
        first: points of a first answer.
        left: points that an answer loses when an agent leaves it.
        taken: points that an answer gains when an agent changes to it.
        kept: points that an answer gains when an agent keeps it.
    """
    scores: defaultdict[Hashable, float] = defaultdict(float)
    spelling: dict[Hashable, str] = {}
    for seat in sorted({view.agent.seat.number for view in history}):
        before: Hashable | None = None
        for place, view in enumerate(_turns_of(history, seat)):
            if view.answer is None:
                continue
            share = 1 / (place + 1)
            value: Hashable = answer_value(view.answer, question.kind)
            spelling.setdefault(value, view.answer)
            if before is None:
                scores[value] += first * share
            elif before == value:
                scores[value] += kept * share
            else:
                scores[before] -= left * share
                scores[value] += taken * share
            before = value
    votes = majority(views, question).votes
    rounded = {spelling[value]: round(score, DIGITS) for value, score in scores.items()}
    best = max(rounded, key=rounded.__getitem__, default=None)
    return verdict_for(best, history, question, by="trajectory", votes=votes, scores=rounded)


def _turns_of(history: Views, seat: int) -> list[View]:
    return [view for view in history if view.agent.seat.number == seat]
