"""PDF documents: paragraphs, headings and tables, joined over lines, columns and pages.

A PDF has pieces of text with their places. Pieces on one height are a line; lines that follow
closely are a paragraph, which goes on in the next column or page if its sentence does.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from logging import ERROR, getLogger
from typing import Any

from moot import InputError
from moot.contrib.documents.document_blocks import Block

GAP = 1.35
"""Between two lines of a paragraph, in usual distances of lines, at most."""
HEADING = 1.08
"""The size of letters of a heading, in sizes of those of most words, at least."""
LONGEST_HEADING = 200
"""Characters of a heading."""
SHORT = 30
"""Characters of a line at the end of a column that may be a heading, at most."""
CELL = 0.8
"""Between two cells of a row, in sizes of letters, at least; a letter is half of its size wide."""
REPEATED = 0.3
"""The share of pages on which a line at the edge is a running head."""
_PAGE_NUMBER = re.compile(
    r"[-–—\s|]*(?:(?:page|seite|p\.|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:/|of|von|de)\s*\d{1,4})?[-–—\s|]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?:…。！？]['\"”’»)\]\d]*\s*$")
_HYPHEN = re.compile(r"([^\W\d_]+)(\s?)[-‐\u00ad]\s*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEADER = re.compile(r"(?:\.\s?){5,}\s*[\divxlc]{1,5}$", re.IGNORECASE)
_RAISED = re.compile(r"\s*\d{1,3}\s*")
_MARKED = re.compile(r"[^\W\d_]{3}[.,;:”’\"]*\s*$")
"""The characters before the number of a note."""
_FIRST = re.compile(r"[^\W\d_]+")


_Cell = tuple[float, str]
"""Where a cell begins, and its words."""


@dataclass
class _Piece:
    """Letters at one place: from the left, from below, and their size."""

    text: str
    left: float
    height: float
    size: float


@dataclass
class _Line:
    """The pieces on one height."""

    page: int
    pieces: list[_Piece]
    height: float
    size: float

    @property
    def text(self) -> str:
        return " ".join("".join(each.text for each in self.pieces).split())

    @property
    def left(self) -> float:
        return self.pieces[0].left

    @property
    def is_marked(self) -> bool:
        """Whether a small number behind it is that of a note."""
        return bool(_MARKED.search(self.text))

    def has(self, piece: _Piece) -> bool:
        """Return whether a piece goes on with this line."""
        is_level = abs(piece.height - self.height) < self.size * 0.45
        return is_level and piece.left >= self.pieces[-1].left - 1

    def cells(self, starts: Sequence[float] = ()) -> list[_Cell]:
        """Return the parts of the line that stand apart, each with where it begins.

        Args:
            starts: where columns begin.
        """
        found: list[_Cell] = []
        end = 0.0
        for each in self.pieces:
            if not each.text.strip():
                continue
            begins = any(abs(each.left - start) < 0.3 * each.size for start in starts)
            if found and each.left - end < CELL * each.size and not begins:
                found[-1] = found[-1][0], found[-1][1] + each.text
            else:
                found.append((each.left, each.text))
            end = each.left + len(each.text.strip()) * each.size / 2
        return [(left, " ".join(text.split())) for left, text in found]


def read_pdf(content: bytes, left_out: Counter[str]) -> Iterator[Block]:
    """Read the words of a document, without running heads and page numbers.

    Args:
        content: its bytes.
        left_out: how many of what were left out is counted in it.

    Raises:
        InputError: it is encrypted.
    """
    from pypdf import PdfReader

    getLogger("pypdf").setLevel(ERROR)  # what it can repair is nothing for the terminal
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError("it is encrypted with a password")
    pages = [_read_lines(page, number) for number, page in enumerate(reader.pages, 1)]
    lines = _without_edges(pages, left_out)
    if not lines:
        return
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    words = (word for line in lines for word in _WORD.findall(line.text))
    known = Counter(word.casefold() for word in words)
    yield from _join_lines(lines, sizes.most_common(1)[0][0], known)


def _read_lines(page: Any, number: int) -> list[_Line]:  # noqa: ANN401 -- of pypdf
    """Return the lines of a page, in the order in which it has them."""
    lines: list[_Line] = []
    for each in _read_pieces(page):
        line = lines[-1] if lines else None
        if line is None or not line.has(each):
            lines.append(_Line(number, [each], each.height, each.size))
        elif not (each.size < line.size * 0.8 and _RAISED.fullmatch(each.text) and line.is_marked):
            line.pieces.append(each)
            if len(line.text) <= 3:  # a large first letter
                line.size = each.size
    return [line for line in lines if line.text]


def _read_pieces(page: Any) -> list[_Piece]:  # noqa: ANN401 -- of pypdf
    pieces: list[_Piece] = []

    def visit(
        text: str, outer: Sequence[float], inner: Sequence[float], _: object, size: float
    ) -> None:
        if text.strip():
            left = inner[4] * outer[0] + inner[5] * outer[2] + outer[4]
            height = inner[4] * outer[1] + inner[5] * outer[3] + outer[5]
            scale = abs(inner[3] or inner[1] or 1) * abs(outer[3] or outer[1] or 1)
            pieces.append(_Piece(text.replace("\n", " "), left, height, abs(size * scale) or 1.0))
        elif pieces:
            pieces[-1].text += " "

    page.extract_text(visitor_text=visit)
    return pieces


def _without_edges(pages: Sequence[Sequence[_Line]], left_out: Counter[str]) -> list[_Line]:
    """Return the lines of all pages without running heads and page numbers at their edges."""
    edges = [_find_edges(lines) for lines in pages]
    seen = Counter(_fold(line) for found in edges for line in {_fold(e): e for e in found}.values())
    least = max(2, REPEATED * len(pages))
    kept: list[_Line] = []
    for lines, found in zip(pages, edges, strict=True):
        for line in lines:
            at_edge = any(line is each for each in found)
            if at_edge and _PAGE_NUMBER.fullmatch(line.text):
                left_out["page number"] += 1
            elif at_edge and seen[_fold(line)] >= least:
                left_out["running head"] += 1
            elif _LEADER.search(line.text):
                left_out["line of a table of contents"] += 1
            else:
                kept.append(line)
    return kept


def _find_edges(lines: Sequence[_Line]) -> list[_Line]:
    """Return the two highest and the two lowest lines of a page."""
    if len(lines) < 2:
        return []
    ordered = sorted(lines, key=lambda line: -line.height)
    return [*ordered[:2], *ordered[2:][-2:]]


def _fold(line: _Line) -> str:
    return re.sub(r"\d+", "#", line.text).casefold()


def _join_lines(lines: Sequence[_Line], body: float, known: Counter[str]) -> Iterator[Block]:
    """Yield the blocks that lines make."""
    pitch = _find_pitch(lines) or body * 1.2
    larger = {round(each.size, 1) for each in lines if each.size >= body * HEADING}
    sizes = sorted(larger, reverse=True)
    group: list[_Line] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        rows = _find_table(lines, at, pitch)
        if rows or (group and _begins(line, group[-1], pitch, body)):
            yield from _make_block(group, body, sizes, known)
            group = []
        if rows:
            starts = [left for left, _ in rows[0].cells()]
            cells = tuple(tuple(text for _, text in each.cells(starts)) for each in rows)
            yield Block("", place=f"page {line.page}", rows=cells)
            at += len(rows)
        else:
            group.append(line)
            at += 1
    yield from _make_block(group, body, sizes, known)


def _find_pitch(lines: Sequence[_Line]) -> float:
    """Return the usual distance of two lines."""
    distances = Counter(
        round(before.height - line.height, 1)
        for before, line in pairwise(lines)
        if before.page == line.page and 0 < before.height - line.height < 4 * line.size
    )
    return max(distances, key=lambda each: (distances[each], -each), default=0.0)


def _begins(line: _Line, before: _Line, pitch: float, body: float) -> bool:
    """Return whether a line begins another paragraph than the one before it."""
    if abs(line.size - before.size) > 0.06 * body:
        return True
    distance, is_over = before.height - line.height, bool(_ENDS.search(before.text))
    if line.page != before.page or distance < -pitch or distance > 20 * pitch:  # another column
        goes_on = line.text[:1].islower() or bool(_HYPHEN.search(before.text))
        return is_over or (not goes_on and len(before.text) < SHORT)
    indented = line.left - before.left > 0.8 * line.size
    return distance > GAP * pitch or (indented and is_over)


def _find_table(lines: Sequence[_Line], at: int, pitch: float) -> list[_Line]:
    """Return the rows of a table that begins here: lines with cells below one another."""
    first = lines[at].cells()
    if len(first) < 2:
        return []
    rows = [lines[at]]
    for line in lines[at + 1 :]:
        cells = line.cells([left for left, _ in first])
        near = line.page == rows[-1].page and 0 < rows[-1].height - line.height < 3 * pitch
        if not near or len(cells) < 2 or not _are_aligned(first, cells, line.size):
            break
        rows.append(line)
    return rows if len(rows) > 1 else []


def _are_aligned(first: Iterable[_Cell], cells: Iterable[_Cell], size: float) -> bool:
    """Return whether each cell begins below one of the first row, or ends there."""
    places = [(left, left + len(text) * size / 2) for left, text in first]
    return all(
        any(
            abs(left - start) < size or abs(left + len(text) * size / 2 - stop) < 1.5 * size
            for start, stop in places
        )
        for left, text in cells
    )


def _make_block(
    group: Sequence[_Line], body: float, sizes: Sequence[float], known: Counter[str]
) -> Iterator[Block]:
    if not group:
        return
    words = group[0].text
    for line in group[1:]:
        words = _join(words, line.text, known)
    first, last = group[0].page, group[-1].page
    place = f"page {first}" if first == last else f"pages {first}-{last}"
    size = round(group[0].size, 1)
    letters = len(re.findall(r"[^\W\d_]", words))
    is_heading = size >= body * HEADING and len(words) <= LONGEST_HEADING and letters > 1
    level = min(sizes.index(size) + 1, 6) if is_heading and size in sizes else 0
    yield Block(words, level, place=place)


def _join(words: str, more: str, known: Counter[str]) -> str:
    """Return two lines as one; a hyphen between them goes where the document has the whole word.

    Where it says neither, the break of the line stays, so that both can be quoted.
    """
    broken, begins = _HYPHEN.search(words), _FIRST.match(more)
    if not broken or not begins or not begins[0][0].islower():
        return f"{words} {more}"
    first, second = broken[1].casefold(), begins[0].casefold()
    whole = words[: broken.end(1)]
    if known[f"{first}{second}"] or words.rstrip()[-1] == "\u00ad":
        return f"{whole}{more}"
    if broken[2]:  # a dash
        return f"{words} {more}"
    return f"{whole}-{more}" if known[f"{first}-{second}"] else f"{whole}-\n{more}"
