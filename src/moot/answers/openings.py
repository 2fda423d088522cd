"""Values that a question can be opened with: right ones, and wrong ones that could be taken for it.

Source: "Understanding Prejudice and Fidelity of Diverge-to-Converge Multi-Agent Systems", section 5
("dataset problem reframing") and appendix A.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, product
from random import Random
from typing import Literal, get_args

from moot.answers.same import correct, value
from moot.answers.values import decimal
from moot.core.errors import InputError
from moot.core.questions import Question

Opening = Literal["open", "control-right", "control-wrong", "control-random"]
"""How the first agent is asked: openly, or whether a value is the right answer, and which."""

OPENINGS: tuple[Opening, ...] = get_args(Opening)

Distance = Literal["near", "far"]
"""Whether a wrong number is one that a slip would give, or out of all proportion."""

SQUARES = 3
"""So many squares are put forward at once where they are wrong (appendix G, case 1)."""

_ALL: dict[str, tuple[str, ...]] = {
    "choice": (),  # its letters
    "boolean": ("true", "false"),
    "square": tuple(file + rank for file, rank in product("abcdefgh", "12345678")),
}
"""The kinds that have only so many answers."""


def opened(
    question: Question, opening: Opening, *key: object, distance: Distance = "near"
) -> tuple[str, ...]:
    """The values put forward, in canonical form; empty for ``open``.

    One value, but of squares every right one, or three: from these an agent is asked whether any
    will do. Drawn by the question's id and the key, so the same each time.

    Args:
        question: what is asked.
        opening: ``control-random`` puts forward what may be right or wrong: of options and truth
            values any, of squares any three, of numbers the right one or a wrong one, evenly.
        key: what else the draw depends on, e.g. the base seed.
        distance: of a wrong number: ``near`` is a slip's breadth away (a unit, ten, two digits
            changed over), ``far`` several times as much.

    Raises:
        InputError: there is no such value; see ``check``.
    """
    if opening == "open":
        return ()
    check(question, opening)
    draw = Random(repr((question.id, opening, distance, *key)))  # noqa: S311 -- no secret
    match opening:
        case "control-right":
            return _right(question, draw)
        case "control-wrong":
            return _wrong(question, distance, draw)
        case _:
            return _any(question, distance, draw)


def check(question: Question, opening: Opening) -> None:
    """Whether there is a value to open this question with.

    Raises:
        InputError: no right answer is known where one is needed, the kind has no wrong values, or
            whatever could be put forward is right.
    """
    if opening == "open":
        return
    kind, answers = question.kind, question.answers
    fault = ""
    if not answers and (opening != "control-random" or kind in {"number", "text"}):
        fault = "its right answer is not known; only opening = 'open' fits"
    elif opening != "control-right" and kind == "text":
        fault = "there are no wrong values of free text to draw from"
    elif opening == "control-wrong" and kind in _ALL and not _some_wrong(question):
        fault = "whatever could be its answer is right; there is no wrong value"
    if fault:
        raise InputError(f"question {question.id!r}: opening = {opening!r}: {fault}")


def _all(question: Question) -> Sequence[str]:
    """Whatever can be an answer, of a kind that has only so many."""
    return question.letters if question.kind == "choice" else _ALL[question.kind]


def _all_wrong(question: Question) -> list[str]:
    right = {value(answer, question.kind) for answer in question.answers}
    return [each for each in _all(question) if value(each, question.kind) not in right]


def _some_wrong(question: Question) -> bool:
    return len(question.answers) < len(_all(question)) or bool(_all_wrong(question))


def _right(question: Question, draw: Random) -> tuple[str, ...]:
    answers = question.answers
    return answers if question.kind == "square" else (draw.choice(answers),)


def _any(question: Question, distance: Distance, draw: Random) -> tuple[str, ...]:
    if question.kind in _ALL:
        return _some(_all(question), question, draw)
    return draw.choice((_right(question, draw), _wrong(question, distance, draw)))


def _wrong(question: Question, distance: Distance, draw: Random) -> tuple[str, ...]:
    if question.kind in _ALL:
        return _some(_all_wrong(question), question, draw)
    right = _plain(draw.choice(question.answers))
    values = _near(right) if distance == "near" else _far(right)
    wrong = [each for each in values if not correct(each, question)]
    return (draw.choice(wrong) if wrong else next(_beyond(right, question)),)


def _some(values: Sequence[str], question: Question, draw: Random) -> tuple[str, ...]:
    """One of these, or of squares three, where there are so many."""
    if question.kind == "square":
        return tuple(sorted(draw.sample(values, min(SQUARES, len(values)))))
    return (draw.choice(values),)


def _near(right: str) -> list[str]:
    """What a slip in working out a number would give."""
    units = _units(right)
    steps = [1, -1, 2, -2] + [10, -10] * (abs(units) >= 20)
    values = {units + step for step in steps}
    digits = str(abs(units))
    for at in range(len(digits) - 1):  # two neighbouring digits changed over
        over = digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
        if not over.startswith("0"):
            values.add((-1 if units < 0 else 1) * int(over))
    return [_written(value, right) for value in sorted(values) if (value < 0) <= (units < 0)]


def _far(right: str) -> list[str]:
    """Numbers of another magnitude."""
    units = _units(right)
    return [_written(units * times + (units == 0) * times, right) for times in range(3, 12)]


def _beyond(right: str, question: Question) -> Iterator[str]:
    """Numbers further and further up, for questions to which many are right."""
    for step in count(1):
        beyond = _written(_units(right) + step, right)
        if not correct(beyond, question):
            yield beyond


def _plain(number: str) -> str:
    """A number as a decimal or a fraction, where a file of questions has it as ``1e3``."""
    return decimal(Fraction(number)) if "e" in number.casefold() else number


def _units(number: str) -> int:
    """A number in units of its last place; of a fraction, its numerator."""
    if "/" in number:
        return Fraction(number).numerator
    return int(number.replace(".", ""))


def _written(units: int, like: str) -> str:
    """So many units, written with the same denominator or as many decimals."""
    if "/" in like:
        return str(Fraction(units, Fraction(like).denominator))
    places = len(like.partition(".")[2])
    if not places:
        return str(units)
    whole, decimals = divmod(abs(units), 10**places)
    return f"{'-' if units < 0 else ''}{whole}.{decimals:0{places}d}"
