"""Tables for the terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from moot.core.plain import plain
from moot.reports.grid import Grid
from moot.reports.summary import SIMULATED

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def view(
    about: str,
    grids: Iterable[Grid],
    notes: Iterable[str] = (),
    *,
    simulated: bool,
    tight: bool = False,
) -> "RenderableType":
    """Tables below each other, in 80 columns.

    Args:
        about: what they are of, on the line above them.
        grids: the tables; the note of each stands below it.
        notes: what stands below them all.
        simulated: whether any figure is of agents that are no language model.
        tight: as of ``table``.
    """
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = [Text(about), Text()]
    if simulated:
        shown.insert(0, Text(SIMULATED, style="bold yellow"))
    for grid in grids:
        note = [Text(plain(grid.note), style="dim")] * bool(grid.note)
        shown += [table(grid, tight=tight), *note, Text()]
    return Group(*shown, *(Text(note, style="dim") for note in notes))


def table(grid: Grid, *, tight: bool = False) -> "Table":
    """The table with its title, an interval below its figure; its note is left out.

    Args:
        grid: the table.
        tight: whether intervals are to have no spaces, to leave more room for words; headings stay
            on one line then.
    """
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
            heading = column.name if tight else column.name.replace(" ", "\n")
            made.add_column(heading, justify="right", no_wrap=True)
    for row in grid.rows:
        intervals = [cell.interval for cell in row.cells]
        if tight:
            intervals = [each.replace(" … ", "…") for each in intervals]
        both = zip(row.cells, intervals, strict=True)
        made.add_row(*(Text(plain(f"{cell.text}\n{each}".strip())) for cell, each in both))
    return made
