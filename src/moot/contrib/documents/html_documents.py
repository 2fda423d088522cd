"""Web pages: the words that a reader of a page sees, in headings, paragraphs and tables."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from moot.contrib.documents.document_blocks import (
    Block,
    join_fraction,
    lower_digits,
    raise_digits,
    table_blocks,
)
from moot.contrib.documents.page_rules import PageRules

Attributes = list[tuple[str, str | None]]

DEEPEST = 16
"""Tables within tables that are told apart; those within are read as paragraphs."""
WIDEST = 64
"""Places of a table that one cell spans at most."""
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd"),
        *("details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer"),
        *("form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "li"),
        *("main", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody"),
        *("td", "tfoot", "th", "thead", "tr", "ul"),
    )
)
_VOID = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    )
)
_UNSEEN = frozenset(
    (
        *("script", "style", "noscript", "template", "head", "title", "iframe", "object", "svg"),
        *("canvas", "audio", "video", "map", "noframes", "noembed", "annotation", "annotation-xml"),
    )
)
"""Elements without words of a page."""
_CONTROLS = frozenset(
    (
        *("select", "option", "optgroup", "datalist", "button", "textarea", "label", "legend"),
        *("output", "progress", "meter"),
    )
)
_DELETED = {"del": "deleted piece", "s": "struck piece", "strike": "struck piece"}
_ASIDE = {"nav": "navigation", "footer": "footer", "aside": "text beside the page"}
_ENDED_BY = {
    "p": _BLOCKS,
    **dict.fromkeys(("li", "dd", "dt"), frozenset(("li", "dd", "dt"))),
    **dict.fromkeys(("td", "th"), frozenset(("td", "th", "tr"))),
    **dict.fromkeys(("option", "optgroup"), frozenset(("option", "optgroup"))),
    "tr": frozenset(("tr",)),
}
"""Elements that end one whose own end may be left out."""
_MARKUP = re.compile(
    r"<(script|style|textarea|title)\b.*?(?:</\1|\Z)"
    r"|(?P<comment><!--(?:-?>|.*?(?:--!?>|\Z)))"
    r"|(?P<open><[a-z](?:=\s*\"[^\"]*(?:\"|\Z)|=\s*'[^']*(?:'|\Z)|[^>])*+\Z|<[!?/][^>]*\Z)"
    r"|<[a-z](?:=\s*\"[^\"]*\"|=\s*'[^']*'|[^>])*+>",
    re.IGNORECASE | re.DOTALL,
)
"""Text as it is, comments, and tags; ``open`` are those that the page ends within."""
_SCRIPTS = frozenset(("sup", "sub"))
_MATH = frozenset(
    (
        *("mi", "mn", "mo", "ms", "mtext", "mrow", "mfrac", "msup", "msub", "msubsup", "msqrt"),
        *("mroot", "mstyle", "mfenced", "munder", "mover", "munderover", "mpadded", "mspace"),
    )
)
_NOTE = re.compile(r"(?:doc-)?(?:foot|end)?notes?\b|endnotes|footnotes", re.IGNORECASE)
_NOTE_MARK = re.compile(r"[\s\[(]*(?:\d{1,3}|[a-z*†‡])[\s\])]*")


class _Span(NamedTuple):
    """An element that is not on the line, or one of a formula.

    Attributes:
        tag: its name.
        starts: where in the words it and each element right within it begin.
        notes: its links to places of the page.
    """

    tag: str
    starts: list[int]
    notes: list[str]


class _Table(NamedTuple):
    """A table that is being read.

    Attributes:
        rows: of cells, each with its blocks.
        caption: what stands in it and in no cell.
        spans: how many rows below each column belong to a cell above.
        open: the cells that were begun in the newest row.
    """

    rows: list[list[list[Block]]]
    caption: list[Block]
    spans: dict[int, int]
    open: list[list[Block]]

    def open_row(self) -> None:
        """Begin a row, with an empty place for each cell from above that reaches into it."""
        self.rows.append([])
        self.open.clear()

    def open_cell(self, named: dict[str, str | None]) -> None:
        """Begin a cell, which stands once; the other places that it spans are empty."""
        if not self.rows:
            self.rows.append([])
        self._fill()
        column = len(self.rows[-1])
        wide, high = (_read_span(named.get(each)) for each in ("colspan", "rowspan"))
        self.rows[-1].append([])
        for place in range(column, column + wide):
            if high > 1:
                self.spans[place] = high - 1
        self.rows[-1] += [[] for _ in range(wide - 1)]
        self.open.append(self.rows[-1][column])

    def _fill(self) -> None:
        row = self.rows[-1]
        while self.spans.get(len(row), 0) > 0:
            self.spans[len(row)] -= 1
            row.append([])


def _read_span(said: str | None) -> int:
    digits = (said or "").strip()[:4]
    return max(1, min(int(digits), WIDEST)) if digits.isdecimal() else 1


class _Page(HTMLParser):
    """Reads a page once from beginning to end."""

    def __init__(self, rules: PageRules, left_out: Counter[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._rules, self._left = rules, left_out
        self._skipped: list[str] = []
        self._words: list[str] = []
        self._level = 0
        self._tables: list[_Table] = []
        self._quoted = 0
        self._forms: list[tuple[int, int]] = []
        self._paragraphs = 0
        self._spans: list[_Span] = []
        self._images: list[Block] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._skipped:
            if len(self._skipped) == 1 and tag in _ENDED_BY.get(self._skipped[0], ()):
                self._skipped = []
            else:
                if tag not in _VOID:
                    self._skipped.append(tag)
                return
        if why := self._why_unseen(tag, dict(attrs)):
            self._left[why] += why != "unseen"
            if tag not in _VOID:
                self._skipped = [tag]
            if tag in _BLOCKS:
                self._flush(tag)
            elif tag in _CONTROLS:
                self._words.append(" ")
            return
        self._open(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            newest = self._skipped[-DEEPEST:]
            if tag in newest:
                del self._skipped[len(self._skipped) - 1 - newest[::-1].index(tag) :]
                return
            if tag not in _BLOCKS or len(self._skipped) > 1:
                return
            self._skipped = []
        self._close(tag)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._words.append(data)

    def handle_comment(self, data: str) -> None:
        self._left["comment"] += bool(data.strip())

    def handle_pi(self, data: str) -> None:
        self._left["comment"] += bool(data.strip("? "))

    def unknown_decl(self, data: str) -> None:
        self._left["CDATA section"] += bool(data)

    def _why_unseen(self, tag: str, named: dict[str, str | None]) -> str:
        """Return why an element is not read; empty for one that is."""
        if tag in _UNSEEN:
            return "unseen"
        if tag in _CONTROLS or (tag == "input" and named.get("type") != "hidden"):
            return "form element"
        if tag in _DELETED:
            return _DELETED[tag]
        is_closed = tag == "dialog" and "open" not in named
        if is_closed or named.keys() & {"hidden", "popover"} or self._rules.hide(tag, named):
            return "hidden element"
        if tag in _ASIDE and not self._quoted:
            named_as = (
                f"{named.get('role') or ''} {named.get('class') or ''} {named.get('id') or ''}"
            )
            return "" if _NOTE.search(named_as) else _ASIDE[tag]
        return ""

    def _open(self, tag: str, named: dict[str, str | None]) -> None:
        if tag == "br":
            self._words.append(" ")
        elif tag == "img":
            if alt := " ".join((named.get("alt") or "").split()):
                self._images.append(Block(f"[Image: {alt}]"))
        elif tag == "q":
            self._words.append("“")
        elif tag == "a" and self._spans and (named.get("href") or "").startswith("#"):
            self._spans[-1].notes.append(named["href"] or "")
        elif tag in _SCRIPTS or tag in _MATH:
            if self._spans:
                self._spans[-1].starts.append(len(self._words))
            if len(self._spans) < DEEPEST:
                self._spans.append(_Span(tag, [len(self._words)], []))
        if tag in _BLOCKS:
            self._open_block(tag, named)

    def _open_block(self, tag: str, named: dict[str, str | None]) -> None:
        self._flush(tag)
        if tag == "table" and len(self._tables) < DEEPEST:
            self._tables.append(_Table([], [], {}, []))
        elif tag == "tr" and self._tables:
            self._tables[-1].open_row()
        elif tag in {"td", "th"} and self._tables:
            self._tables[-1].open_cell(named)
        elif tag == "form":
            self._forms.append((len(self.blocks), self._paragraphs))
        self._quoted += tag in {"blockquote", "figure"}
        self._paragraphs += tag == "p"
        self._level = int(tag[1]) if tag in {"h1", "h2", "h3", "h4", "h5", "h6"} else 0

    def _close(self, tag: str) -> None:
        if tag == "q":
            self._words.append("”")
        elif self._spans and self._spans[-1].tag == tag:
            self._end_span(self._spans.pop())
        if tag not in _BLOCKS:
            return
        self._flush(tag)
        self._level = 0
        self._quoted = max(0, self._quoted - (tag in {"blockquote", "figure"}))
        if tag == "table" and self._tables:
            self._end_table()
        elif tag == "form" and self._forms:
            self._end_form()

    def _end_span(self, span: _Span) -> None:
        """Write on the line what stands above or below it, and leave out the number of a note."""
        first = span.starts[0]
        starts = span.starts[1:] if span.tag in _MATH else [first]
        ends = [*starts[1:], len(self._words)]
        within = ["".join(self._words[a:b]) for a, b in zip(starts, ends, strict=False)]
        if span.tag == "sup" and span.notes and _NOTE_MARK.fullmatch(within[0]):
            within = []
        elif span.tag in _SCRIPTS:
            within = [(raise_digits if span.tag == "sup" else lower_digits)(within[0])]
        elif span.tag == "mfrac" and len(within) == 2:
            within = [join_fraction("".join(self._words[max(0, first - 1) : first]), *within)]
        elif span.tag == "msup" and len(within) == 2:
            within[1] = raise_digits(within[1])
        elif span.tag == "msub" and len(within) == 2:
            within[1] = lower_digits(within[1])
        elif span.tag == "msubsup" and len(within) == 3:
            within[1:] = lower_digits(within[1]), raise_digits(within[2])
        else:
            return
        self._words[first:] = within

    def _end_form(self) -> None:
        """Leave out a form that is no more than that; some pages are one form as a whole."""
        at, before = self._forms.pop()
        own = self.blocks[at:]
        if own and self._paragraphs - before < 2 and not any(b.level or b.rows for b in own):
            del self.blocks[at:]
            self._left["form"] += 1

    def _end_table(self) -> None:
        table = self._tables.pop()
        for block in [*table.caption, *table_blocks(table.rows)]:
            self._add(block)

    def _flush(self, tag: str) -> None:
        words = " ".join("".join(self._words).replace("↩︎", "").replace("↩", "").split())
        self._words, self._spans = [], []
        images, self._images = self._images, []
        if words:
            is_caption = tag == "caption"
            block = Block(words, self._level, is_caption=is_caption)
            if is_caption and self._tables:
                self._tables[-1].caption.append(block)
            else:
                self._add(block)
        for image in images:
            self._add(image)

    def _add(self, block: Block) -> None:
        cells = self._tables[-1].open if self._tables else []
        if cells:
            cells[-1].append(block)
        elif self._tables:
            self._tables[-1].caption.append(block)
        else:
            self.blocks.append(block)

    def finish(self) -> list[Block]:
        """Return all blocks; tables that are not closed end here."""
        self._skipped = []
        self.close()
        self._flush("")
        while self._tables:
            self._end_table()
        return self.blocks


def read_html(content: bytes, left_out: Counter[str]) -> Iterator[Block]:
    """Read the words of a page, without what its readers do not see.

    Args:
        content: its bytes.
        left_out: how many of what were left out is counted in it.
    """
    from bs4.dammit import UnicodeDammit

    text = UnicodeDammit(content, is_html=True).unicode_markup or ""
    page = _Page(PageRules(text), left_out)
    page.feed(_drop_comments(text, left_out))
    yield from page.finish()


def _drop_comments(text: str, left_out: Counter[str]) -> str:
    """Return a page without comments, and without a tag or comment that it ends within."""

    def drop(match: re.Match[str]) -> str:
        if match["comment"] is None and match["open"] is None:
            return match[0]
        left_out["comment"] += bool(match[0].strip("<>!- "))
        return ""

    return _MARKUP.sub(drop, text)
