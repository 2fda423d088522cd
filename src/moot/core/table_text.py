"""Tables as lines of text, as wide as there is room: figures are never cut, words seldom."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import combining, east_asian_width

from moot.core.display_text import format_things, make_visible

if TYPE_CHECKING:
    from moot.core.table import Column, Report, ResultTable

SIMULATED = "SIMULATED: no language model takes part in some or all of these methods."
"""What stands above figures that are drawn from several arms at once."""
HEADING = 10
"""Characters in a line of a heading above figures; a longer word has a line of its own."""
GAP = 2
"""Spaces between columns."""
SHORTEST = 12
"""Characters of a name in a line of a flat table, at least."""
NAMES = 0.6
"""The share of a line that the columns that name the rows take at most."""
_BREAK = re.compile(r"(?<=[-/=,:;·…])(?=.)")  # where a long word may go on in another line
_SPACE = re.compile(r"[^\S\u00a0]+")  # a no-break space keeps two words in a line


class TextLine(NamedTuple):
    """A line of a report.

    Attributes:
        text: control characters are visible.
        style: what the line is, for colours.
    """

    text: str
    style: Literal["", "title", "heading", "marked", "band", "finding", "note", "warning"] = ""


def lay_out_report(report: "Report", width: int, *, most: int | None = None) -> Iterator[TextLine]:
    """Yield a report: what it is of, what it shows, its tables and notes.

    Tables that only files and pages have room for are left out. A note to several tables stands
    once, below them all.

    Args:
        report: what an analysis returned.
        width: of a line, in characters.
        most: the most rows of a table; all, if not given.
    """
    if report.simulated:
        yield from _lines(SIMULATED, width, "warning")
    yield from _lines(report.title, width, "title")
    yield from _lines(report.about, width)
    for finding in report.findings:
        yield from _lines(finding, width, "finding", bullet="• ")
    shown = report._replace(tables=[table for table in report.tables if not table.wide])
    tables, notes = shown.arranged
    for table in tables:
        yield TextLine("")
        yield from lay_out_table(table, width, most=most)
    if left := [table.title for table in report.tables if table.wide]:
        notes.append(
            f"Not shown here, but by --format markdown, csv and the others: {'; '.join(left)}."
        )
    if report.charts:
        titles = dict.fromkeys(chart.title for chart in report.charts)
        notes.append(f"Figures, by --format svg, pdf, png or html: {'; '.join(titles)}.")
    if notes:
        yield TextLine("")
    for note in notes:
        yield from _lines(note, width, "note")


def lay_out_table(
    table: "ResultTable", width: int, *, most: int | None = None
) -> Iterator[TextLine]:
    """Yield a table with its title, what it shows and its note.

    Intervals stand below their figures; in a flat table beside them, where there is room. Columns
    for which there is no room stand in a further block below, after the names of the rows; those
    that share a heading stay together.

    Args:
        table: a table.
        width: of a line, in characters.
        most: the most rows; all, if not given.
    """
    yield from _lines(table.title, width, "title")
    cut = table._replace(rows=table.rows[:most])
    for number, block in enumerate(_blocks(cut, width)):
        yield from [TextLine("")] * bool(number)
        yield from block
    if left := len(table.rows) - len(cut.rows):
        yield TextLine(f"… {format_things(left, 'further row')}", "note")
    for finding in table.findings:
        yield from _lines(finding, width, "finding", bullet="• ")
    yield from _lines(table.words, width, "note")


def text_width(text: str) -> int:
    """Return how many places of a terminal a text takes: wide characters take two."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(bool(combining(sign)) for sign in text)


def wrap_text(text: str, width: int) -> list[str]:
    """Wrap a text between words; within a word only where it is wider than a line."""
    lines = [""]
    for word in _split_words(text):
        parts, gap = [word], " "
        if text_width(word) > width:
            parts = [part for each in _BREAK.split(word) for part in _split_word(each, width)]
        for part in parts:
            if not lines[-1]:
                lines[-1] = part
            elif text_width(lines[-1] + gap + part) <= width:
                lines[-1] += gap + part
            else:
                lines.append(part)
            gap = ""
    return lines


def _split_words(text: str) -> list[str]:
    """Split a text at its spaces, but for those that keep two words in a line."""
    return [word for word in _SPACE.split(text) if word]


def _split_word(word: str, width: int) -> list[str]:
    """Cut a word that has no place to break into pieces of a width."""
    pieces = [""]
    for sign in word:
        if pieces[-1] and text_width(pieces[-1] + sign) > width:
            pieces.append("")
        pieces[-1] += sign
    return pieces


def _lines(text: str, width: int, style: str = "", *, bullet: str = "") -> Iterator[TextLine]:
    indent = " " * len(bullet)
    for paragraph in make_visible(text).split("\n"):
        for number, line in enumerate(wrap_text(paragraph, width - len(bullet))):
            if line:
                yield TextLine((indent if number else bullet) + line, style)  # type: ignore[arg-type]


class _TextColumn(NamedTuple):
    """A column in words: lines of its heading and of each cell, and the widths it can have."""

    column: "Column"
    heading: list[str]
    cells: list[list[str]]
    least: int
    most: int

    def lay_out(self, lines: Sequence[str], width: int) -> list[str]:
        """Return lines of this column, each as wide as it is."""
        if self.column.is_text:
            lines = [part for line in lines for part in wrap_text(line, width)]
            return [line + " " * (width - text_width(line)) for line in lines]
        return [" " * (width - text_width(line)) + line for line in lines]


