"""Every place that raters entered, written as CSV or as JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from moot.contrib.essays.rate.rankings import RecordedChoice
from moot.extend.terminal import OutputFile

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
    """Write one row for each place that was entered, and print the file's path.

    Args:
        entered: the places, in the order in which they were entered.
        out: a file that does not exist, whose name says the format: ``.csv`` or ``.json``.

    Raises:
        InputError: the name has another ending, the file exists or cannot be written.
    """
    file = OutputFile(out, "--export")
    file.check(advice="exists already: name another file, or remove it")
    file.write_rows(COLUMNS, list_places(entered))
