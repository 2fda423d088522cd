"""Published tables beside ours: each value, ours with its interval, and how far they are apart."""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any, NamedTuple

from moot import Cell, Column, Report, ResultTable, TableRow
from moot.contrib.papers.published import OurColumn, OurTable, PublishedTable, Unit
from moot.extend.analyses import Mean
from moot.extend.words import format_percent

OUTSIDE, DOUBT = "†", "‡"
NOTE = (
    f"Published, ours, and ours minus the published value. {OUTSIDE} The published value lies "
    "outside our 95 % interval, which is over our questions alone; – not measured."
)
TICKS_NOTE = (
    "✓ it has the feature, – it has not: published, and as our transcripts show. ≠ They differ."
)
_KINDS: Mapping[str, Any] = {"dollars": "money", "points": "number", "ticks": "tick"}


class Compared(NamedTuple):
    """A published value beside ours.

    Attributes:
        published: as a share, in dollars, in points, or 1 for a tick and 0 for none; None where
            none is printed.
        ours: the value that an analysis gives; None where it gives none.
        low: of our interval; None, as ``high``, where there is none.
        questions: on how many ours is; 0 where unknown.
        doubts: what does not fit in the published value.
    """

    table: str
    row: str
    column: str
    published: float | None
    n: int
    ours: float | None
    low: float | None
    high: float | None
    questions: int
    unit: Unit
    doubts: tuple[str, ...] = ()

    @property
    def difference(self) -> float | None:
        """Ours minus the published value."""
        if self.ours is None or self.published is None:
            return None
        return self.ours - self.published

    @property
    def within(self) -> bool | None:
        """Whether the published value lies within our interval; None where that cannot be said."""
        if self.published is None or self.low is None or self.high is None:
            return None
        return self.low <= self.published <= self.high


def compare_table(
    published: PublishedTable, ours: OurTable, report: Report | None, labels: Mapping[str, str]
) -> list[Compared]:
    """Return every value of a published table beside ours, row by row.

    Args:
        published: the table.
        ours: where the analysis has its values.
        report: what the analysis returned; None where it could not be had.
        labels: what the runs call each dataset, by the paper's names.
    """
    made = []
    for row in published.rows:
        for column in published.columns:
            value = None if report is None else _find(report, ours, row.row, column, labels)
            mean = value if isinstance(value, Mean) else None
            if mean and published.unit == "dollars":
                mean = _price(mean, published.count(row, column))
            made.append(
                Compared(
                    published.table,
                    row.row,
                    column,
                    published.find(row, column),
                    published.count(row, column),
                    mean.mean if mean else value if isinstance(value, int | float) else None,
                    mean.low if mean else None,
                    mean.high if mean else None,
                    mean.questions if mean else 0,
                    published.unit,
                    tuple(published.doubt(row.row, column)),
                )
            )
    return made


def _price(total: Mean, n: int) -> Mean:
    """Return the cost of as many questions as the paper's, by a total of ours."""
    share = n / total.questions if n and total.questions else 1.0
    ends = (None if end is None else share * end for end in (total.mean, total.low, total.high))
    mean, low, high = ends
    return Mean(mean=mean, low=low, high=high, n=total.n, questions=total.questions)


def _find(
    report: Report, ours: OurTable, row: str, column: str, labels: Mapping[str, str]
) -> object:
    """Return the value of an analysis that a published cell has; None where there is none."""
    at = ours.columns.get(column)
    if at is None:
        label = labels.get(ours.stands_for.get(column, column), "")
        group, name = (each.replace("{column}", label) for each in ours.column)
        at = OurColumn((group, name))
    heading = tuple(fill(each, labels) for each in at.heading)
    needed = [fill(each, labels) for each in (*ours.rows.get(row, ()), *at.where)]
    title = (at.title or ours.title).replace("{row}", labels.get(row.partition(": ")[0], ""))
    for table in report.tables:
        if table.title.startswith(str(fill(title, labels))):
            for place, each in enumerate(table.columns):
                if (each.group, each.name) == heading:
                    lines = (line for line in table.rows if _names(line, place, needed))
                    if (found := next(lines, None)) is not None:
                        return _value(found.cells[place])
    return None


