"""Tables for the terminal, as wide as it is: figures are never cut, words only between words."""

from typing import TYPE_CHECKING

from moot.core.plain import plain
from moot.core.table import SIMULATED, Report, Table

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


def show_report(report: Report) -> "RenderableType":
    """Put the tables below each other, but for those that a terminal has no room for."""
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = [Text(plain(report.about)), Text()]
    if report.simulated:
        shown.insert(0, Text(SIMULATED, style="bold yellow"))
    for table in report.tables:
        if not table.wide:
            shown += [show_table(table), Text()]
    return Group(*shown, *(Text(plain(note), style="dim") for note in report.notes))


def show_table(table: Table) -> "RenderableType":
    """Show a table with its title, what it shows and its note, intervals below their figures."""
    from rich.console import Group
    from rich.text import Text

    note = [Text(plain(table.note), style="dim")] * bool(table.note)
    return Group(_Fitted(table), *(Text(plain(each)) for each in table.findings), *note)


class _Fitted:
    """The table alone; where words would be broken, its intervals have no spaces."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.measure import Measurement

        made = self._made(" … ")
        if Measurement.get(console, options, made).minimum > options.max_width:
            made = self._made("…")
        yield made

    def _made(self, dots: str) -> "rich.table.Table":
        from rich import box
        from rich.table import Table
        from rich.text import Text

        made = Table(
            title=Text(plain(self._table.title), style="bold"),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=0,  # the box itself parts the columns
            show_edge=False,
        )
        for column in self._table.columns:
            if column.is_text:
                made.add_column(plain(column.name), overflow="fold")
            else:  # figures are never cut: the words get what these leave
                heading = plain(column.name).replace(" ", "\n")
                made.add_column(heading, justify="right", no_wrap=True)
        for row, cells in zip(self._table.rows, self._table.shown, strict=True):
            lines = (f"{each.text}\n{each.interval.replace(' … ', dots)}" for each in cells)
            style = "bold" if row.marked else None
            made.add_row(*(Text(plain(line.strip())) for line in lines), style=style)
        return made
