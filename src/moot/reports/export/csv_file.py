"""Tables as CSV."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from moot.reports.export.export_tables import ExportRow, ExportTable

_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_HARMLESS = re.compile(r"[+-]?[0-9][0-9.,/]*")


@contextmanager
def csv_file(path: Path, table: ExportTable) -> Iterator[Callable[[ExportRow], None]]:
    """Write rows of a table under its header, in UTF-8.

    Texts are quoted, numbers, ``true`` and ``false`` are not; nothing at all stands for what is not
    known. Several values in one cell are separated by ``|``. A text that a spreadsheet might take
    for a formula gets an apostrophe in front, unless it is a plain number: replies of models are
    texts of strangers.
    """
    with path.open("x", encoding="utf-8", newline="") as file:

        def write(row: ExportRow) -> None:
            file.write(",".join(map(_cell, row)) + "\r\n")

        write(list(table.columns))
        yield write


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = value if isinstance(value, str) else "|".join(map(str, _several(value)))
    if _FORMULA.match(text) and not _HARMLESS.fullmatch(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"'


def _several(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple)
    return value
