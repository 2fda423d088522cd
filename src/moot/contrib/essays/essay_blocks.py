"""Essay blocks: an essay's Markdown as paragraphs, headings, lists, quotes and tables.

What it quotes keeps what came of it, and what names a passage leads there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from moot.contrib.essays.essay_parts import EssayPiece
from moot.contrib.essays.quoting.quotation_doubts import find_doubt
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import find_references
from moot.extend.words import make_visible

BlockKind = Literal["", "heading", "bullet", "number", "quote", "table"]
STYLES = {
    "found": "",
    "altered": "false",
    "missing": "false",
    "struck": "struck",
    "unshown": "open",
    "unchecked": "open",
}
"""The style of a quotation or figure, by what came of it."""


class EssayRun(NamedTuple):
    """Words in one style.

    Attributes:
        text: the words.
        style: ``false``, ``open`` or ``struck`` for what is not in the evidence; ``mark`` and
            ``soft`` for words of moot; empty for all else.
        quote: the quotation or figure that the words are a part of.
        passages: the numbers that the words name, where they are a reference.
        bold: whether Markdown has them strong.
        italic: whether Markdown has them with emphasis.
    """

    text: str
    style: str = ""
    quote: Quote | None = None
    passages: tuple[int, ...] = ()
    bold: bool = False
    italic: bool = False


class EssayBlock(NamedTuple):
    """A part of an essay that stands by itself.

    Attributes:
        runs: its words; empty for a table.
        kind: what it is; empty for a paragraph.
        level: of a heading, from 1.
        rows: the cells of a table, the head first.
    """

    runs: list[EssayRun]
    kind: BlockKind = ""
    level: int = 0
    rows: tuple[tuple[list[EssayRun], ...], ...] = ()


class _Letter(NamedTuple):
    """A character, and all that it is beside it."""

    sign: str
    quote: Quote | None
    passages: tuple[int, ...]
    bold: bool = False
    italic: bool = False


_Line = list[_Letter]
_STARTS: tuple[tuple[BlockKind, re.Pattern[str]], ...] = (
    ("heading", re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(?=\S)")),
    ("bullet", re.compile(r"\s{0,8}[-*+•][ \t]+(?=\S)")),
    ("number", re.compile(r"\s{0,8}(?=\d{1,3}[.)][ \t]+\S)")),
    ("quote", re.compile(r"[ ]{0,3}>[ \t]?")),
)
"""The marks at the beginning of a line of each kind; they are not shown."""
_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?\s*)?")
"""The line below the head of a table."""
_EMPHASIS = re.compile(
    r"(?<!\\)(\*\*|__)(?=\S)(?P<bold>.+?)(?<=\S)\1(?!\w)"
    r"|(?<![\w\\*])(\*|_)(?=[^\s*_])(?P<italic>[^*_]*[^\s*_])\3(?![\w*])"
)


def list_essay_blocks(pieces: Sequence[EssayPiece], known: Iterable[int]) -> list[EssayBlock]:
    """Return the blocks of an essay.

    Args:
        pieces: its text.
        known: the numbers of the passages to which its references lead; others are words.
    """
    letters = _list_letters(pieces, frozenset(known))
    lines: list[_Line] = [[]]
    for each in letters:
        if each.sign == "\n":
            lines.append([])
        else:
            lines[-1].append(each)
    return list(_arrange(lines))


def _list_letters(pieces: Sequence[EssayPiece], known: frozenset[int]) -> list[_Letter]:
    shown = [(make_visible(each.text), each.quote) for each in pieces]
    quotes = [quote for text, quote in shown for _ in text]
    text = "".join(text for text, _ in shown)
    named: list[tuple[int, ...]] = [()] * len(text)
    for one in find_references(text):
        if set(one.numbers) <= known:
            named[one.start : one.stop] = [one.numbers] * (one.stop - one.start)
    return [_Letter(*each) for each in zip(text, quotes, named, strict=True)]


def _arrange(lines: list[_Line]) -> Iterator[EssayBlock]:
    """Yield the blocks of lines."""
    kept: list[_Line] = []
    kind: BlockKind = ""
    at = 0
    while at < len(lines):
        if rows := _read_table(lines[at:]):
            yield from _end(kept, kind)
            kept = []
            yield EssayBlock([], "table", rows=tuple(map(_split_row, [rows[0], *rows[2:]])))
            at += len(rows)
            continue
        line, at = lines[at], at + 1
        starts, level, rest = _read_start(line)
        if not _text_of(line).strip():
            yield from _end(kept, kind)
            kept = []
        elif starts == "heading":
            yield from _end(kept, kind)
            kept = []
            yield EssayBlock(_make_runs([rest]), "heading", level)
        elif starts in {"bullet", "number"} or (starts != kind and (starts or not kept)):
            yield from _end(kept, kind)
            kept, kind = [rest], starts
        else:
            kept.append(rest)
    yield from _end(kept, kind)


def _end(lines: list[_Line], kind: BlockKind) -> Iterator[EssayBlock]:
    """Yield the block of lines, where there are any."""
    if lines:
        yield EssayBlock(_make_runs(lines), kind)


def _read_start(line: _Line) -> tuple[BlockKind, int, _Line]:
    """Return the kind of a line, the level of a heading, and the line without its mark."""
    text = _text_of(line)
    for kind, pattern in _STARTS:
        if match := pattern.match(text):
            level = len(match[1]) if kind == "heading" else 0
            return kind, level, line[match.end() :]
    return "", 0, line


def _read_table(lines: list[_Line]) -> list[_Line]:
    """Return the lines of the table that begins here; none where none does."""
    if len(lines) < 2 or "|" not in _text_of(lines[0]) or not _RULE.fullmatch(_text_of(lines[1])):
        return []
    ends = (n for n, line in enumerate(lines) if "|" not in _text_of(line))
    return lines[: next(ends, len(lines))]


def _split_row(line: _Line) -> tuple[list[EssayRun], ...]:
    cells: list[_Line] = [[]]
    for each in line:
        if each.sign == "|":
            cells.append([])
        else:
            cells[-1].append(each)
    inner = cells[1:] if not _text_of(cells[0]).strip() else cells
    inner = inner[:-1] if len(inner) > 1 and not _text_of(inner[-1]).strip() else inner
    return tuple(_make_runs([_strip(cell)]) for cell in inner)


def _strip(line: _Line) -> _Line:
    text = _text_of(line)
    return line[len(text) - len(text.lstrip()) : len(text.rstrip())]


def _make_runs(lines: list[_Line]) -> list[EssayRun]:
    """Return lines as runs, without the signs of emphasis."""
    letters = lines[0]
    for line in lines[1:]:
        is_inside = letters and line and letters[-1].quote == line[0].quote
        quote = line[0].quote if is_inside else None
        letters = [*letters, _Letter("\n", quote, ()), *line]
    text = _text_of(letters)
    for match in reversed([*_EMPHASIS.finditer(text)]):
        name = match.lastgroup or ""
        bold, italic = name == "bold", name == "italic"
        for place in range(*match.span(name)):
            letters[place] = letters[place]._replace(bold=bold, italic=italic)
        inside = letters[slice(*match.span(name))]
        letters[slice(*match.span())] = inside
    runs = []
    for key, group in groupby(letters, key=lambda each: each[1:]):
        quote, passages, bold, italic = key
        style = ("open" if find_doubt(quote) else STYLES[quote.state]) if quote else ""
        words = "".join(each.sign for each in group)
        runs.append(EssayRun(words, style, quote, passages, bold, italic))
    return runs


def _text_of(line: _Line) -> str:
    return "".join(each.sign for each in line)


def close_notes(runs: Sequence[EssayRun]) -> list[EssayRun]:
    """Return runs without a space before a reference, for which the number of a footnote stands."""
    following = [*runs, EssayRun("")][1:]
    return [
        run._replace(text=run.text.rstrip(" ")) if after.passages else run
        for run, after in zip(runs, following, strict=True)
    ]


def ends_quote(runs: Sequence[EssayRun], place: int) -> bool:
    """Return whether the run at a place is the last one of its quotation in a block."""
    quote = runs[place].quote
    return quote is not None and all(each.quote != quote for each in runs[place + 1 :])
