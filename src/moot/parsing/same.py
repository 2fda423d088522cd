"""When two answers are the same, when an answer is right, and which answer has most votes."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import lru_cache

from moot.core.options import first_alike
from moot.core.questions import Kind, Question


def answer_value(answer: str, kind: Kind) -> Hashable:
    """Return the value of an answer in canonical form: equal values are the same answer.

    Numbers are compared exactly, by value: ``1/2`` is ``0.5``. A percent sign is a unit, dropped
    like any other before an answer becomes canonical, so that 50 % is 50 and not 0.5. Free text is
    compared without regard to case, white space, a closing full stop or enclosing quotes. The
    canonical form of mathematics says all: equivalent expressions have the same.
    """
    if kind == "number":
        return _number_value(answer)
    if kind == "math":
        return answer.casefold() if answer.startswith("\\text{") else answer
    if kind == "text":
        return " ".join(answer.casefold().split()).strip("\"'“”‘’ ").removesuffix(".")
    return answer.strip().casefold()


@lru_cache(maxsize=1024)  # a vote, a metric and a rule each ask for the same few
def _number_value(answer: str) -> Hashable:
    if len(answer) < 20 and answer.isascii() and answer.removeprefix("-").isdigit():
        return int(answer)  # equal to the fraction of that value, and so is its hash
    try:
        return Fraction(answer)
    except (ValueError, ZeroDivisionError):
        return answer.strip()


def is_same(a: str | None, b: str | None, kind: Kind) -> bool:
    """Return whether two answers are equal in value; an unparsed answer (None) equals nothing."""
    if a is None or b is None:
        return False
    return a == b or answer_value(a, kind) == answer_value(b, kind)


def is_correct(answer: str | None, question: Question) -> bool:
    """Return whether an answer in canonical form is one of the question's right answers.

    Options of the same words are one answer. False for an unparsed answer, and if no right answer
    is known.
    """
    if question.kind == "choice" and answer is not None:
        answer = first_alike(answer, question.choices)
        rights = [first_alike(right, question.choices) for right in question.answers]
        return any(is_same(answer, right, "choice") for right in rights)
    return any(is_same(answer, right, question.kind) for right in question.answers)


def majority(answers: Sequence[str | None], kind: Kind) -> tuple[str | None, dict[str, int]]:
    """Count answers and return the one with most votes.

    Args:
        answers: in canonical form, in the order of the agents' seats; None, an unparsed answer,
            has no vote.
        kind: the question's, by which answers are equal or not.

    Returns:
        The winner, and the votes of each answer. Equal answers pool under the spelling that came
        first. A tie goes to the answer that came first, never to chance. The winner is None, and
        there are no votes, if every answer is None.
    """
    spelling: dict[Hashable, str] = {}
    votes: dict[str, int] = {}
    for answer in answers:
        if answer is not None:
            first = spelling.setdefault(answer_value(answer, kind), answer)
            votes[first] = votes.get(first, 0) + 1
    return max(votes, key=votes.__getitem__, default=None), votes
