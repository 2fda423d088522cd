"""Tables as Parquet."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from moot.core.errors import InputError
from moot.reports.export.export_tables import ExportRow, ExportTable

GROUP = 4096
"""Rows of a group: what is held in memory at once."""


@contextmanager
def parquet_file(path: Path, table: ExportTable) -> Iterator[Callable[[ExportRow], None]]:
    """Write rows of a table, each column with the type of its kind, compressed by Zstandard.

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
    schema = pa.schema([(name, types[kind]) for name, kind in table.columns.items()])
    rows: list[ExportRow] = []
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:

        def flush() -> None:
            columns = zip(*rows, strict=True)
            arrays = [
                pa.array(cells, type=kind)
                for cells, kind in zip(columns, schema.types, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            rows.clear()

        def write(row: ExportRow) -> None:
            rows.append(row)
            if len(rows) == GROUP:
                flush()

        yield write
        if rows:
            flush()
