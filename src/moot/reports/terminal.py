"""Reports and tables in the terminal, as wide as it is."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from moot.core.display_text import make_visible
from moot.core.table import Report, ResultTable
from moot.core.table_text import TextLine, lay_out_report, lay_out_table, wrap_text

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


def show_ending(
    report: Report, forms: Sequence[ResultTable], rest: str, *, lines: int
) -> "RenderableType":
    """Show an answer in one sentence, and below it the fullest form of one table that fits.

    Args:
        report: the answer, as its findings.
        forms: the forms of the table, the fullest first.
        rest: what is said of rows for which there is no room.
        lines: for all of it.
    """
    return _Fitted(lambda width: _lay_out_ending(report, forms, rest, width, lines))


def _lay_out_ending(
    report: Report, forms: Sequence[ResultTable], rest: str, width: int, lines: int
) -> list[TextLine]:
    bare = report._replace(title="", about="", tables=[], notes=(), charts=(), findings=())
    answer = list(lay_out_report(bare, width))
    said = make_visible(report.findings[0]) if report.findings else ""
    answer += [TextLine(line, "marked") for line in wrap_text(said, width) if line]
    for form in forms:
        table = list(lay_out_table(form._replace(title=""), width))
        if len(answer) + len(table) <= lines:
            return answer + table
    if not forms:
        return answer[:lines]
    room = len(forms[-1].rows)
    while room > 1:
        room -= 1
        cut = choose_rows(forms[-1], room, rest)
        table = list(lay_out_table(cut, width))
        if len(answer) + len(table) <= lines:
            break
    return answer + table


def choose_rows(table: ResultTable, most: int, rest: str) -> ResultTable:
    """Return a table of the rows that others are compared with, and of those that are highest.

    Args:
        table: with figures; the first column of them is what rows are chosen by.
        most: rows.
        rest: what is said of the others.
    """
    place = table.named_by
    high = [cells[place].sort if place < len(cells) else None for cells in table.shown]
    order = sorted(
        range(len(table.rows)), key=lambda n: (not table.rows[n].marked, -(high[n] or 0.0))
    )
    kept = sorted(order[:most])
    said = f"The highest {len(kept)} of {len(table.rows)} rows; {rest}. "
    return table._replace(title="", rows=[table.rows[n] for n in kept], note=said + table.note)


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
