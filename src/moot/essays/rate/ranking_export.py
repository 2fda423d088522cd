"""Every place that raters entered, written as CSV or as JSON."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from moot import InputError
from moot.essays.rate.human_scores import EnteredPlace
from moot.reports.export.csv_file import csv_file
from moot.reports.export.export_tables import ExportTable
from moot.reports.export.whole import write_whole

SUFFIXES = (".csv", ".json")
_TABLE = ExportTable(dict.fromkeys(EnteredPlace.__struct_fields__, "text"), lambda _: iter(()))
"""The columns; CSV needs no more than their names, and the rows are not those of debates."""


def export_places(places: Iterable[EnteredPlace], out: Path) -> int:
    """Write one row for each place that was entered.

    Args:
        places: in the order in which they were entered.
        out: a file that does not exist, whose name says the format: ``.csv`` or ``.json``.

    Returns:
        How many were written.

    Raises:
        InputError: the name has another ending, the file exists or cannot be written.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise InputError(f"--export {out}: name a file that ends in {' or '.join(SUFFIXES)}")
    if out.exists():
        raise InputError(f"--export {out}: exists already; name another file, or remove it")
    rows = list(places)
    with write_whole(out) as unfinished:
        if out.suffix.lower() == ".json":
            unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
            return len(rows)
        with csv_file(unfinished, _TABLE) as write:
            for row in rows:
                write(list(msgspec.structs.astuple(row)))
    return len(rows)
