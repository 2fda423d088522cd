"""Tables for the terminal."""

from typing import TYPE_CHECKING

from moot.reports.grid import Grid
from moot.reports.plain import plain

if TYPE_CHECKING:
    from rich.table import Table


def table(grid: Grid) -> "Table":
    """The table with its title, an interval below its figure; its note is left out."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=Text(plain(grid.title), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,  # the box itself parts the columns
        show_edge=False,
    )
    for column in grid.columns:
        if column.words:
            made.add_column(column.name, overflow="fold")
        else:  # figures are never cut: the words get what these leave
            made.add_column(column.name.replace(" ", "\n"), justify="right", no_wrap=True)
    for row in grid.rows:
        made.add_row(*(Text(plain(f"{cell.text}\n{cell.interval}".strip())) for cell in row.cells))
    return made
