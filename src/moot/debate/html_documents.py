"""Web pages: the words that a reader of a page sees, in headings, paragraphs and tables."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from moot.debate.document_blocks import Block, table_blocks

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
        *("canvas", "audio", "video", "map"),
    )
)
"""Elements without words of a page."""
_CONTROLS = frozenset(
    (
        *("select", "option", "optgroup", "datalist", "button", "textarea", "label", "legend"),
        *("output", "progress", "meter"),
    )
)
_ASIDE = {"nav": "navigation", "footer": "footer", "aside": "text beside the page"}
_ENDED_BY = {
    "p": _BLOCKS,
    **dict.fromkeys(("li", "dd", "dt"), frozenset(("li", "dd", "dt"))),
    **dict.fromkeys(("td", "th"), frozenset(("td", "th", "tr"))),
    **dict.fromkeys(("option", "optgroup"), frozenset(("option", "optgroup"))),
    "tr": frozenset(("tr",)),
}
"""What ends an element whose end may be left out."""
_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
_SELECTOR = re.compile(r"^\s*\w*([.#][\w-]+)\s*$")
_NOTE = re.compile(r"(?:doc-)?(?:foot|end)?notes?\b|endnotes|footnotes", re.IGNORECASE)
_NOTE_MARK = re.compile(r"[\s\[(]*(?:\d{1,3}|[a-z*†‡])[\s\])]*")


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

    def __init__(self, hidden: frozenset[str], left_out: Counter[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._hidden, self._left = hidden, left_out
        self._skipped: list[str] = []
        self._words: list[str] = []
        self._level = 0
        self._tables: list[_Table] = []
        self._quoted = 0
        self._forms: list[tuple[int, int]] = []
        self._paragraphs = 0
        self._raised: list[int] = []

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
                self._flush(tag)
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

    def unknown_decl(self, data: str) -> None:
        self._left["CDATA section"] += bool(data)

    def _why_unseen(self, tag: str, named: dict[str, str | None]) -> str:
        """Return why an element is not read; empty for one that is."""
        if tag in _UNSEEN:
            return "unseen"
        if tag in _CONTROLS or (tag == "input" and named.get("type") != "hidden"):
            return "form element"
        role, style = named.get("role") or "", named.get("style") or ""
        marks = {f".{name}" for name in (named.get("class") or "").split()}
        marks |= {f"#{named['id']}"} if named.get("id") else set()
        if tag not in {"body", "html"} and (
            "hidden" in named
            or named.get("aria-hidden") == "true"
            or _HIDING.search(style)
            or marks & self._hidden
        ):
            return "hidden element"
        if tag in _ASIDE and not self._quoted:
            named_as = f"{role} {named.get('class') or ''} {named.get('id') or ''}"
            return "" if _NOTE.search(named_as) else _ASIDE[tag]
        return ""

    def _open(self, tag: str, named: dict[str, str | None]) -> None:
        if tag == "br":
            self._words.append(" ")
        elif tag == "img":
            if alt := " ".join((named.get("alt") or "").split()):
                self._flush(tag)
                self._add(Block(f"[Image: {alt}]"))
        elif tag == "q":
            self._words.append("“")
        elif tag == "sup":
            self._raised.append(len(self._words))
        elif tag == "a" and self._raised and (named.get("href") or "").startswith("#"):
            at = self._raised[-1]
            self._raised[-1] = at if at < 0 else -at - 1  # a link within a page: a note's number
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
        elif tag == "sup" and self._raised:
            at = self._raised.pop()
            if at < 0 and _NOTE_MARK.fullmatch("".join(self._words[-at - 1 :])):
                del self._words[-at - 1 :]
        if tag not in _BLOCKS:
            return
        self._flush(tag)
        self._level = 0
        self._quoted = max(0, self._quoted - (tag in {"blockquote", "figure"}))
        if tag == "table" and self._tables:
            self._end_table()
        elif tag == "form" and self._forms:
            self._end_form()

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
        self._words, self._raised = [], []
        if words:
            is_caption = tag == "caption"
            block = Block(words, self._level, is_caption=is_caption)
            if is_caption and self._tables:
                self._tables[-1].caption.append(block)
            else:
                self._add(block)

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
    page = _Page(_find_hidden(text), left_out)
    page.feed(text)
    yield from page.finish()


_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)


def _find_hidden(text: str) -> frozenset[str]:
    """Return the classes and ids that the page's own style hides."""
    found = set[str]()
    for style in _STYLE.finditer(text):
        for rule in _RULE.finditer(style[1]):
            if _HIDING.search(rule[2]):
                named = (_SELECTOR.match(each) for each in rule[1].split(","))
                found |= {match[1] for match in named if match}
    return frozenset(found)
