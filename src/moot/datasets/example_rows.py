"""Worked examples in a file of the user's."""

from pathlib import Path

from moot.core.errors import InputError, check_known
from moot.core.questions import Example, Kind
from moot.datasets.canonical import as_text
from moot.datasets.columns import ColumnMapping, read_each, read_rows
from moot.datasets.records import describe_place, make_own_row_error

EXAMPLE_KEYS = ("question", "answer", "kind", "choices", "context", "reason")
"""The keys of a worked example."""


def read_examples(path: Path, *, kind: Kind | None = None) -> list[Example]:
    """Return the worked examples of a file of the user's.

    The columns have the names ``question`` and ``answer``, and if there are any ``kind``,
    ``choices``, ``context`` and ``reason``.

    Args:
        path: JSON lines, one JSON array, CSV with a header, or Parquet.
        kind: of the examples that do not say their own. Without it, an example with choices is a
            choice, and the others are what their answers can only be: ``true`` is boolean, ``12``
            a number, ``Paris`` a text; ``e5`` or ``yes`` may be more than one thing.

    Raises:
        InputError: for a row that is no example, naming the file, the line and the key; for a file
            that has none or cannot be read.
    """
    mapping = ColumnMapping(kind=kind, answered=True, examples=True)
    found = []
    try:
        rows = read_rows(path, None, make_own_row_error, pad=True)
        for each in read_each(path, rows, mapping, path.stem, make_own_row_error):
            where = describe_place(path, each.line)
            check_known("key of an example", each.row, EXAMPLE_KEYS, where=where)
            reason = as_text(each.row.get("reason"))
            found.append(Example(question=each.question(), reason=reason))
    except OSError as why:
        raise InputError(f"{path} cannot be read: {why.strerror or why}") from None
    if not found:
        raise InputError(f"{path} has no examples in it")
    return found