def _blocks(table: "ResultTable", width: int) -> Iterator[Iterator[TextLine]]:
    """Yield the table in as few blocks as there is room for, each with the names of the rows."""
    for apart, dots in ((" ", "…"),) * table.flat + (("\n", " … "), ("\n", "…")):
        columns = _read_columns(table, dots, apart)
        if apart == " ":
            named, others = columns[: table.named_by], columns[table.named_by :]
            columns = [*_narrow(named, width - GAP - _least(others), SHORTEST), *others]
        if _least(columns) <= width:
            yield _block(table, columns, width)
            return
    columns = _read_columns(table, "…")
    named = _narrow(columns[: table.named_by], int(NAMES * width))
    others = columns[len(named) :]
    room = width - _least(named)
    for places in pack_columns(
        [each.column.group for each in others], [GAP + each.least for each in others], room
    ):
        yield _block(table, [*named, *(others[place] for place in places)], width)


def _narrow(columns: Sequence[_TextColumn], room: int, least: int = 1) -> list[_TextColumn]:
    """Return columns of names that fit, where a word in a name is wider than there is room for.

    None becomes narrower than ``least``.
    """
    made = list(columns)
    while _least(made) > room:
        widest = max(made, key=lambda each: each.least)
        if widest.least <= least:
            break
        made[made.index(widest)] = widest._replace(least=widest.least - 1)
    return made


def pack_columns(groups: Sequence[str], widths: Sequence[int], room: int) -> list[list[int]]:
    """Return the places of columns in as few blocks as have room for them, in order.

    Columns that share a heading stay together where a block has room for them.

    Args:
        groups: the heading that each column shares; empty for none.
        widths: of the columns.
        room: of a block.
    """
    blocks: list[list[int]] = [[]]
    for group, shared in groupby(range(len(widths)), lambda place: groups[place]):
        together = list(shared)
        whole = bool(group) and sum(widths[place] for place in together) <= room
        for part in [together] if whole else [[place] for place in together]:
            if blocks[-1] and sum(widths[place] for place in [*blocks[-1], *part]) > room:
                blocks.append([])
            blocks[-1] += part
    return blocks


def _least(columns: Sequence[_TextColumn]) -> int:
    """Return the least width of columns beside each other."""
    return sum(each.least for each in columns) + GAP * (len(columns) - 1)


def _read_columns(table: "ResultTable", dots: str, apart: str = "\n") -> list[_TextColumn]:
    """Return the columns in words.

    Args:
        table: of which they are.
        dots: what stands between the two ends of an interval.
        apart: what stands between a figure and its interval.
    """
    shown = [
        [
            make_visible(
                c.line.replace(" … ", dots)
                if apart == " "
                else f"{c.text}\n{c.interval.replace(' … ', dots)}".strip()
            )
            for c in cells
        ]
        for cells in table.shown
    ]
    columns = []
    for place, column in enumerate(table.columns):
        cells = [cells[place].split("\n") for cells in shown]
        heading = [
            part
            for words in make_visible(column.shown).split("\n")
            for part in (
                [words] if column.is_text else wrap(words, HEADING, break_long_words=False)
            )
        ]
        lines = [line for cell in (heading, *cells) for line in cell]
        most = max(map(text_width, lines), default=0)
        words = [word for line in lines for word in _split_words(line)]
        least = max(map(text_width, words), default=0) if column.is_text else most
        columns.append(_TextColumn(column, heading, cells, least, most))
    return columns


def _block(table: "ResultTable", columns: Sequence[_TextColumn], width: int) -> Iterator[TextLine]:
    """Yield some columns of a table."""
    spare, wanted = width - _least(columns), [each.most - each.least for each in columns]
    widths = [
        each.least + min(more, max(0, spare) * more // (sum(wanted) or 1))
        for each, more in zip(columns, wanted, strict=True)
    ]
    shown = table._replace(columns=tuple(each.column for each in columns))
    if groups := shown.groups:
        widths = _widen(groups, widths)
        yield TextLine(_heading_of_groups(groups, widths), "heading")
    heads = [each.lay_out(each.heading, n) for each, n in zip(columns, widths, strict=True)]
    high = max(map(len, heads), default=0)
    heads = [[" " * n] * (high - len(h)) + h for h, n in zip(heads, widths, strict=True)]
    for line in _beside(heads, widths):
        yield TextLine(line, "heading")
    yield TextLine("─" * (sum(widths) + GAP * (len(widths) - 1)))
    band = ""
    for number, row in enumerate(table.rows):
        if row.band != band:
            band = row.band
            yield from _lines(band, width, "band")
        cells = [
            each.lay_out(each.cells[number], n) for each, n in zip(columns, widths, strict=True)
        ]
        for line in _beside(cells, widths):
            yield TextLine(line, "marked" if row.marked else "")


def _beside(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of cells beside each other."""
    for number in range(max(map(len, cells), default=0)):
        parts = [
            cell[number] if number < len(cell) else " " * width
            for cell, width in zip(cells, widths, strict=True)
        ]
        yield (" " * GAP).join(parts).rstrip()


def _widen(groups: Sequence[tuple[str, int]], widths: Sequence[int]) -> list[int]:
    """Return the widths, with room for the headings that columns share."""
    made, first = list(widths), 0
    for name, number in groups:
        lacking = (
            text_width(make_visible(name)) - sum(made[first : first + number]) - GAP * (number - 1)
        )
        made[first + number - 1] += max(0, lacking)
        first += number
    return made


def _heading_of_groups(groups: Sequence[tuple[str, int]], widths: Sequence[int]) -> str:
    parts, first = [], 0
    for name, number in groups:
        span = sum(widths[first : first + number]) + GAP * (number - 1)
        first += number
        text = make_visible(name)
        room = span - text_width(text)
        if not text or room < 4:
            parts.append(text + " " * room)
        else:
            side = (room - 2) // 2
            parts.append("─" * side + f" {text} " + "─" * (room - 2 - side))
    return (" " * GAP).join(parts).rstrip()
