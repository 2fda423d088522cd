"""CIAR: counter-intuitive arithmetic, where the first thought is wrong (Liang et al. 2023).

One JSON list of objects. Each has the question, every spelling of the right answer, every spelling
of the tempting wrong one, and an explanation of both. A row of this form, though not one of theirs:

    {"question": "A cup and a spoon cost 11 cents, the cup 10 more than the spoon. What share of the
     money goes for the spoon?", "answer": ["1/22", "4.55%"], "explanation": "…",
     "incorrect answer": ["1/11", "9.09%"], "incorrect explanation": "…"}

becomes, as an open question, kind ``number`` with ``answer=("1/22", "4.55", "0.0455")``: a
percentage is right with its sign left out and as a share of one. Where no spelling is a number
(``6 or 12``, ``1:1``) the kind is ``text``; one that is none beside others that are (``1/e``) is
left out. The tempting answer, by the first of its spellings that is one of that kind, is what
``opening = "control-tempting"`` puts forward. As ``choice`` it has two options, the tempting answer
and the right one, in an order drawn from the question's id: the form of "Should we be going MAD?"
(Smit et al. 2024), section 3.

Ids count the rows from 1. All published answers are taken: ciar-17 has 0.6875 beside 68.57%.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from moot.core.questions import Question
from moot.datasets.canonical import parse_number
from moot.datasets.dataset import dataset
from moot.datasets.published import describe
from moot.datasets.records import json_list, make_row_error


class CiarRow(msgspec.Struct, rename={"wrong": "incorrect answer"}):
    """One element of the list; what moot does not use is not read."""

    question: str
    answer: list[str]
    wrong: list[str]


@dataset(**describe("ciar").registration)
def ciar(
    path: Path,
    *,
    format: Annotated[  # noqa: A002 - the parameter's name to users; the builtin is not needed here
        Literal["open", "choice"],
        Meta(description="open: answer freely; choice: the right answer or the tempting wrong one"),
    ] = "open",
) -> Iterator[Question]:
    """Counter-intuitive arithmetic, where the first thought is wrong."""
    for count, (line, row) in enumerate(json_list(path, CiarRow), start=1):
        if not row.answer or not row.wrong:
            raise make_row_error(path, line, "the row has no answer, or no incorrect answer")
        name = f"ciar-{count}"
        yield _ask_choice(name, row) if format == "choice" else _ask_openly(name, row)


def _ask_openly(name: str, row: CiarRow) -> Question:
    right, wrong = _numbers(row.answer), _numbers(row.wrong)
    tempting = [value for exact, value in wrong.items() if exact not in right]
    if right:
        return Question(
            id=name,
            kind="number",
            text=row.question,
            answer=_unwrap(right.values()),
            tempting=tuple(tempting[:1]) or msgspec.UNSET,
        )
    return Question(
        id=name,
        kind="text",
        text=row.question,
        answer=_unwrap(row.answer),
        tempting=(row.wrong[0],),
    )


def _numbers(spellings: Iterable[str]) -> dict[Fraction, str]:
    """The numbers that spellings stand for, each by the first of its forms."""
    found: dict[Fraction, str] = {}
    for value in (value for spelling in spellings for value in _values(spelling)):
        found.setdefault(Fraction(value), value)
    return found


def _unwrap(answers: Iterable[str]) -> str | tuple[str, ...]:
    """The answer, or all of them where several are right."""
    several = tuple(answers)
    return several if len(several) > 1 else several[0]


def _values(spelling: str) -> Iterator[str]:
    """The canonical numbers a spelling stands for; none when it is no number."""
    plain = spelling.removesuffix("%")
    value = parse_number(plain)
    if value is not None:
        yield plain
        if plain != spelling:
            digits = len(plain.partition(".")[2]) + 2
            yield f"{float(value / 100):.{digits}f}"


def _ask_choice(name: str, row: CiarRow) -> Question:
    """Two options, spelt alike where both are published so: the form must not give it away."""
    pairs = product(row.answer, row.wrong)
    alike = (pair for pair in pairs if _form(pair[0]) == _form(pair[1]))
    options = next(alike, (row.answer[0], row.wrong[0]))
    right = blake2b(name.encode()).digest()[0] % 2
    choices = options if right == 0 else options[::-1]
    return Question(
        id=name,
        kind="choice",
        text=row.question,
        choices=choices,
        answer="AB"[right],
        tempting=("AB"[1 - right],),
    )


def _form(spelling: str) -> tuple[bool, bool]:
    return "%" in spelling, "/" in spelling