def fill(text: str | float, labels: Mapping[str, str]) -> str | float:
    """Return a text with the labels of datasets in the places of their names."""
    if isinstance(text, str):
        for name, label in labels.items():
            text = text.replace(f"{{{name}}}", label)
    return text


def _names(line: TableRow, place: int, needed: Sequence[str | float]) -> bool:
    """Return whether a row is named by all of these: by its band, or by cells before a place."""
    values = [line.band, *map(_value, line.cells[:place])]
    return all(each in values for each in needed)


def _value(cell: object) -> object:
    return cell.value if isinstance(cell, Cell) else cell


def tabulate_beside(
    published: PublishedTable, ours: OurTable, compared: Sequence[Compared], stands: str
) -> ResultTable:
    """Return a table in the paper's form, with three lines for each of its rows.

    Args:
        published: the table.
        ours: where our values are from.
        compared: its values, as of ``compare_table``.
        stands: what stands in for the paper's data; empty for nothing.
    """
    kind = _KINDS.get(published.unit, "percent")
    columns = [Column("value"), *_make_columns(published, kind)]
    wide = len(published.columns)
    rows = []
    for place, row in enumerate(published.rows):
        cells = compared[place * wide : (place + 1) * wide]
        if all(each.published is None and each.ours is None for each in cells):
            continue
        rows += [
            TableRow(["published", *(_show_published(each, kind) for each in cells)], band=row.row),
            TableRow(["ours", *map(_show_ours, cells)], band=row.row, marked=True),
            TableRow(
                ["difference", *(_show_difference(each, kind) for each in cells)], band=row.row
            ),
        ]
    doubts = dict.fromkeys(note for each in compared for note in each.doubts)
    marks = [TICKS_NOTE if kind == "tick" else NOTE, *(f"{DOUBT} {each}" for each in doubts)]
    notes = [*marks, _tell_questions(compared), published.note, ours.note, stands]
    title = f"{published.table[:1].upper()}{published.table[1:]}. {published.title}"
    return ResultTable(title, tuple(columns), rows, note=" ".join(filter(None, notes)))


def _tell_questions(compared: Sequence[Compared]) -> str:
    """Return on how many questions published values and ours are, by their column or row."""
    sizes: dict[str, set[tuple[int, int]]] = {}
    for name in ("column", "row"):
        sizes = {}
        for each in compared:
            if each.n and each.questions:
                sizes.setdefault(getattr(each, name), set()).add((each.n, each.questions))
        if all(len(own) == 1 for own in sizes.values()):
            break
    told = [
        f"{name} {n:,} and {questions:,}"
        for name, own in sizes.items()
        for n, questions in sorted(own)
    ]
    return f"Questions, published and ours: {'; '.join(told)}." if told else ""


def _make_columns(published: PublishedTable, kind: Any) -> list[Column]:  # noqa: ANN401 -- a kind of column
    """Return the paper's columns; headings with a comma share what stands before it."""
    digits = 2 if kind == "number" else None
    made = []
    for name in published.columns:
        group, _, own = name.rpartition(", ")
        made.append(Column(own, kind, digits, group))
    return made


def _show_published(each: Compared, kind: str) -> Cell:
    """Return a published value with the decimals that it has in print, two at most."""
    shown: str | float = "–" if each.published is None else each.published
    if kind == "percent" and each.published is not None:
        shown = format_percent(each.published)
        if not isclose(float(shown), 100 * each.published):
            shown = f"{100 * each.published:.2f}"
    return Cell(shown, mark=DOUBT if each.doubts else "")


def _show_ours(each: Compared) -> Cell:
    if each.low is None or each.high is None:
        return Cell("–" if each.ours is None else each.ours)
    return Cell(Mean(mean=each.ours, low=each.low, high=each.high, questions=each.questions))


def _show_difference(each: Compared, kind: str) -> Cell:
    gap = each.difference
    if gap is None:
        return Cell("–")
    if kind == "percent":
        shown = format_percent(gap, sign=True)
    elif kind == "tick":
        shown = "≠" if gap else ""
    else:
        shown = f"{gap:+,.2f}".replace("-", "−")
    return Cell(shown, mark=OUTSIDE if each.within is False else "")
