"""Worked examples in a file of the user's: JSON lines, one JSON array, or CSV with a header.

    {"question": "What is 2+2*3?", "answer": 8, "reason": "2*3 = 6. Then 2 + 6 = 8."}
    {"question": "Which is a metal?", "choices": ["iron", "wood"], "answer": "A"}

``question`` and ``answer`` must be there; ``kind``, ``choices``, ``context`` and ``reason`` may be.
An answer is a text, a number, true or false, or a list of several right ones; to a choice it is the
letter, or the text of the option. In CSV, ``choices`` are written in one cell, ``iron|wood``.
"""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import msgspec

from moot.core.errors import InputError, not_utf8
from moot.core.questions import KINDS, Example, Kind, Question
from moot.datasets.records import is_list, json_lines, json_list, number

Answer = bool | int | float | str

SQUARE = re.compile(r"[a-h][1-8]")
TRUTH = {"true": "true", "yes": "true", "false": "false", "no": "false"}

WANTED: dict[Kind, str] = {
    "choice": "the letter or the text of one of its choices",
    "boolean": "true or false",
    "number": "a number such as 3, -0.5 or 1/2",
    "square": "a square such as e5",
    "text": "a text",
}


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """One example as it stands in the file."""

    question: str
    answer: Answer | list[Answer]
    kind: Kind | None = None
    choices: tuple[str, ...] = ()
    context: str | None = None
    reason: str = ""


def read_examples(path: Path, *, kind: Kind | None = None) -> list[Example]:
    """The worked examples of a file.

    Args:
        path: JSON lines, one JSON array, or CSV with a header if the name ends in ``.csv``; UTF-8.
        kind: of the examples that do not say their own. Without it, an example with choices is a
            choice, and the others are what their answers can only be: ``true`` is boolean, ``12``
            a number, ``Paris`` a text; ``e5`` or ``yes`` may be more than one thing.

    Raises:
        InputError: for a row that is no example, naming the file, the line and the key; for a file
            that has none or cannot be read.
    """
    try:
        rows = list(_rows(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if not rows:
        raise InputError(f"{path} has no examples in it")
    return [_example(path, line, row, kind) for line, row in rows]


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    if path.suffix.lower() == ".csv":
        return _table(path)
    return (json_list if is_list(path) else json_lines)(path, Row, _wrong)


def _table(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of a CSV file, each with the number of the line where it begins, from 1."""
    import csv

    data = path.read_bytes()
    try:
        file = StringIO(data.decode("utf-8-sig"), newline="")
    except UnicodeDecodeError as error:
        raise _wrong(path, data.count(b"\n", 0, error.start) + 1, not_utf8(error)) from None
    table = csv.DictReader(file, restkey="", strict=True)
    try:
        for cells in table:
            if "" in cells:
                raise _wrong(path, table.line_num, "it has more cells than the header")
            row: dict[str, object] = {key: cell for key, cell in cells.items() if cell}
            if choices := cells.get("choices"):
                row["choices"] = [choice.strip() for choice in choices.split("|")]
            within = sum((cell or "").count("\n") for cell in cells.values())
            yield table.line_num - within, msgspec.convert(row, Row)
    except (msgspec.ValidationError, csv.Error) as error:
        raise _wrong(path, table.reader.line_num, str(error)) from None


def _example(path: Path, line: int, row: Row, default: Kind | None) -> Example:
    kind = row.kind or ("choice" if row.choices else default) or only_kind(row.answer)
    if kind is None:
        why = f"`answer` {row.answer!r} fits several kinds: say `kind`, one of {', '.join(KINDS)}"
        raise _wrong(path, line, why)
    if (kind == "choice") != (len(row.choices) > 1):
        why = "a choice, and nothing else, has two or more `choices`"
        raise _wrong(path, line, f"the kind is {kind!r}, with {len(row.choices)} choices; {why}")
    if not row.question.strip():
        raise _wrong(path, line, "`question` is empty")
    given = row.answer if isinstance(row.answer, list) else [row.answer]
    right = tuple(filter(None, (canonical(answer, kind, row.choices) for answer in given)))
    if len(right) < max(len(given), 1):
        why = f"`answer` is {row.answer!r}; for kind {kind!r} it must be {WANTED[kind]}"
        raise _wrong(path, line, why)
    question = Question(
        id=f"{path.stem}-{line}",
        kind=kind,
        text=row.question.strip(),
        context=row.context,
        choices=row.choices,
        answer=right if len(right) > 1 else right[0],
    )
    return Example(question=question, reason=row.reason.strip())


def only_kind(answer: Answer | list[Answer]) -> Kind | None:
    """The one kind that all answers can be of; None if there are several, or none."""
    kinds = {_kind(each) for each in (answer if isinstance(answer, list) else [answer])}
    return kinds.pop() if len(kinds) == 1 else None


def _kind(answer: Answer) -> Kind | None:
    said = _said(answer)
    if said in {"true", "false"}:
        return "boolean"
    if _numeric(said):
        return "number"
    # One letter may be a choice, "yes" a truth value, "12 cm" a number; other words are a text.
    plain = len(said) > 1 and said.lower() not in TRUTH and not any(map(str.isdigit, said))
    return "text" if plain else None


def canonical(answer: Answer, kind: Kind, choices: tuple[str, ...]) -> str | None:
    """An answer as ``Question.answer`` has it; None if it is none of its kind."""
    said = _said(answer)
    if kind == "choice":
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(choices)]
        if len(said) == 1 and said.upper() in letters:
            return said.upper()
        return letters[choices.index(said)] if said in choices[: len(letters)] else None
    if kind == "boolean":
        return TRUTH.get(said.lower())
    if kind == "number":
        return said.replace(",", "") if _numeric(said) else None
    if kind == "square":
        return said.lower() if SQUARE.fullmatch(said.lower()) else None
    return said or None


def _numeric(said: str) -> bool:
    return (said.isdigit() and said.isascii()) or number(said) is not None  # the first is quicker


def _said(answer: Answer) -> str:
    return str(answer).lower() if isinstance(answer, bool) else str(answer).strip()


def _wrong(path: Path, line: int, why: str) -> InputError:
    return InputError(
        f"{path}, line {line}: {why}. An example has the keys question and answer, and may have "
        "kind, choices, context and reason"
    )
