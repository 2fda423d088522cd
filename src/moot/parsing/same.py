"""When two answers are the same answer, and when an answer is right."""

from collections.abc import Hashable
from fractions import Fraction

from moot.core.questions import Kind, Question


def value(answer: str, kind: Kind) -> Hashable:
    """What an answer in canonical form stands for: equal values are the same answer.

    Numbers are compared exactly, by value: ``1/2`` is ``0.5``. A percent sign is a unit, dropped
    like any other before an answer becomes canonical, so that 50 % is 50 and not 0.5. Free text is
    compared without regard to case, white space, a closing full stop or enclosing quotes.
    """
    if kind == "number":
        if len(answer) < 20 and answer.isascii() and answer.removeprefix("-").isdigit():
            return int(answer)  # equal to the fraction of that value, and so is its hash
        try:
            return Fraction(answer)
        except (ValueError, ZeroDivisionError):
            return answer.strip()
    if kind == "text":
        return " ".join(answer.casefold().split()).strip("\"'“”‘’ ").removesuffix(".")
    return answer.strip().casefold()


def same(a: str | None, b: str | None, kind: Kind) -> bool:
    """Whether two answers are equal in value; an unparsed answer (None) equals nothing."""
    if a is None or b is None:
        return False
    return a == b or value(a, kind) == value(b, kind)


def correct(answer: str | None, question: Question) -> bool:
    """Whether an answer in canonical form is one of the question's right answers.

    False for an unparsed answer, and where no right answer is known.
    """
    return any(same(answer, right, question.kind) for right in question.answers)
