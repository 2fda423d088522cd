"""How a table fits a printed page: between the margins of an ``article`` on A4, from 10 to 12 pt.

What is too wide gets its intervals beneath the figures and its names in several lines; what is
still too wide, or too high, becomes several tables. Widths are in ``em`` of the table's letters.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from moot.reports.grid import Cell, Column, Grid, Row

WHOLE, NARROW = 34.0, 39.0
"""How wide a table may be whose cells have one line, and one of smaller letters made narrow."""
LINES = 32
"""How many lines a table may have below its heading."""
NAMES = 8.0
"""The least width of names that stand in several lines."""
APART = 1.3
"""Between two columns of a table whose cells have one line."""
CLOSE = 0.72
"""Between two columns of one that is made narrow."""
SMALL = 0.95
"""The letters of an interval beneath its figure, as a part of the others."""

_LETTERS = {
    **dict.fromkeys("iljtfI.,:;|'!()[]/ ", 0.33),
    **dict.fromkeys("mwMW%@", 0.84),
    **dict.fromkeys("−+=<>→", 0.8),
    "…": 1.2,
}
_CAPITAL, _OTHER = 0.73, 0.53


class Part(NamedTuple):
    """A table that fits, or as much of one as does.

    Attributes:
        grid: its columns and rows.
        names: the width of the names; None where every cell has one line and nothing is narrow.
    """

    grid: Grid
    names: float | None


def parts(grid: Grid) -> Iterator[Part]:
    """The table as it fits a page, in one part or several; only the first has its note."""
    made = list(_parts(grid))
    for number, part in enumerate(made):
        own = part.grid
        yield (
            part
            if not number
            else Part(own._replace(title=f"{grid.title}, continued", note=""), part.names)
        )


def text_width(text: str) -> float:
    """About how wide a text is in Computer Modern."""
    return sum(_LETTERS.get(sign, _CAPITAL if sign.isupper() else _OTHER) for sign in text)


def groups(grid: Grid) -> int:
    """How many columns say what rows have in common: those of words, but for the last."""
    return max(0, sum(column.words for column in grid.columns) - 1)


def places(row: Row, grid: Grid) -> list[str]:
    """What a row has in common with others."""
    return [cell.text for cell in row.cells[: groups(grid)]]


def _parts(grid: Grid) -> Iterator[Part]:
    if _whole(grid) <= WHOLE:
        yield from (Part(part, None) for part in _by_height(grid, [1] * len(grid.rows)))
        return
    for own in _by_width(grid):
        figures = sum(narrow(own, k) + CLOSE for k in range(groups(own) + 1, len(own.columns)))
        names = min(max(NAMES, NARROW - figures), 0.5 + _longest(own, groups(own)))
        for part in _by_height(own, [_height(row, own, names) for row in own.rows]):
            yield Part(part, round(names, 1))


def _whole(grid: Grid) -> float:
    """How wide the table is when every cell has one line."""
    cells = range(len(grid.columns))
    return sum(APART + _longest(grid, k, joined=True) for k in cells)


def _longest(grid: Grid, k: int, *, joined: bool = False) -> float:
    """The widest text of a column, with its interval in the same line where it is joined to it."""
    texts = [grid.columns[k].name] + [
        f"{cell.text} [{cell.interval}]" if joined and cell.interval else cell.text
        for cell in (row.cells[k] for row in grid.rows)
    ]
    return max(map(text_width, texts))


def narrow(grid: Grid, k: int) -> float:
    """How wide a column of figures is with its interval beneath, its heading in several lines."""
    cells: list[Cell] = [row.cells[k] for row in grid.rows]
    heading = max(map(text_width, grid.columns[k].name.split()), default=0.0)
    figures = (max(text_width(c.text), SMALL * text_width(f"[{c.interval}]")) for c in cells)
    return max(heading, *figures) if cells else heading


def _by_width(grid: Grid) -> Iterator[Grid]:
    """The table in parts of so many columns as fit; each has what tells its rows apart."""
    kept = groups(grid) + 1
    if kept < len(grid.columns) - 1 and "%" not in grid.columns[kept].name:
        kept += 1  # a round, or how many samples: it tells rows apart as names do
    fixed = min(NAMES, 0.5 + _longest(grid, groups(grid))) + sum(
        narrow(grid, k) + CLOSE for k in range(groups(grid) + 1, kept)
    )
    chosen: list[list[int]] = [[]]
    room = NARROW - fixed
    for k in range(kept, len(grid.columns)):
        need = narrow(grid, k) + CLOSE
        if need > room and chosen[-1]:
            chosen.append([])
            room = NARROW - fixed
        chosen[-1].append(k)
        room -= need
    for own in chosen:
        yield _columns(grid, [*range(kept), *own])


def _columns(grid: Grid, own: Sequence[int]) -> Grid:
    columns: tuple[Column, ...] = tuple(grid.columns[k] for k in own)
    rows = [row._replace(cells=[row.cells[k] for k in own]) for row in grid.rows]
    return grid._replace(columns=columns, rows=rows)


def _height(row: Row, grid: Grid, names: float) -> int:
    """How many lines a row takes in a narrow table."""
    lines = ceil(1.15 * text_width(row.cells[groups(grid)].text) / names)
    return max(lines, 2 if any(cell.interval for cell in row.cells) else 1)


def _by_height(grid: Grid, heights: Sequence[int]) -> Iterator[Grid]:
    """The table in parts of so many rows as fit, headings of groups counted as lines."""
    starts, taken = [0], 0
    last: list[str] = []
    for number, (row, height) in enumerate(zip(grid.rows, heights, strict=True)):
        where = places(row, grid)
        need = height + 2 * (where != last)
        if taken + need > LINES and number > starts[-1]:
            starts.append(number)
            taken, need = 0, height + 2
        taken, last = taken + need, where
    for start, end in pairwise([*starts, len(grid.rows)]):
        yield grid._replace(rows=grid.rows[start:end])
