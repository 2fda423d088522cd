"""Pairs of answers as a log: a table with a question, a single reply, and a council's answer a row.

CSV, TSV, a JSON list, or JSON lines. Columns are known by their usual names, in any case.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot import InputError
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log, LogFile
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import some_fit, split_files, stem

METHOD = "pairs"
"""The method of debates that are known by their two answers alone."""
COLUMNS = {
    "question": ("question", "prompt", "input", "query", "user_query"),
    "solo": ("solo", "single", "baseline", "alone", "one"),
    "council": ("council", "panel", "debate", "ensemble", "fusion"),
}
"""The names by which a column is known, by its role; the first that is there is taken."""
_TABLES = (".csv", ".tsv")
_LONGEST = 1 << 24
"""The most characters of a cell."""
_LACKS = "the columns question, solo, council are needed"


def find_columns(names: Sequence[str]) -> dict[str, str] | None:
    """Return the name of each role's column; None where one is missing."""
    known = {name.strip().casefold(): name for name in reversed(names)}
    found = {
        role: next((known[each] for each in usual if each in known), None)
        for role, usual in COLUMNS.items()
    }
    whole = {role: name for role, name in found.items() if name is not None}
    return whole if len(whole) == len(COLUMNS) else None


def _is_row(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and find_columns(list(value)) is not None


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(head, list) and any(map(_is_row, head))


def _read_table(file: LogFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a table with their places; none where it has other columns.

    Raises:
        InputError: it is no UTF-8, or a cell is too long.
    """
    text = file.read_text()
    head = text.partition("\n")[0]
    marks = (mark for mark in ("\t", ",", ";") if find_columns(_split(head, mark)))
    if (mark := next(marks, None)) is None:
        return
    csv.field_size_limit(_LONGEST)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        for row in rows:
            yield f"{file.name}, line {rows.line_num}", row
    except csv.Error as error:
        raise InputError(f"{file.name}, line {rows.line_num}: {error}") from None


def _split(line: str, mark: str) -> list[str]:
    return next(csv.reader([line.strip("\r")], delimiter=mark), [])


def _look(log: Log) -> str:
    tables = [*log.files(*_TABLES)]
    if some_fit(log, _fits) or any(next(_read_table(each), None) for each in tables):
        return ""
    if not tables:
        return f"no table; {_LACKS}"
    head = tables[0].read_text().partition("\n")[0].strip()
    return f"{tables[0].name} begins with {head[:80]!r}; {_LACKS}"


@log_format("pairs", look=_look)
def pairs(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Pairs of answers: a question, a single reply and a council's answer a row."""
    for file in log.files(*_TABLES):
        yield from _read_rows(file, _read_table(file), stem(log.name))
    for file in split_files(log, _fits) if some_fit(log, _fits) else ():
        items = ((file.place(key), value) for key, value in file.iterate_items())
        yield from _read_rows(file, items, stem(log.name))


def _read_rows(
    file: LogFile, rows: Iterator[tuple[str, Any]], dataset: str
) -> Iterator[LoggedDebate | Unread]:
    for number, (place, row) in enumerate(rows, 1):
        columns = find_columns(list(row)) if _is_row(row) else None
        if columns is None:
            yield Unread(place, "lacks one of the columns question, solo, council")
            continue
        cells = {role: row[name] for role, name in columns.items()}
        empty = [role for role, it in cells.items() if not (isinstance(it, str) and it.strip())]
        if empty:
            yield Unread(place, f"has no text for {', '.join(empty)}")
            continue
        yield make_pair(f"{stem(file.name)}-{number}", dataset=dataset, place=place, **cells)


def make_pair(
    name: str, *, question: str, solo: str, council: str, dataset: str, place: str = ""
) -> LoggedDebate:
    """Return a debate of which two answers are known: the single reply, and the last one."""
    return LoggedDebate(
        id=name,
        question=LoggedQuestion(text=question),
        agents=(
            LoggedAgent(name="solo"),
            LoggedAgent(name="council", role="chair", answers=False),
        ),
        turns=(
            LoggedTurn(agent="solo", text=solo, round=1, step="answer", reads=()),
            LoggedTurn(agent="council", text=council, round=2, step="synthesise", votes=False),
        ),
        dataset=dataset,
        method=METHOD,
        verdict=LoggedVerdict(text=council, by="council", turn=2),
        place=place,
    )
