"""Tables for the terminal, as wide as it is: figures are never cut, words only between words."""

from collections import Counter
from textwrap import wrap
from typing import TYPE_CHECKING

from moot.core.display_text import make_visible
from moot.core.table import SIMULATED, Report, ResultTable

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


def show_report(report: Report) -> "RenderableType":
    """Put the tables below each other, but for those that a terminal has no room for.

    A note to several tables stands once, below them all.
    """
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = [Text(make_visible(report.about)), Text()]
    if report.simulated:
        shown.insert(0, Text(SIMULATED, style="bold yellow"))
    tables = [table for table in report.tables if not table.wide]
    times = Counter(table.note for table in tables)
    for table in tables:
        own = table if times[table.note] == 1 else table._replace(note="")
        shown += [show_table(own), Text()]
    notes = [note for note in times if times[note] > 1 and note]
    notes += report.notes
    return Group(*shown, *(Text(make_visible(note), style="dim") for note in notes))


def show_table(table: ResultTable) -> "RenderableType":
    """Show a table with its title, what it shows and its note, intervals below their figures."""
    from rich.console import Group
    from rich.text import Text

    note = [Text(make_visible(table.note), style="dim")] * bool(table.note)
    return Group(_Fitted(table), *(Text(make_visible(each)) for each in table.findings), *note)


class _Fitted:
    """The table alone; where words would be broken, it is made narrower."""

    def __init__(self, table: ResultTable) -> None:
        self._table = table

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        made = self._make(options.max_width, " … ", heading=10)
        made = made or self._make(options.max_width, "…", heading=1, force=True)
        assert made is not None
        yield made

    def _make(
        self, room: int, dots: str, *, heading: int, force: bool = False
    ) -> "rich.table.Table | None":
        """Return the table, at most ``room`` wide; None where that would break a word.

        Args:
            room: the width of the terminal, in characters.
            dots: the text between the two ends of an interval.
            heading: the most characters in a line of a heading above figures; a longer word has a
                line of its own.
            force: whether to break words, so that there always is a table.
        """
        from rich import box
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        made = Table(
            title=Text(make_visible(self._table.title), style="bold"),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=0,  # the box itself parts the columns
            show_edge=False,
        )
        rows = [
            [
                make_visible(f"{each.text}\n{each.interval.replace(' … ', dots)}".strip())
                for each in cells
            ]
            for cells in self._table.shown
        ]
        least, most = {}, {}
        for k, column in enumerate(self._table.columns):
            lines = [
                part
                for words in make_visible(column.name).split("\n")
                for part in wrap(words, heading, break_long_words=False)
            ]
            texts = [make_visible(column.name) if column.is_text else "\n".join(lines)]
            texts += [row[k] for row in rows]
            most[k] = max(cell_len(line) for text in texts for line in text.split("\n"))
            if column.is_text:
                made.add_column(texts[0], overflow="fold")
                least[k] = max(
                    (cell_len(word) for text in texts for word in text.split()), default=0
                )
            else:  # figures are never cut: the words get what these leave
                made.add_column(texts[0], justify="right", no_wrap=True)
        spare = room - (len(most) - 1) - sum(most[k] for k in most if k not in least)
        spare -= sum(least.values())
        if spare < 0 and not force:
            return None
        if 0 <= spare < (wanted := sum(most[k] - least[k] for k in least)):
            for k, width in least.items():
                made.columns[k].width = width + spare * (most[k] - width) // wanted
        for row, cells in zip(self._table.rows, rows, strict=True):
            made.add_row(*map(Text, cells), style="bold" if row.marked else None)
        return made
