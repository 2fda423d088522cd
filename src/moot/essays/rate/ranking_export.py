"""What raters entered about essays, as a table of every place or as JSON."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from moot.core.errors import InputError
from moot.essays.rate.human_ranking import Place
from moot.reports.export.csv_file import csv_file
from moot.reports.export.tables import Kind, Table
from moot.reports.export.whole import whole

SUFFIXES = (".csv", ".json")
_COLUMNS: dict[str, Kind] = {
    "rater": "text",
    "dataset": "text",
    "item": "text",
    "replicate": "whole",
    "aspect": "text",
    "arm": "text",
    "place": "whole",
    "shown": "whole",
    "essays": "whole",
    "time": "text",
    "counts": "truth",
}
_TABLE = Table(_COLUMNS, lambda _: iter(()))  # its rows are no debates: they come one by one


def export_places(places: Iterable[Place], out: Path) -> int:
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
    with whole(out) as unfinished:
        if out.suffix.lower() == ".json":
            unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
            return len(rows)
        with csv_file(unfinished, _TABLE) as write:
            for row in rows:
                write(list(msgspec.structs.astuple(row)))
    return len(rows)
