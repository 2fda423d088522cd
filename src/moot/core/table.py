"""What an analysis returns: tables with typed columns, charts, and what they show."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from moot.core.chart import Chart
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_p,
    format_percent,
    format_things,
)
from moot.core.notebook_display import make_pandas, make_polars, render_html
from moot.core.results import Difference, Mean
from moot.core.table_text import lay_out_report
from moot.core.worth import MethodVerdict

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

ColumnKind = Literal[
    "text", "count", "number", "signed", "percent", "points", "p", "money", "time", "tick"
]
"""What the values of a column are: text; a number of things, with at most one decimal; a number
with or without its sign; a share or a difference of shares, both shown in percent; a probability;
US dollars; seconds; or True and False, shown as a tick and a dash."""

Value: TypeAlias = str | float | Mean | Difference | None
"""What a cell holds. A text is shown as it is in a column of any kind; None is not known."""

FieldKind = Literal["text", "whole", "real", "truth"]
"""What the values of one field of records are; any of them may be None."""

Record: TypeAlias = dict[str, str | float | bool | None]
"""A row as plain data, by field."""

_SHOWN: dict[ColumnKind, Callable[[float | None], str]] = {
    "count": format_count,
    "percent": format_percent,
    "points": lambda share: format_percent(share, sign=True),
    "p": format_p,
    "money": format_dollars,
    "time": format_duration,
    "tick": lambda has: "✓" if has else "–",
}
_FIELDS: dict[ColumnKind, FieldKind] = {"text": "text", "tick": "truth"}

REACH = "±"
"""The sign before the distance from a value to the farther end of its interval."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: of its field in files. It is the heading, too, where ``head`` is empty; a new line in
            it is kept.
        kind: what its values are. A column of text is read from the left and sorted as text.
        digits: decimals of a ``number`` or ``signed``; as many as it has, if not given.
        group: the heading that it shares with the columns beside it; empty for none.
        reach: whether an interval is shown as ± the distance to its farther end.
        head: its heading for people, where that is another than the name of the field.
        about: one explanation of the heading, without a full stop; empty where it needs none.
    """

    name: str
    kind: ColumnKind = "text"
    digits: int | None = None
    group: str = ""
    reach: bool = False
    head: str = ""
    about: str = ""

    @property
    def is_text(self) -> bool:
        """Whether it is read from the left."""
        return self.kind == "text"

    @property
    def shown(self) -> str:
        """Its heading for people; a new line in it is kept."""
        return self.head or self.name

    @property
    def heading(self) -> str:
        """Its heading for people on one line, after that of its group."""
        return self._on_one_line(self.shown)

    @property
    def field(self) -> str:
        """The name of its field in files: without a last ``%``, since a share is from 0 to 1."""
        return self._on_one_line(self.name).removesuffix(" %")

    def _on_one_line(self, own: str) -> str:
        own = " ".join(own.split())
        return f"{self.group}: {own}" if self.group else own

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
        debate: the run, arm, dataset, question and replicate of the debate that it is of, to whose
            page a server's page leads from here; empty for none.
        sign: what stands before a text and says the same to the eye, such as ▲ before "better".
    """

    value: Value
    interval: str = ""
    mark: str = ""
    more: tuple[str, ...] = ()
    debate: tuple[str, str, str, str, int] | tuple[()] = ()
    sign: str = ""


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
        text: what it says, its sign included.
        interval: the two ends of an interval, or ± and the farther one, in the text's unit; empty
            where there is none.
        more: what only a page has room for, in lines.
        sort: what it is sorted by; None, where it is unknown, comes below every number.
        debate: as of ``Cell``.
        sign: as of ``Cell``.
    """

    text: str
    interval: str
    more: tuple[str, ...]
    sort: float | None
    debate: tuple[str, str, str, str, int] | tuple[()] = ()
    sign: str = ""

    @property
    def word(self) -> str:
        """The text without its sign."""
        return self.text.removeprefix(self.sign).strip()

    @property
    def line(self) -> str:
        """The text and its interval on one line."""
        if not self.interval:
            return self.text
        plain = self.interval.startswith(REACH)
        return f"{self.text} {self.interval}" if plain else f"{self.text} ({self.interval})"


class ResultTable(NamedTuple):
    """A table.

    Attributes:
        title: what it is of.
        columns: those of text that name the rows come first.
        rows: in order.
        note: what a reader must know to read it.
        findings: what it shows, in sentences.
        wide: True for a table that only files and pages have room for, not a terminal.
        leads: whether it stands open at the top of a run's page; others are folded there. The first
            of these stands before the chart.
        flat: whether intervals stand beside their figures where there is room, so that each row is
            a line.
    """

    title: str
    columns: tuple[Column, ...]
    rows: list[TableRow]
    note: str = ""
    findings: tuple[str, ...] = ()
    wide: bool = False
    leads: bool = False
    flat: bool = False

    @property
    def shown(self) -> list[list[ShownCell]]:
        """Every cell in words, row by row."""
        return [list(map(show_cell, self.columns, row.cells)) for row in self.rows]

    @property
    def words(self) -> str:
        """The explanations of its headings, and its note."""
        told = {column.heading: column.about for column in self.columns if column.about}
        return " ".join([*(f"{head}: {about}." for head, about in told.items()), self.note]).strip()

    @property
    def named_by(self) -> int:
        """How many columns of text stand first: they tell the rows apart."""
        kinds = [column.is_text for column in self.columns]
        return kinds.index(False) if False in kinds else len(kinds)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings that columns share, each with their number; empty where none has one."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = column.group, found[-1][1] + 1
            else:
                found.append((column.group, 1))
        return found if any(name for name, _ in found) else []

    @property
    def fields(self) -> dict[str, FieldKind]:
        """The fields of ``records`` with what their values are, in order."""
        found: dict[str, FieldKind] = {"band": "text"} if any(r.band for r in self.rows) else {}
        found |= {name: kind for name, kind, _, _ in self._read_columns()}
        return found | ({"marked": "truth"} if any(row.marked for row in self.rows) else {})

    @property
    def records(self) -> list[Record]:
        """The rows as plain data.

        Each column is a field; an interval stands beside it in ``… low`` and ``… high`` with
        ``… n``, the number of debates. Shares are from 0 to 1. A text
        among figures is None.
        """
        known, columns = self.fields, list(self._read_columns())
        every = [
            {name: _read_cell(row.cells[place], kind, part) for name, kind, place, part in columns}
            | {"band": row.band, "marked": row.marked}
            for row in self.rows
        ]
        return [{name: each[name] for name in known} for each in every]

    def to_pandas(self) -> "pd.DataFrame":
        """Return ``records`` as a data frame. Raises ``InputError`` without pandas."""
        return make_pandas(self.records)

    def to_polars(self) -> "pl.DataFrame":
        """Return ``records`` as a data frame. Raises ``InputError`` without polars."""
        return make_polars(self.records)

    def _repr_html_(self) -> str:
        return render_html(self)

    def _read_columns(self) -> Iterator[tuple[str, FieldKind, int, str]]:
        """Yield each field of the columns: name, kind, number of the column, part of its value."""
        taken = {"band", "marked"}
        for place, column in enumerate(self.columns):
            name, number = column.field, 2
            while name in taken:
                name, number = f"{column.field} {number}", number + 1
            taken.add(name)
            yield name, _FIELDS.get(column.kind, "real"), place, ""
            cells = [row.cells[place] for row in self.rows]
            if any(isinstance(_value_of(cell), Mean | Difference) for cell in cells):
                yield f"{name} low", "real", place, "low"
                yield f"{name} high", "real", place, "high"
                yield f"{name} n", "whole", place, "n"
            elif any(isinstance(cell, Cell) and cell.interval for cell in cells):
                yield f"{name} interval", "text", place, "interval"


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
        verdicts: of each debate, whether it is worth its tokens; None in a report of anything else.
    """

    title: str
    about: str
    tables: list[ResultTable]
    notes: tuple[str, ...] = ()
    simulated: bool = False
    charts: tuple[Chart, ...] = ()
    findings: tuple[str, ...] = ()
    data: Any = None
    verdicts: tuple[MethodVerdict, ...] | None = None

    def __repr__(self) -> str:
        """Return what it is of, and how much of it there is, in one line."""
        tables, charts = len(self.tables), len(self.charts)
        parts = format_things(tables, "table"), format_things(charts, "chart")
        return f"Report({self.title!r}, {', '.join(parts)}{', simulated' * self.simulated})"

    def _repr_html_(self) -> str:
        return render_html(self)

    def to_pandas(self) -> "dict[str, pd.DataFrame]":
        """Return each table as a data frame, by its title. Raises ``InputError`` without pandas."""
        return {table.title: table.to_pandas() for table in self.tables}

    def to_polars(self) -> "dict[str, pl.DataFrame]":
        """Return each table as a data frame, by its title. Raises ``InputError`` without polars."""
        return {table.title: table.to_polars() for table in self.tables}

    @property
    def arranged(self) -> tuple[list[ResultTable], list[str]]:
        """The tables without what another one says, and the notes below them all.

        Each heading is explained in the first table that has it. A note that several tables have
        stands before the report's own.
        """
        times = Counter(table.note for table in self.tables)
        told: set[tuple[str, str]] = set()
        tables = []
        for table in self.tables:
            columns = tuple(
                column._replace(about="") if (column.shown, column.about) in told else column
                for column in table.columns
            )
            told.update((column.shown, column.about) for column in columns)
            note = table.note if times[table.note] == 1 else ""
            tables.append(table._replace(columns=columns, note=note))
        return tables, [note for note in times if note and times[note] > 1] + list(self.notes)

    def __str__(self) -> str:
        """Return it as text of 80 columns."""
        return "\n".join(line.text for line in lay_out_report(self, 80))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data: tables with typed values, charts, findings, data."""
        verdicts = {"verdicts": msgspec.to_builtins(self.verdicts)}
        return {
            "title": self.title,
            "about": self.about,
            "simulated": self.simulated,
            "findings": list(self.findings),
            **({} if self.verdicts is None else verdicts),
            "tables": [_table_as_data(table) for table in self.tables],
            "charts": [chart._asdict() | {"plot": _as_data(chart.plot)} for chart in self.charts],
            "notes": list(self.notes),
            "data": msgspec.to_builtins(self.data, str_keys=True),
        }


_LOOKS = {"reach", "sign", "head", "about"}
"""Fields that say only what people see of a value; plain data is without them."""


def _table_as_data(table: ResultTable) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": list(map(_as_data, table.columns)),
        "rows": [row._asdict() | {"cells": list(map(_as_data, row.cells))} for row in table.rows],
        "note": table.words,
        "findings": list(table.findings),
    }


def _as_data(value: object) -> object:
    """Return tuples with names, and what they hold, as mappings."""
    as_dict: Callable[[], Mapping[str, object]] | None = getattr(value, "_asdict", None)
    if as_dict is not None:
        return {name: _as_data(each) for name, each in as_dict().items() if name not in _LOOKS}
    return msgspec.to_builtins(value)


def make_columns(kind: ColumnKind, *names: str) -> tuple[Column, ...]:
    """Make columns of one kind."""
    return tuple(Column(name, kind) for name in names)


def show_cell(column: Column, cell: Cell | Value) -> ShownCell:
    """Return a cell as its column shows it, with the interval of its value."""
    made = cell if isinstance(cell, Cell) else Cell(cell)
    value, interval = made.value, made.interval
    if isinstance(value, str):
        text = f"{made.sign}\u00a0{value}{made.mark}" if made.sign else value + made.mark
        return ShownCell(text, interval, made.more, None, made.debate, made.sign)
    if isinstance(value, Mean | Difference):
        interval = interval or _show_interval(column, value)
        value = value.mean
    return ShownCell(column.show(value) + made.mark, interval, made.more, value, made.debate)


def _show_interval(column: Column, value: Mean | Difference) -> str:
    """Return the interval of a value as its column shows it; empty where there is none."""
    mean, low, high = value.mean, value.low, value.high
    if mean is None or low is None or high is None:
        return ""
    if column.reach:
        return f"{REACH} {column.show(max(mean - low, high - mean))}"
    return f"{column.show(low)} … {column.show(high)}"


def _value_of(cell: Cell | Value) -> Value:
    return cell.value if isinstance(cell, Cell) else cell


def _read_cell(cell: Cell | Value, kind: FieldKind, part: str) -> str | float | None:
    """Return a part of a cell as plain data: its value, an end of its interval, or its number."""
    if part == "interval":
        return cell.interval or None if isinstance(cell, Cell) else None
    value = _value_of(cell)
    if isinstance(value, Mean | Difference):
        size = value.n if isinstance(value, Mean) else value.pairs
        return {"": value.mean, "low": value.low, "high": value.high, "n": size}[part]
    if part or (isinstance(value, str) and kind != "text"):
        return None
    if value is None:
        return None
    return str(value) if kind == "text" else bool(value) if kind == "truth" else value
