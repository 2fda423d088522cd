"""Tables in GitHub's Markdown."""

import re
from collections.abc import Iterable, Iterator

from moot.reports.grid import Cell, Grid
from moot.reports.summary import SIMULATED

_MARKS = re.compile(r"([\\`*_{}\[\]<>#!|~])")
_LINKS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
_MATHS = re.compile(r"\$(?!\d)")
_GAPS = re.compile(r"\n{3,}")  # where a table has no note


def markdown_page(
    title: str,
    about: str,
    grids: Iterable[Grid],
    notes: Iterable[str] = (),
    *,
    simulated: bool,
) -> str:
    """Tables below a title and what they are of, and then the notes to them all."""
    lines = [f"## {escaped(title)}", ""]
    lines += [f"**{SIMULATED}**", ""] if simulated else []
    lines += [escaped(about), ""]
    for grid in grids:
        lines += markdown(grid)
    lines += [f"- {escaped(note)}" for note in notes]
    return _GAPS.sub("\n\n", "\n".join(lines)) + "\n"


def markdown(grid: Grid) -> Iterator[str]:
    """The table with its title and its note, line by line."""
    yield f"### {escaped(grid.title)}"
    yield ""
    yield _row([escaped(column.name) for column in grid.columns])
    yield _row(["---" if column.words else "---:" for column in grid.columns])
    for row in grid.rows:
        yield _row([_cell(cell) for cell in row.cells])
    yield ""
    yield escaped(grid.note)
    yield ""


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell) -> str:
    return escaped(f"{cell.text} ({cell.interval})" if cell.interval else cell.text)


def escaped(text: str) -> str:
    """A text that Markdown shows as it is: no emphasis, link, mathematics, element or new cell."""
    marked = _MARKS.sub(r"\\\1", " ".join(text.split()).replace("&", "&amp;"))
    return _MATHS.sub(r"\\$", _LINKS.sub("<!-- -->", marked))
