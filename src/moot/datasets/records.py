"""Reading published files row by row, with errors that name the file and the line."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import msgspec

from moot.core.errors import NOT_JSON, InputError

Row = TypeVar("Row")
Wrong = Callable[[Path, int, str], InputError]
"""Makes the error for a row from the file, the line and why it cannot be read."""


def damaged(path: Path, line: int, why: str) -> InputError:
    """The error for a row that cannot be read."""
    return InputError(f"{path}, line {line}: {why}; fetch or add the file again")


def json_lines(path: Path, row: type[Row], wrong: Wrong = damaged) -> Iterator[tuple[int, Row]]:
    """The rows of a file with one JSON value a line, each with its line number from 1."""
    decode = msgspec.json.Decoder(row).decode
    with path.open("rb") as file:
        for line, raw in enumerate(file, start=1):
            if raw.isspace():
                continue
            try:
                found = decode(raw)
            except NOT_JSON as error:
                raise wrong(path, line, str(error)) from None
            yield line, found


def json_list(
    path: Path, row: type[Row], wrong: Wrong = damaged, *, key: str = ""
) -> Iterator[tuple[int, Row]]:
    """The elements of a file that is one JSON list, each with the line number where it starts.

    With ``key``, of the list that stands under it in a file that is one JSON object.
    """
    data = listed = path.read_bytes()
    end, line = 0, 1
    if key:
        values = _decode(data, dict[str, msgspec.Raw], path, line, wrong)
        if key not in values:
            raise wrong(path, line, f"it has no {key!r}")
        listed = bytes(values[key])
        end = data.index(listed)
        line += data.count(b"\n", 0, end)
    for element in _decode(listed, list[msgspec.Raw], path, line, wrong):
        raw = bytes(element)
        start = data.index(raw, end)
        line += data.count(b"\n", end, start)
        yield line, _decode(raw, row, path, line, wrong)
        end, line = start + len(raw), line + raw.count(b"\n")


def is_list(path: Path) -> bool:
    """Whether a file of JSON begins as a list does."""
    with path.open("rb") as file:
        return next((line.lstrip()[:1] == b"[" for line in file if not line.isspace()), False)


def number(text: str) -> Fraction | None:
    """The value of a published number, such as ``1,450``, ``-3``, ``0.5`` or ``3/2``, or None."""
    try:
        return Fraction(text.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def _decode(raw: bytes, row: type[Row], path: Path, line: int, wrong: Wrong) -> Row:
    try:
        return msgspec.json.decode(raw, type=row)
    except NOT_JSON as error:
        raise wrong(path, line, str(error)) from None
