"""Reading files row by row, with errors that name the file and the line."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from moot.core.encoding import describe_not_json, describe_other_encoding, drop_mark
from moot.core.errors import NOT_JSON, InputError, describe_not_utf8

RowType = TypeVar("RowType")
RowError = Callable[[Path, int, str], InputError]
"""Makes the error for a row from the file, the line and why it cannot be read."""
OnError = Callable[[InputError], None]
"""Takes the error for a row; the reader goes on with the next row if it returns."""
SEPARATORS = {",": "commas", ";": "semicolons (;)", "\t": "tabs"}
"""The signs between the cells of a table, in words."""
TABLES = frozenset({".csv", ".tsv", ".tab"})
"""The endings of tables whose cells stand between separators."""


def stop(error: InputError) -> None:
    """Raise the error for a row."""
    raise error from None


def make_row_error(path: Path, line: int, why: str) -> InputError:
    """Return the error for a row of a published file that cannot be read."""
    return InputError(f"{path}, line {line}: {why}; fetch or add the file again")


def make_own_row_error(path: Path, number: int, why: str) -> InputError:
    """Return the error for a row of a file of the user's."""
    return InputError(f"{describe_place(path, number)}: {why}")


def describe_place(path: Path, number: int) -> str:
    """Return where a row stands: its file, and its line or, in Parquet, its number."""
    return f"{path}, {'row' if path.suffix.lower() == '.parquet' else 'line'} {number}"


def json_lines(
    path: Path,
    row: type[RowType],
    error: RowError = make_row_error,
    *,
    on_error: OnError = stop,
) -> Iterator[tuple[int, RowType]]:
    """Yield the rows of a file with one JSON value a line, each with its line number from 1."""
    decode = msgspec.json.Decoder(row).decode
    with path.open("rb") as file:
        for line, raw in enumerate(file, start=1):
            given = drop_mark(raw) if line == 1 else raw
            if not given or given.isspace():
                continue
            try:
                found = decode(given)
            except NOT_JSON as why:
                on_error(error(path, line, describe_not_json(why, raw)))
                continue
            yield line, found


def json_list(
    path: Path,
    row: type[RowType],
    error: RowError = make_row_error,
    *,
    key: str = "",
    on_error: OnError = stop,
) -> Iterator[tuple[int, RowType]]:
    """Yield the elements of a JSON list, each with the line number where it starts, from 1.

    The file is the list, or with ``key`` an object that has the list under this key.
    """
    data = listed = drop_mark(path.read_bytes())
    end, line = 0, 1
    if key:
        values = _decode(data, dict[str, msgspec.Raw], path, line, error)
        if key not in values:
            raise error(path, line, f"it has no {key!r}")
        listed = bytes(values[key])
        end = data.index(listed)
        line += data.count(b"\n", 0, end)
    for element in _decode(listed, list[msgspec.Raw], path, line, error):
        raw = bytes(element)
        start = data.index(raw, end)
        line += data.count(b"\n", end, start)
        place, end, line = line, start + len(raw), line + raw.count(b"\n")
        try:
            found = msgspec.json.decode(raw, type=row)
        except NOT_JSON as why:
            on_error(error(path, place, describe_not_json(why, raw)))
            continue
        yield place, found


def csv_rows(
    path: Path,
    row: type[RowType],
    error: RowError = make_row_error,
    *,
    data: bytes | None = None,
    pad: bool = False,
    separator: str = ",",
    on_error: OnError = stop,
) -> Iterator[tuple[int, RowType]]:
    """Yield the rows of a CSV file under its header, each with its first line number, from 1.

    Cells become what ``row`` says of their columns; columns that it does not name are not read.

    Args:
        path: of the file.
        row: the type of a row.
        error: makes the error of a row.
        data: the bytes of the file, if they cannot be read from ``path`` as they are.
        pad: whether a row may have fewer cells than the header; the others are empty then.
        separator: of the cells.
        on_error: takes the error of a row; without one it is raised.

    Raises:
        InputError: for a row that cannot be read, or has not one cell for each column.
    """
    data = path.read_bytes() if data is None else data
    file = _decode_table(path, data, error)
    table = csv.reader(file, strict=True, delimiter=separator)
    header: list[str] = []
    while True:
        line = table.line_num + 1
        try:
            cells = next(table)
            if not header:
                header = cells
                _check_header(path, line, header, error)
            elif cells:  # an empty line has none
                cells += [""] * (len(header) - len(cells) if pad else 0)
                named = dict(zip(header, cells, strict=True))
                yield line, msgspec.convert(named, row, strict=False)
        except StopIteration:
            return
        except (csv.Error, msgspec.ValidationError) as why:
            (on_error if header else stop)(error(path, line, str(why)))
        except ValueError:
            text = f"it has {len(cells)} cells, the header {len(header)}"
            if len(cells) > len(header):
                text += "; a cell with the separator in it stands in quotes"
            on_error(error(path, line, text))


