"""Grades: what a juror says of one text, by criteria or as right or wrong."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from moot import Parsed, Question, Reading, parser
from moot.extend.protocols import load_json, read_mark, split_words

REASONS = frozenset(("reason", "reasons", "reasoning", "explanation", "rationale", "why"))
"""Words in keys of a reason."""
Heard = Mapping[str, str | None] | None
"""What the others answered, by the label under which the agent read them."""


class Grades(Reading, frozen=True, kw_only=True):
    """A juror's judgement of one text.

    Attributes:
        grades: by criterion, each a whole number from 1 to 5.
        right: whether the text answers the question rightly; None where the reply does not say.
        reason: why, where the reply says so in JSON.
    """

    grades: dict[str, int] = msgspec.field(default_factory=dict)
    right: bool | None = None
    reason: str = ""


TOP = 5
"""The best grade."""
_OBJECT = re.compile(r"\{(?=\s*[\"'“]?(?:grades|verdict|reason)\b)", re.IGNORECASE)


class _JudgedBy(msgspec.Struct):
    scale: str = ""
    criteria: str = ""


def _is_graded(grades: Grades, settings: Mapping[str, Any]) -> bool:
    own = msgspec.convert(settings, _JudgedBy)
    if own.scale == "binary":
        return grades.right is not None
    criteria = {each.strip().casefold() for each in own.criteria.split(",")}
    return grades.grades.keys() >= criteria


@parser(reading=Grades, gives="grades", counts=_is_graded)
def parse_grades(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read JSON with grades from 1 to 5 by criterion, or with "right" or "wrong" as its verdict.

    A grade may be a text, such as "4" or "4/5", or an object with a score. One that is no whole
    number from 1 to 5 is left out.
    """
    starts = list(_OBJECT.finditer(text))
    loaded = load_json(text[starts[-1].start() :], _OBJECT, finished=finished) if starts else None
    if not isinstance(loaded, dict):
        return Parsed(None)
    fields = {str(key).strip().casefold(): value for key, value in loaded.items()}
    given = fields.get("grades")
    listed = given.items() if isinstance(given, dict) else ()
    reason = next((fields[key] for key in fields if split_words(key) & REASONS), "")
    grades = Grades(
        grades={
            str(name).strip().casefold(): int(mark)
            for name, each in listed
            if (mark := read_mark(each, TOP)) is not None and mark.is_integer()
        },
        right=_read_verdict(fields.get("verdict")),
        reason=reason.strip() if isinstance(reason, str) else "",
    )
    return Parsed(None, grades if grades.grades or grades.right is not None else None)


def _read_verdict(value: object) -> bool | None:
    words = split_words(value) if isinstance(value, str) else set()
    right = bool(words & {"right", "correct"})
    wrong = bool(words & {"wrong", "incorrect"})
    return None if right == wrong else right != ("not" in words)
