"""Marks: a number that a judge gives, as a number, as a text, or in an object of its own."""

import re

from moot.core.numerals import read_numeral

_OF = re.compile(
    r"\s*(?P<mark>[\d.]+|[A-Za-z]+)\s*(?:/|\bout of\b|\bof\b)\s*(?P<top>\d+(?:\.0+)?)\s*"
)
_NAMES = ("score", "grade", "mark", "rating", "value", "points", "margin")


def read_mark(value: object, top: float, *, low: float = 1) -> float | None:
    """Return the mark that a value of JSON is: ``4``, ``"4"``, ``"4/5"``, ``{"score": 4}``.

    Args:
        value: what a judge wrote.
        top: the best mark of the scale.
        low: the worst one.

    Returns:
        From ``low`` to ``top``; None for anything else, and for a mark of another scale, such as
        ``"4/10"`` on one up to 5.
    """
    if isinstance(value, dict):
        fields = {str(key).strip().casefold(): each for key, each in value.items()}
        named = [fields[name] for name in _NAMES if name in fields]
        value = named[0] if len(named) == 1 and not isinstance(named[0], dict) else None
    if isinstance(value, str):
        of = _OF.fullmatch(value)
        if of and float(of["top"]) != top:
            return None
        value = _read_text(of["mark"] if of else value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if low <= value <= top else None


def _read_text(words: str) -> float | None:
    number = None if "%" in words else read_numeral(words)
    if number is None:
        return None
    above, _, below = number.partition("/")
    return float(above) / float(below or 1)
