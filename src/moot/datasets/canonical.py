"""Answers as files have them, in the form that ``Question.answer`` has."""

import re
from fractions import Fraction

from moot.core.latex import is_whole, strip_marks, take_last_box
from moot.core.questions import Kind

RawAnswer = bool | int | float | str
"""An answer in a file."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

WANTED: dict[Kind, str] = {
    "choice": "the letter or the text of one of its choices",
    "boolean": "true or false",
    "number": "a number such as 3, -0.5 or 1/2",
    "square": "a square such as e5",
    "math": r"mathematics in LaTeX, such as \frac{1}{2} or (3, \infty), with all braces closed",
    "text": "a text",
}
"""What an answer of each kind must be, for error texts."""

_SQUARE = re.compile(r"[a-h][1-8]")
_TRUTH = {"true": "true", "yes": "true", "false": "false", "no": "false"}


def parse_number(text: str) -> Fraction | None:
    """Return the value of a number such as ``1,450``, ``-3``, ``0.5`` or ``3/2``, or None."""
    try:
        return Fraction(text.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def as_text(value: object) -> str:
    """Return a text, number or truth value as a text without white space around it, else ``""``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) else ""


def find_only_kind(answers: list[RawAnswer]) -> Kind | None:
    """Return the one kind that all answers can be of; None if there are several, or none."""
    kinds = set(map(_kind, answers))
    return kinds.pop() if len(kinds) == 1 else None


def _kind(answer: RawAnswer) -> Kind | None:
    text = as_text(answer)
    if text in {"true", "false"}:
        return "boolean"
    if _is_number(text):
        return "number"
    # One letter may be a choice, "yes" a truth value, "12 cm" a number; other words are a text.
    plain = len(text) > 1 and text.lower() not in _TRUTH and not any(map(str.isdigit, text))
    return "text" if plain else None


def to_canonical(answer: RawAnswer, kind: Kind, choices: tuple[str, ...]) -> str | None:
    """Return an answer as ``Question.answer`` has it; None if it is not of this kind."""
    text = as_text(answer)
    if kind == "choice":
        letters = LETTERS[: len(choices)]
        if len(text) == 1 and text.upper() in letters:
            return text.upper()
        return letters[choices.index(text)] if text in choices[: len(letters)] else None
    if kind == "boolean":
        return _TRUTH.get(text.lower())
    if kind == "number":
        return text.replace(",", "") if _is_number(text) else None
    if kind == "square":
        return text.lower() if _SQUARE.fullmatch(text.lower()) else None
    return _to_latex(text) if kind == "math" else text or None


def _to_latex(text: str) -> str | None:
    """Return LaTeX without marks; of a worked solution, as MATH has it, what its last box holds."""
    box = take_last_box(text)
    text = strip_marks(box[1] if box else text)
    return text if is_whole(text) else None


def _is_number(text: str) -> bool:
    quick = text.isdigit() and text.isascii()
    return quick or parse_number(text) is not None
