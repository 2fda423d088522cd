"""Reports and tables in the terminal, as wide as it is."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from moot.core.table import Report, ResultTable
from moot.core.table_text import TextLine, lay_out_report, lay_out_table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_STYLES = {
    "title": "bold",
    "heading": "bold",
    "marked": "bold",
    "band": "italic",
    "note": "dim",
    "warning": "bold yellow",
}


def show_report(report: Report, *, most: int | None = None) -> "RenderableType":
    """Show what a report finds and its tables, but for those a terminal has no room for.

    Args:
        report: what an analysis returned.
        most: the most rows of a table; all, if not given.
    """
    return _Fitted(lambda width: lay_out_report(report, width, most=most))


def show_table(table: ResultTable) -> "RenderableType":
    """Show a table with its title, what it shows and its note, intervals below their figures."""
    return _Fitted(lambda width: lay_out_table(table, width))


class _Fitted:
    """Lines that are laid out for the width of the terminal."""

    def __init__(self, lay_out: Callable[[int], Iterable[TextLine]]) -> None:
        self._lay_out = lay_out

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.text import Text

        for line in self._lay_out(options.max_width):
            yield Text(
                line.text, style=_STYLES.get(line.style, ""), no_wrap=True, overflow="ignore"
            )
