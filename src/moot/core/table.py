"""What an analysis returns: tables with typed columns, charts, and what they show."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from moot.core.chart import Chart
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_p,
    format_percent,
)
from moot.core.results import Difference, Mean

SIMULATED = "SIMULATED: no language model takes part in some or all of these arms."
"""What stands above figures that are drawn from several arms at once."""

ColumnKind = Literal["text", "count", "number", "signed", "percent", "points", "p", "money", "time"]
"""What the values of a column are: text; a number of things, with at most one decimal; a number
with or without its sign; a share or a difference of shares, both shown in percent; a probability;
US dollars; or seconds."""

Value: TypeAlias = str | float | Mean | Difference | None
"""What a cell holds. A text is shown as it is in a column of any kind; None is not known."""

_SHOWN: dict[ColumnKind, Callable[[float | None], str]] = {
    "count": format_count,
    "percent": format_percent,
    "points": lambda share: format_percent(share, sign=True),
    "p": format_p,
    "money": format_dollars,
    "time": format_duration,
}


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: its heading; a new line in it is kept.
        kind: what its values are. A column of text is read from the left and sorted as text.
        digits: decimals of a ``number`` or ``signed``; as many as it has, if not given.
        group: the heading that it shares with the columns beside it; empty for none.
    """

    name: str
    kind: ColumnKind = "text"
    digits: int | None = None
    group: str = ""

    @property
    def is_text(self) -> bool:
        """Whether it is read from the left."""
        return self.kind == "text"

    def show(self, number: float | None) -> str:
        """Return a number as this column shows it."""
        if (shown := _SHOWN.get(self.kind)) is not None:
            return shown(number)
        if number is None:
            return "–"
        rounded = number if self.digits is None else round(number, self.digits) or 0.0
        sign = "+" if self.kind == "signed" and rounded else ""
        form = f"{sign}g" if self.digits is None else f"{sign},.{self.digits}f"
        return f"{rounded:{form}}".replace("-", "−")


class Cell(NamedTuple):
    """A value with what is shown besides it.

    Attributes:
        value: what it holds.
        interval: the two ends of an interval, where the value does not have its own.
        mark: what stands right behind the value, such as the sign of the best of a row.
        more: what only a page has room for, in lines.
    """

    value: Value
    interval: str = ""
    mark: str = ""
    more: tuple[str, ...] = ()


class TableRow(NamedTuple):
    """One row.

    Attributes:
        cells: one for each column.
        marked: whether it is what the others are compared with.
        band: the heading that it shares with the rows next to it; empty for none.
    """

    cells: list[Cell | Value]
    marked: bool = False
    band: str = ""


class ShownCell(NamedTuple):
    """A cell in words.

    Attributes:
        text: what it says.
        interval: the two ends of an interval, in the text's unit; empty where there is none.
        more: what only a page has room for, in lines.
        sort: what it is sorted by; None, where it is unknown, comes below every number.
    """

    text: str
    interval: str
    more: tuple[str, ...]
    sort: float | None


class ResultTable(NamedTuple):
    """A table.

    Attributes:
        title: what it is of.
        columns: those of text that name the rows come first.
        rows: in order.
        note: what a reader must know to read it.
        findings: what it shows, in sentences.
        wide: True for a table that only files and pages have room for, not a terminal.
    """

    title: str
    columns: tuple[Column, ...]
    rows: list[TableRow]
    note: str = ""
    findings: tuple[str, ...] = ()
    wide: bool = False

    @property
    def shown(self) -> list[list[ShownCell]]:
        """Every cell in words, row by row."""
        return [list(map(show_cell, self.columns, row.cells)) for row in self.rows]

    @property
    def named_by(self) -> int:
        """How many columns of text stand first: they tell the rows apart."""
        kinds = [column.is_text for column in self.columns]
        return kinds.index(False) if False in kinds else len(kinds)


class Report(NamedTuple):
    """Tables and charts that are read together.

    Attributes:
        title: what they are of.
        about: which run, and how much of it.
        tables: in order.
        notes: what a reader must know to read all of them.
        simulated: True when any figure is of agents that are no language model.
        charts: in order.
        findings: what they show: sentences with n, an interval, and the smallest effect that
            would have shown. Where they can show nothing, the first one says so.
        data: the measured figures behind them, as a struct or plain data, for JSON.
    """

    title: str
    about: str
    tables: list[ResultTable]
    notes: tuple[str, ...] = ()
    simulated: bool = False
    charts: tuple[Chart, ...] = ()
    findings: tuple[str, ...] = ()
    data: Any = None


def make_columns(kind: ColumnKind, *names: str) -> tuple[Column, ...]:
    """Make columns of one kind."""
    return tuple(Column(name, kind) for name in names)


def show_cell(column: Column, cell: Cell | Value) -> ShownCell:
    """Return a cell as its column shows it, with the interval of its value."""
    made = cell if isinstance(cell, Cell) else Cell(cell)
    value, interval = made.value, made.interval
    if isinstance(value, str):
        return ShownCell(value + made.mark, interval, made.more, None)
    if isinstance(value, Mean | Difference):
        if value.low is not None and value.high is not None:
            interval = interval or f"{column.show(value.low)} … {column.show(value.high)}"
        value = value.mean
    return ShownCell(column.show(value) + made.mark, interval, made.more, value)
