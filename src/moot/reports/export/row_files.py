"""Rows written to CSV and Parquet, a row at a time."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, BinaryIO, Literal, TypeAlias

from moot.core.errors import InputError

ExportKind = Literal["text", "texts", "whole", "wholes", "real", "truth"]
"""What the cells of a column are: a text, a number, true or false, or several; any may be empty."""

WriteRow: TypeAlias = Callable[[Sequence[Any]], None]

GROUP = 4096
"""Rows of a group in Parquet: what is held in memory at once."""
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_HARMLESS = re.compile(r"[+-]?[0-9][0-9.,/]*")


@contextmanager
def write_csv(file: BinaryIO, columns: Iterable[str]) -> Iterator[WriteRow]:
    """Write rows under the names of their columns, in UTF-8.

    Texts are quoted, numbers, ``true`` and ``false`` are not; nothing at all stands for what is not
    known. Several values in one cell are separated by ``|``. A text that a spreadsheet might take
    for a formula gets an apostrophe in front, unless it is a plain number: replies of models are
    texts of strangers.
    """

    def write(row: Sequence[Any]) -> None:
        file.write((",".join(map(_cell, row)) + "\r\n").encode())

    write(list(columns))
    yield write


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    text = "|".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if _FORMULA.match(text) and not _HARMLESS.fullmatch(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"'


@contextmanager
def write_parquet(file: BinaryIO, columns: Mapping[str, ExportKind]) -> Iterator[WriteRow]:
    """Write rows, each column with the type of its kind, compressed by Zstandard.

    Raises:
        InputError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise InputError("to write Parquet, pip install 'moot[data]'") from None
    types = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "whole": pa.int64(),
        "wholes": pa.list_(pa.int64()),
        "real": pa.float64(),
        "truth": pa.bool_(),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    rows: list[Sequence[Any]] = []
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def flush() -> None:
            columns = zip(*rows, strict=True)
            arrays = [
                pa.array(cells, type=kind)
                for cells, kind in zip(columns, schema.types, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            rows.clear()

        def write(row: Sequence[Any]) -> None:
            rows.append(row)
            if len(rows) == GROUP:
                flush()

        yield write
        if rows:
            flush()


ROW_WRITERS: dict[
    str, Callable[[BinaryIO, Mapping[str, ExportKind]], AbstractContextManager[WriteRow]]
] = {"parquet": write_parquet, "csv": write_csv}
"""What writes rows to an open file, by the name of the format."""
