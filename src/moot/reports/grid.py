"""A table before it is written: the same columns and rows for every format."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column; one of ``words`` is read from the left, and is sorted as text."""

    name: str
    words: bool = False


def word_columns(*names: str) -> tuple[Column, ...]:
    """Columns of words."""
    return tuple(Column(name, words=True) for name in names)


class Cell(NamedTuple):
    """One cell.

    Attributes:
        text: what it says.
        interval: the two ends of an interval, in the text's unit; empty where there is none.
        more: what only a page has room for, in lines.
        sort: what it is sorted by; None, where it is unknown, comes below every number.
    """

    text: str
    interval: str = ""
    more: tuple[str, ...] = ()
    sort: float | None = None


class Row(NamedTuple):
    """One row; ``marked`` is what the others are compared with."""

    cells: list[Cell]
    marked: bool = False


class Grid(NamedTuple):
    """A table.

    Attributes:
        title: what it is of.
        note: what a reader must know to read it.
        columns: those of words come first; the last of these names the row.
    """

    title: str
    note: str
    columns: tuple[Column, ...]
    rows: list[Row]
