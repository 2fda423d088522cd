"""Every place that raters entered, written as CSV or as JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from moot import InputError
from moot.contrib.essays.rate.rankings import RecordedChoice
from moot.reports.export.row_files import write_csv
from moot.reports.export.whole import write_whole

SUFFIXES = (".csv", ".json")
COLUMNS = (
    *("rater", "dataset", "item", "replicate", "aspect", "arm", "place", "shown", "essays"),
    *("time", "counts"),
)
"""Of each place: ``shown`` is as which of the item's ``essays`` the rater saw it, from 1; ``time``
is UTC, in ISO 8601; ``counts`` whether it is the rater's last of this essay and aspect."""


def list_places(entered: Sequence[RecordedChoice]) -> list[tuple[object, ...]]:
    """Return everything that was entered, in that order, as rows of ``COLUMNS``."""
    rows, last = [], dict[object, int]()
    for number, (rater, (item, aspect, arm, place, shown, essays), created) in enumerate(entered):
        time = datetime.fromtimestamp(created, UTC).isoformat(timespec="milliseconds")
        last[rater, item, aspect, arm] = number
        rows.append((rater, *item, aspect, arm, place, shown, essays, time))
    counts = set(last.values())
    return [(*row, number in counts) for number, row in enumerate(rows)]


def export_places(entered: Sequence[RecordedChoice], out: Path) -> None:
    """Write one row for each place that was entered.

    Args:
        entered: the places, in the order in which they were entered.
        out: a file that does not exist, whose name says the format: ``.csv`` or ``.json``.

    Raises:
        InputError: the name has another ending, the file exists or cannot be written.
    """
    if out.suffix.lower() not in SUFFIXES:
        raise InputError(f"--export {out}: name a file that ends in {' or '.join(SUFFIXES)}")
    if out.exists():
        raise InputError(f"--export {out}: exists already; name another file, or remove it")
    rows = list_places(entered)
    with write_whole(out) as unfinished:
        if out.suffix.lower() == ".json":
            named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
            unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(named)) + b"\n")
            return
        with unfinished.open("xb") as file, write_csv(file, COLUMNS) as write:
            for row in rows:
                write(row)
