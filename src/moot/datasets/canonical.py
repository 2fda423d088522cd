"""Answers as files have them, in the form that ``Question.answer`` has."""

import re
from ast import literal_eval
from contextlib import suppress
from fractions import Fraction

import msgspec

from moot.core.latex import is_whole, strip_marks, take_last_box
from moot.core.numerals import read_numeral
from moot.core.options import first_alike, fold_option, read_option
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

_WORDS = re.compile(r"(?<!\\)\b[A-Za-z]{2}")
"""Two letters of a word, which is no command of LaTeX."""
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_MARKED = re.compile(
    r"(?:<answer>([^<>]{1,200})</answer>|\\boxed\{((?:[^{}]|\{[^{}]*\}){1,200})\}\$?"
    r"|#### ?(.{1,200}))\.?\s*$",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?:'([^']+)'|\"([^\"]+)\"|“([^”]+)”|`([^`]+)`|\*\*([^*]+)\*\*|\$([^$]+)\$)\.?"
)
_SQUARE = re.compile(r"[a-h][1-8]")
_TRUTH = {"true": "true", "yes": "true", "false": "false", "no": "false"}


def parse_number(text: str) -> Fraction | None:
    """Return the value of a number such as ``1,450``, ``-3``, ``0.5`` or ``3/2``, or None."""
    if "," in text and not _THOUSANDS.fullmatch(text.strip()):  # 3,4 may be a list, or 3.4
        return None
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


def split_choices(cell: object) -> object:
    """Return the choices that stand in one text as a list; anything else as it is.

    They are a JSON list, a list as Python writes it, or ``one|two``.
    """
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text[:1] + text[-1:] == "[]" and "," in text:
        for read in (msgspec.json.decode, literal_eval):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                if isinstance(found := read(text), list):
                    return found
    return [each.strip() for each in text.split("|")] if text else []


def split_tables(cell: object) -> tuple[object, object]:
    """Return the texts of choices that stand in tables, and their labels; None without labels.

    They are one table by label, as ``{"A": "iron", "B": "gold"}``, one of two lists under ``text``
    and ``label``, or a list of tables with ``text`` and ``label``. Anything else is returned as it
    is.
    """
    if isinstance(cell, dict):
        if isinstance(cell.get("text"), list):
            return cell["text"], cell.get("label")
        return [*cell.values()], [*cell]
    if isinstance(cell, list) and cell and isinstance(cell[0], dict):
        tables = [each if isinstance(each, dict) else {} for each in cell]
        return [each.get("text") for each in tables], [each.get("label") for each in tables]
    return cell, None


def find_only_kind(answers: list[RawAnswer]) -> Kind | None:
    """Return the one kind that all answers can be of; None if there are several, or none."""
    kinds = set(map(_kind, answers))
    return kinds.pop() if len(kinds) == 1 else None


def _kind(answer: RawAnswer) -> Kind | None:
    text = as_text(answer)
    if text in {"true", "false"}:
        return "boolean"
    if _is_number(text) or (read_numeral(text) and not _WORDS.search(text)):
        return "number"
    # One letter may be a choice, "yes" a truth value, "12 cm" a number; other words are a text.
    plain = len(text) > 1 and text.lower() not in _TRUTH and not any(map(str.isdigit, text))
    return "text" if plain else None


def to_canonical(answer: RawAnswer, kind: Kind, choices: tuple[str, ...]) -> str | None:
    """Return an answer as ``Question.answer`` has it; None if it is not of this kind.

    Of a choice, a number or a truth value it may stand in a mark, as replies have them: in
    ``<answer>`` or a box, after ``####``, in quotes or in bold.
    """
    text = as_text(answer)
    found = _read(text, kind, choices)
    if found is None and kind in {"choice", "boolean", "number"} and (marked := _find_marked(text)):
        return _read(marked, kind, choices)
    return found


def _find_marked(text: str) -> str:
    """Return the text in quotes, or in the mark at the end of an answer; empty without."""
    found = _MARKED.search(text) or _QUOTED.fullmatch(text)
    return next(filter(None, found.groups()), "").strip() if found else ""


def _read(text: str, kind: Kind, choices: tuple[str, ...]) -> str | None:
    if kind == "choice":
        return _find_choice(text, choices)
    if kind == "boolean":
        return _TRUTH.get(text.lower().removesuffix("."))
    if kind == "number":
        return text.replace(",", "") if _is_number(text) else read_numeral(text)
    if kind == "square":
        return text.lower() if _SQUARE.fullmatch(text.lower()) else None
    return _to_latex(text) if kind == "math" else text or None


def _to_latex(text: str) -> str | None:
    """Return LaTeX without marks; of a worked solution, as MATH has it, what its last box holds."""
    box = take_last_box(text)
    text = strip_marks(box[1] if box else text)
    return text if is_whole(text) else None


def _find_choice(text: str, choices: tuple[str, ...]) -> str | None:
    """Return the letter of a choice from its letter, alone or with its words, or from its text.

    Words that differ in case alone, as ``AA`` and ``Aa``, are not guessed.
    """
    letters = LETTERS[: len(choices)]
    if len(text) == 1 and text.upper() in letters:
        return text.upper()
    if text in choices[: len(letters)]:
        return letters[choices.index(text)]
    alike = sum(fold_option(each) == fold_option(text) for each in choices)
    return None if alike > 1 else read_option(text, choices)


def find_twins(letter: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters of all choices with the words of this one, itself included."""
    first = first_alike(letter, choices)
    return tuple(other for other in LETTERS[: len(choices)] if first_alike(other, choices) == first)


def _is_number(text: str) -> bool:
    quick = text.isdigit() and text.isascii()
    return quick or parse_number(text) is not None