def _decode_table(path: Path, data: bytes, error: RowError) -> StringIO:
    """Return the text of a table. Raises an error for one that is not UTF-8."""
    try:
        file = StringIO(data.decode("utf-8-sig"), newline="")
    except UnicodeDecodeError as why:
        if other := describe_other_encoding(data):
            raise error(path, 1, other) from None
        raise error(path, data.count(b"\n", 0, why.start) + 1, describe_not_utf8(why)) from None
    if other := describe_other_encoding(data):
        raise error(path, 1, other)
    return file


def _check_header(path: Path, line: int, header: list[str], error: RowError) -> None:
    """Raise an error for a header that names a column twice, or whose cells commas do not part."""
    if twice := [name for name, times in Counter(header).items() if times > 1 and name]:
        raise error(path, line, f"the header has the column {twice[0]!r} twice; rename one of them")
    for sign, called in _OTHER_SEPARATORS.items():
        if len(header) == 1 and sign in header[0]:
            why = f"the header's cells are separated by {called}, not by commas"
            raise error(path, line, f"{why}; save the file as CSV with commas")


_OTHER_SEPARATORS = {";": SEPARATORS[";"], "\t": SEPARATORS["\t"], "|": "bars (|)"}


def find_separator(path: Path, score: Callable[[list[str]], int]) -> str:
    """Return the sign between the cells of a table: a comma, a semicolon or a tab.

    Args:
        path: of the table; its ending says which sign is tried first.
        score: how good the cells of a header are; the first sign with the best header is taken.
    """
    with path.open("rb") as file:
        begins = drop_mark(file.read(1 << 16)).decode("utf-8", errors="replace")
    signs = ",;\t" if path.suffix.lower() == ".csv" else "\t,;"

    def rate(sign: str) -> tuple[int, bool]:
        try:
            header = next(csv.reader(StringIO(begins, newline=""), delimiter=sign), [])
        except csv.Error:
            header = []
        return score(header), len(header) > 1

    return max(signs, key=rate)


def find_list_key(path: Path) -> str:
    """Return the key of the rows in a file that is one JSON object; empty without one."""
    try:
        values = msgspec.json.decode(drop_mark(path.read_bytes()), type=dict[str, msgspec.Raw])
    except NOT_JSON:
        return ""  # JSON lines
    lists = [key for key in _LIST_KEYS if bytes(values.get(key, b""))[:1] == b"["]
    return lists[0] if lists else ""


_LIST_KEYS = ("data", "questions", "examples", "rows", "items", "instances")
"""Usual keys of the rows in a file that is one JSON object."""


def parquet_rows(path: Path, wanted: Callable[[list[str]], list[str]]) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a Parquet file as dictionaries, each with its number, from 1.

    Args:
        path: of the file.
        wanted: which columns to read, of those that the file has.

    Raises:
        InputError: the file cannot be read, or pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(f"{path}: to read Parquet, pip install 'moot[data]'") from None
    try:
        with parquet.ParquetFile(path) as table:
            columns = wanted(table.schema_arrow.names)
            numbers = count(1)
            for batch in table.iter_batches(columns=columns, batch_size=1000):
                yield from zip(numbers, batch.to_pylist(), strict=False)
    except ArrowException as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def is_list(path: Path) -> bool:
    """Whether a file of JSON begins as a list does."""
    with path.open("rb") as file:
        lines = (drop_mark(line) for line in file)
        return next((line.lstrip()[:1] == b"[" for line in lines if not line.isspace()), False)


def _decode(raw: bytes, row: type[RowType], path: Path, line: int, error: RowError) -> RowType:
    try:
        return msgspec.json.decode(raw, type=row)
    except NOT_JSON as why:
        raise error(path, line, describe_not_json(why, raw)) from None
