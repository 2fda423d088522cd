"""Values that a question can be opened with: right ones, and wrong ones that look right.

Source: "Understanding Prejudice and Fidelity of Diverge-to-Converge Multi-Agent Systems", section 5
("dataset problem reframing") and appendix A.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, product
from random import Random
from typing import Literal, get_args

from moot.core.errors import InputError
from moot.core.numerals import write_decimal
from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.same import answer_value, is_correct

Opening = Literal[
    "open", "control-right", "control-wrong", "control-random", "control-tempting", "put"
]
"""How the first agent is asked: openly, or whether a value is the right answer, and which."""

OPENINGS: tuple[Opening, ...] = get_args(Opening)

Distance = Literal["near", "far", "plus-100"]
"""Whether a wrong number is one that a slip gives, one far off, or 100 more."""

Squares = Literal["all", "one"]
"""How many squares are put forward: as many as are right, or one."""

HUNDRED = 100
"""The released code of the paper adds this to a right number."""

_ALL: dict[str, tuple[str, ...]] = {
    "choice": (),  # its letters
    "boolean": ("true", "false"),
    "square": tuple(file + rank for file, rank in product("abcdefgh", "12345678")),
}
"""All possible answers, of the kinds that have few."""


def draw_opening(
    question: Question,
    opening: Opening,
    *key: object,
    distance: Distance = "near",
    squares: Squares = "all",
    put: str | None = None,
) -> tuple[str, ...]:
    """Return the values put forward, in canonical form; none for ``open``.

    One value; of squares as many as are right, in a drawn order, of which an agent is asked
    whether any is right. Drawn by the question's id and the key, so the same each time.

    Args:
        question: what is asked.
        opening: ``control-random`` puts forward what may be right or wrong: of options, truth
            values and squares any, of numbers the right one or a wrong one, evenly;
            ``control-tempting`` the wrong answer that the dataset has for it; ``put`` a value of
            the user's.
        key: what else the draw depends on, e.g. the base seed.
        distance: of a wrong number: ``near`` is a slip's breadth away (a unit, ten, two digits
            changed over), ``far`` several times as much, ``plus-100`` 100 more than the right one.
        squares: ``one`` where a single square is put forward.
        put: the user's value, for ``put``.

    Raises:
        InputError: there is no such value; see ``check``.
    """
    if opening == "open":
        return ()
    check_opening(question, opening, put)
    draw = Random(repr((question.id, opening, distance, *key)))  # noqa: S311 -- no secret
    count = len(question.answers) if squares == "all" else 1
    match opening:
        case "control-right":
            return _draw_right(question, count, draw)
        case "control-wrong":
            return _draw_wrong(question, count, distance, draw)
        case "control-tempting":
            return (draw.choice(question.tempting_answers),)
        case "put":
            return (_read(put or "", question),)
        case _:
            return _draw_any(question, count, distance, draw)


def check_opening(question: Question, opening: Opening, put: str | None = None) -> None:
    """Check that there is a value to open this question with.

    Raises:
        InputError: no right answer is known where one is needed, the kind has no wrong values,
            all possible answers are right, the dataset has no tempting answer, or the
            user's value cannot be an answer.
    """
    if opening == "open":
        return
    where = f"question {question.id!r}: opening = {opening!r}"
    if opening == "put":
        if put is None:
            raise InputError(f"{where}: say which value: put = 'VALUE', or --put VALUE")
        _read(put, question)
        return
    kind, answers = question.kind, question.answers
    fault = ""
    if opening == "control-tempting":
        if not question.tempting_answers:
            fault = (
                "its dataset has no tempting wrong answer for it (ciar has); put one of your own "
                "with opening = 'put'"
            )
    elif not answers and (opening != "control-random" or kind in {"number", "text"}):
        fault = (
            "its right answer is not known; only opening = 'open' or 'put' fits, or say what is "
            "right: moot ask --answer"
        )
    elif opening != "control-right" and kind == "text":
        fault = "there are no wrong values of free text to draw from"
    elif opening == "control-wrong" and kind in _ALL and not _has_wrong(question):
        fault = "whatever could be its answer is right; there is no wrong value"
    if fault:
        raise InputError(f"{where}: {fault}")


def check_wrong(question: Question) -> None:
    """Check that a wrong answer to a question can be drawn.

    Raises:
        InputError: no right answer is known, or there are no wrong ones to draw from.
    """
    try:
        check_opening(question, "control-wrong")
    except InputError as error:
        fault = str(error).rpartition("opening = 'control-wrong': ")[2].partition(";")[0]
        raise InputError(
            f"question {question.id!r}: a wrong answer is needed that others are made to state: "
            f"{fault}"
        ) from None


def draw_wrong(question: Question, *key: object) -> str:
    """Return a wrong answer to a question, drawn by its id and the key.

    Raises:
        InputError: no right answer is known, or there are no wrong ones to draw from.
    """
    check_wrong(question)
    return draw_opening(question, "control-wrong", *key, squares="one")[0]


def read_user_answer(text: str, question: Question, *, where: str) -> str:
    """Return an answer that a user gives, in canonical form.

    Args:
        text: as it was given: a letter or the text of an option, true or false, a number, a square,
            or free text.
        question: what it is to answer.
        where: names its place in errors.

    Raises:
        InputError: it cannot be an answer to this kind of question.
    """
    said = text.strip()
    if question.kind == "text":
        found: str | None = said or None
    else:
        found = extract(f"Final answer: {said}", question) if said else None
    if found is None:
        raise InputError(
            f"{where} = {text!r}: no answer to {question.id!r}: {_describe_expected(question)}"
        )
    return found


def _read(put: str, question: Question) -> str:
    return read_user_answer(put, question, where="put")


def _describe_expected(question: Question) -> str:
    """Return what an answer to a question can be, in words."""
    letters = f"expected one of {', '.join(question.letters)}, or the text of an option"
    return letters if question.kind == "choice" else _EXPECTED[question.kind]


_EXPECTED = {
    "boolean": "expected true or false",
    "number": "expected a number, e.g. 42 or 3/4",
    "square": "expected a square of the board, e.g. e4",
    "text": "expected a text that is not empty",
}


def _list_all(question: Question) -> Sequence[str]:
    """Return all possible answers, of a kind that has few."""
    return question.letters if question.kind == "choice" else _ALL[question.kind]


def _list_wrong(question: Question) -> list[str]:
    right = {answer_value(answer, question.kind) for answer in question.answers}
    return [each for each in _list_all(question) if answer_value(each, question.kind) not in right]


def _has_wrong(question: Question) -> bool:
    return len(question.answers) < len(_list_all(question)) or bool(_list_wrong(question))


def _draw_right(question: Question, count: int, draw: Random) -> tuple[str, ...]:
    answers = question.answers
    if question.kind != "square":
        return (draw.choice(answers),)
    return tuple(draw.sample(answers, count))


def _draw_any(question: Question, count: int, distance: Distance, draw: Random) -> tuple[str, ...]:
    if question.kind in _ALL:
        return _draw_some(_list_all(question), question, count or 1, draw)
    return draw.choice(
        (_draw_right(question, count, draw), _draw_wrong(question, count, distance, draw))
    )


def _draw_wrong(
    question: Question, count: int, distance: Distance, draw: Random
) -> tuple[str, ...]:
    if question.kind in _ALL:
        return _draw_some(_list_wrong(question), question, count, draw)
    right = _expand(draw.choice(question.answers))
    values = {"near": _slip, "far": _multiply, "plus-100": _add_hundred}[distance](right)
    wrong = [each for each in values if not is_correct(each, question)]
    return (draw.choice(wrong) if wrong else next(_count_up(right, question)),)


def _draw_some(
    values: Sequence[str], question: Question, count: int, draw: Random
) -> tuple[str, ...]:
    """Draw one of these values; of squares as many as asked for, if there are as many."""
    if question.kind == "square":
        return tuple(draw.sample(values, min(count, len(values))))
    return (draw.choice(values),)


def _add_hundred(right: str) -> list[str]:
    """Return the number that is 100 more."""
    more = Fraction(right) + HUNDRED
    return [str(more) if "/" in right else write_decimal(more)]


def _slip(right: str) -> list[str]:
    """Return the numbers that a slip in a calculation gives."""
    units = _count_units(right)
    steps = [1, -1, 2, -2] + [10, -10] * (abs(units) >= 20)
    values = {units + step for step in steps}
    digits = str(abs(units))
    for at in range(len(digits) - 1):  # two neighbouring digits changed over
        over = digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
        if not over.startswith("0"):
            values.add((-1 if units < 0 else 1) * int(over))
    return [_write(value, right) for value in sorted(values) if (value < 0) <= (units < 0)]


def _multiply(right: str) -> list[str]:
    """Return numbers of another magnitude."""
    units = _count_units(right)
    return [_write(units * times + (units == 0) * times, right) for times in range(3, 12)]


def _count_up(right: str, question: Question) -> Iterator[str]:
    """Yield higher and higher numbers, for questions with many right answers."""
    for step in count(1):
        beyond = _write(_count_units(right) + step, right)
        if not is_correct(beyond, question):
            yield beyond


def _expand(number: str) -> str:
    """Return a number as a decimal or a fraction, if a file of questions has it as ``1e3``."""
    return write_decimal(Fraction(number)) if "e" in number.casefold() else number


def _count_units(number: str) -> int:
    """Return a number in units of its last place; of a fraction, its numerator."""
    if "/" in number:
        return Fraction(number).numerator
    return int(number.replace(".", ""))


def _write(units: int, like: str) -> str:
    """Return a number of units, written with the same denominator or as many decimals."""
    if "/" in like:
        return str(Fraction(units, Fraction(like).denominator))
    places = len(like.partition(".")[2])
    if not places:
        return str(units)
    whole, decimals = divmod(abs(units), 10**places)
    return f"{'-' if units < 0 else ''}{whole}.{decimals:0{places}d}"
