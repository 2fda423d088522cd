"""Document blocks: headings, paragraphs and tables of a file, and the parts that they make."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LONGEST_CAPTION = 300
"""Characters of a paragraph that may be the caption of a table beside it."""
LONGEST_CELL = 400
"""Characters of a cell of a table; a table with a longer one divides a page into areas."""
LONGEST_HEADS = 400
"""Characters of all headings above a paragraph; the outermost go first."""
_CAPTION = re.compile(
    r"(?:table|tabelle|tab\.|tableau|tabla|tabella|tabela|tabell|tabel|таблица|表)\s*\d",
    re.IGNORECASE,
)


class DocumentPart(NamedTuple):
    """A part of a document: a paragraph, a table, or all of it.

    Attributes:
        place: follows the document's name; empty where lines of the text are counted instead.
        text: its words; paragraphs stand between blank lines, headings behind a ``#``.
        heads: the headings above it, outermost first, each behind its ``#``.
    """

    place: str
    text: str
    heads: tuple[str, ...] = ()


class Block(NamedTuple):
    """A heading, a paragraph or a table, as it follows in a document.

    Attributes:
        text: its words on one line; empty for a table.
        level: of a heading, from 1; 0 for all else.
        place: where it stands, where that is not its number: ``note 3``, ``page 2``.
        rows: of a table, from above; each cell once.
        is_caption: whether the document says that it is the caption of a table or figure.
    """

    text: str
    level: int = 0
    place: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    is_caption: bool = False


def table_blocks(rows: Sequence[Sequence[Sequence[Block]]]) -> Iterator[Block]:
    """Return a table as a block; as the blocks of its cells where it only divides a page.

    Args:
        rows: the cells of each row, each with its blocks.
    """
    cells = [cell for row in rows for cell in row]
    apart = [block for cell in cells for block in cell if block.rows or block.place]
    words = [
        [" ".join(each.text for each in cell if not (each.rows or each.place)) for cell in row]
        for row in rows
    ]
    longest = max((len(each) for row in words for each in row), default=0)
    is_layout = (
        max(map(len, rows), default=0) < 2
        or longest > LONGEST_CELL
        or any(block.level for cell in cells for block in cell)
    )
    if is_layout:
        yield from (block for cell in cells for block in cell)
        return
    yield Block("", rows=tuple(tuple(row) for row in words if any(row)))
    yield from apart


def join_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return a table's rows, a line each, with a bar between two cells."""
    return "\n".join(" | ".join(row) for row in rows)


_PLAIN = "0123456789+-−=()n"
_RAISED = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ")
_DIGITS = re.compile(rf"[{re.escape(_PLAIN)}]*\d[{re.escape(_PLAIN)}]*")


def raise_digits(text: str) -> str:
    """Return raised text: ``⁶`` for 6; other text with a digit in it behind a ``^``."""
    return _shift(text, _RAISED, "^")


def lower_digits(text: str) -> str:
    """Return lowered text: ``₂`` for 2; other text with a digit in it behind a ``_``."""
    return _shift(text, _LOWERED, "_")


def _shift(text: str, table: dict[int, int], sign: str) -> str:
    bare = text.strip()
    if _DIGITS.fullmatch(bare):
        return bare.translate(table)
    return f"{sign}({bare})" if any(each.isdigit() for each in bare) else text


def join_fraction(before: str, above: str, below: str) -> str:
    """Return a fraction on one line, apart from a number that stands before it.

    Args:
        before: the text that it follows.
        above: what is divided.
        below: by which.
    """
    sides = (each.strip() for each in (above, below))
    made = "/".join(each if re.fullmatch(r"\w*", each) else f"({each})" for each in sides)
    return f" {made}" if before[-1:].isalnum() else made


class HeadingStack:
    """The headings above what follows; one without anything below it is kept for itself."""

    def __init__(self) -> None:
        self._heads: list[tuple[int, str]] = []
        self._unused: set[str] = set()

    def push(self, level: int, head: str) -> list[str]:
        """Begin what a heading is above; return those that it ends, with nothing below them."""
        ended = [text for own, text in self._heads if own >= level]
        self._heads = [each for each in self._heads if each[0] < level]
        left = [text for text in ended if text in self._unused]
        self._unused -= set(ended)
        self._heads.append((level, head))
        self._unused.add(head)
        return left

    def above(self) -> tuple[str, ...]:
        """Return the headings above what follows now, outermost first."""
        heads = [text for _, text in self._heads]
        self._unused -= set(heads)
        while len(heads) > 1 and sum(map(len, heads)) > LONGEST_HEADS:
            heads.pop(0)
        return tuple(heads)

    def end(self) -> list[str]:
        """Return the headings at the end that have nothing below them."""
        return [text for _, text in self._heads if text in self._unused]


def arrange(blocks: Iterable[Block]) -> Iterator[DocumentPart]:
    """Return the parts that blocks make: each with its number and the headings above it.

    A table has its caption, which stands before it or, where none does, behind it.
    """
    listed = [each for each in blocks if each.text.strip() or each.rows]
    captions = _find_captions(listed)
    used = {place for place, _ in captions.values()}
    stack, paragraphs, tables = HeadingStack(), 0, 0
    for at, block in enumerate(listed):
        if block.rows:
            tables += 1
            caption = f"{captions[at][1]}\n" if at in captions else ""
            text = caption + join_rows(block.rows)
            yield DocumentPart(_place(block, f"table {tables}"), text, stack.above())
            continue
        paragraphs += not block.place
        if block.level:
            head = f"{'#' * block.level} {block.text}"
            ended = stack.push(block.level, head)
            place = _place(block, f"before paragraph {paragraphs}")
            yield from (DocumentPart(place, each) for each in ended)
        elif at not in used:
            place = _place(block, f"paragraph {paragraphs}")
            yield DocumentPart(place, block.text, stack.above())
    if heads := stack.end():
        yield DocumentPart(", at the end", "\n\n".join(heads))


def _place(block: Block, number: str) -> str:
    return f", {block.place or number}"


def _find_captions(blocks: Sequence[Block]) -> dict[int, tuple[int, str]]:
    """Return the place and the words of each table's caption, by the table's place."""
    found: dict[int, tuple[int, str]] = {}
    used = set[int]()
    for at, block in enumerate(blocks):
        for near in (at - 1, at + 1) if block.rows else ():
            if near not in used and at not in found and 0 <= near < len(blocks):
                other = blocks[near]
                if is_caption(other.text, marked=other.is_caption) and not other.level:
                    found[at] = near, other.text
                    used.add(near)
    return found


def is_caption(text: str, *, marked: bool = False) -> bool:
    """Return whether a paragraph beside a table is its caption."""
    return len(text) <= LONGEST_CAPTION and (marked or bool(_CAPTION.match(text)))
