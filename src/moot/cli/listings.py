"""How lists of what is registered are printed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from moot.cli.console import console, print_json, say

if TYPE_CHECKING:
    from rich.table import Table

ListingRow = dict[str, Any]


def print_rows(
    rows: Sequence[ListingRow], what: str, broken: Mapping[str, str], *, as_json: bool = False
) -> None:
    """Print the name and summary of each thing, a row each, or everything about it as JSON.

    Args:
        rows: the things; each has a ``name`` and a ``summary``, and may have ``needs``.
        what: what they are, in a word.
        broken: why plug-ins cannot be loaded, by name; named on standard error.
        as_json: whether to print JSON.
    """
    from rich.markup import escape

    for name, why in broken.items():
        say(f"moot: {what} {name!r} cannot be loaded: {why}", err=True)
    if as_json:
        print_json(rows)
        return
    table = new_table()
    for row in rows:
        needs = f" (pip install '{row['needs']}')" if row.get("needs") else ""
        table.add_row(f"[bold]{escape(row['name'])}[/bold]", escape(row["summary"] + needs))
    console().print(table)


def new_table() -> "Table":
    """Return an empty table without lines and header."""
    from rich.table import Table

    return Table(box=None, show_header=False, pad_edge=False)
