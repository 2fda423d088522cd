"""An essay with how it came about: as one HTML file, as Markdown, and in a terminal.

Everything that comes from models and documents is text: each value is neutralised by
``make_visible`` and escaped as it is written. The page has no script, and its content security
policy allows none, and no style but its own, by hash.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from moot.contrib.essays import essay_parts as parts
from moot.contrib.essays.citations import Citations, CitationStyle
from moot.contrib.essays.essay_blocks import EssayRun, close_notes, list_essay_blocks
from moot.contrib.essays.essay_parts import EssayPiece
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import find_references
from moot.contrib.essays.shown_numbers import ShownNumbers
from moot.contrib.essays.team import claim_beside, label
from moot.contrib.essays.written import Written
from moot.extend.calls import environment, escape_markdown
from moot.extend.records import Passage, describe_settings
from moot.extend.words import make_visible

if TYPE_CHECKING:
    from jinja2 import Environment

_BEGIN, _END = "\ue000", "\ue001"
"""Stand for the marks of what is struck while a text is escaped; no text keeps them."""
_NOTE, _NOTE_END = "\ue002", "\ue003"
"""Likewise for the marks of a footnote's number."""
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_BEGINS = re.compile(r"^(\d{0,9})([-+=.)])")
_ESCAPED_HEADING = re.compile(r"^((?:\\#){1,6}) +(\S.*?)\\?$", re.MULTILINE)


def essay_page(written: Written, style: CitationStyle | None = None) -> str:
    """Return the page: the essay, then personas, plan, evidence and discussion.

    Args:
        written: the essay.
        style: in which it cites documents; without one it names passages by number.
    """
    package = files("moot.contrib.essays")
    styles = package / "templates" / "essay.css", package / "desk" / "static" / "essay_parts.css"
    sheet = "".join(each.read_text(encoding="utf-8") for each in styles)
    digest = b64encode(sha256(sheet.encode()).digest()).decode()
    return _render(
        "essay.html",
        written,
        style,
        settings=describe_settings(written.settings),
        sheet=sheet,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'",
    )


def essay_body(
    written: Written, style: CitationStyle | None = None, *, unfinished: bool = False
) -> Markup:
    """Return the essay, then personas, plan, evidence and discussion, as a part of a page.

    Args:
        written: the essay.
        style: in which it cites documents; without one it names passages by number.
        unfinished: whether it is still being written, so that it does not lack an essay.
    """
    told = {"ended": "", "warnings": []} if unfinished else {}
    return Markup(_render("essay_body.html", written, style, **told))  # noqa: S704  escaped there


def essay_markdown(written: Written, style: CitationStyle | None = None) -> str:
    """Return the essay, and below it how it came about; texts of models are no Markdown."""
    return re.sub(r"\n{3,}", "\n\n", _render("essay.md", written, style)).strip() + "\n"


def essay_view(written: Written, style: CitationStyle | None = None) -> RenderableType:
    """Render the making of the essay, and at the end the essay, for a terminal.

    Replies are shown as text: control characters become visible, markup means nothing.
    """
    shown = _render("essay.txt", written, style, rule=_RULE, hang=_HANG).strip("\n")
    return Group(*map(_show_line, shown.split("\n")))


_RULE, _HANG = Markup("\x01"), Markup("\x02")
"""Before a heading; between a mark and the text whose further lines stand below its first."""


def _show_line(line: str) -> RenderableType:
    """Return a line of the template for terminals, indented as it is there."""
    if line.startswith(_RULE):
        return Rule(Text(line[1:], style="bold"), align="left", style="dim")
    mark, hangs, text = line.partition(_HANG)
    if hangs:
        made = Table.grid(padding=(0, 1, 0, 0))
        made.add_column(style="dim", no_wrap=True)
        made.add_row(mark, Text.from_markup(text))
        return made
    body = line.lstrip(" ")
    indent = 0, 0, 0, len(line) - len(body)
    return Padding(Text.from_markup(body), indent, expand=False) if body else Text()


def _style(text: str, style: str = "none") -> Markup:
    """Return a text as rich's markup, each line in a style."""
    lines = (escape(line) for line in make_visible(text).split("\n"))
    return Markup("\n".join(line and f"[{style}]{line}[/]" for line in lines))  # noqa: S704  escaped


def _render(
    template: str, written: Written, cited_in: CitationStyle | None, **values: object
) -> str:
    numbers = ShownNumbers(written)
    written = numbers.show_essay()
    citations = Citations(written, cited_in) if cited_in else None
    shown = {
        "numbered": numbers.remark,
        "citations": citations,
        "written": written,
        "heading": parts.essay_heading(written),
        "ended": parts.why_missing(written),
        "essays": parts.list_essays(written),
        "warnings": [*written.outcomes, *(citations.list_remarks() if citations else ())],
        "quotes": parts.list_quotes(written),
        "unquoted": parts.list_unquoted(written),
        "sentences": parts.list_sentence_states(written),
        "aside": parts.outside_team(written),
        "discussed": parts.dialogue_heading(written),
        "begun": parts.round_starts(written),
        "price": parts.describe_price(written),
        "simulated": parts.SIMULATED,
        "references": parts.list_references(written),
    }
    return _environment().get_template(template).render({**shown, **values})


@cache
def _environment() -> "Environment":
    made = environment("moot.contrib.essays")
    made.filters.update(
        cited=parts.cite,
        place_in=lambda quote, written: parts.find_quoted_place(written, quote),
        article=_show_article,
        in_style=_put_citations,
        linked=_link_numbers,
        with_quoted=_show_quoted,
        mark=parts.mark,
        speaker=parts.name_speaker,
        standing=parts.describe_stand,
        styled=_style,
        **{name: _safely(form) for name, form in _MARKDOWN.items()},
    )
    made.globals.update(label=label, claimed=claim_beside, bears_on=parts.describe_point_evidence)
    return made


def prose(text: str) -> str:
    """Return a text that Markdown shows as it is, with its paragraphs and lines."""
    paragraphs = _BLANK.split(make_visible(text).strip())
    return "\n\n".join("\\\n".join(map(_line, each.split("\n"))) for each in paragraphs)


def _line(text: str) -> str:
    """Return a line that is neither an item of a list nor the rule below a heading."""
    return _BEGINS.sub(r"\1\\\2", escape_markdown(make_visible(text)))


def _quote(text: str) -> str:
    return "\n".join(f"> {each}".rstrip() for each in prose(text).split("\n"))


def _put_citations(
    pieces: Sequence[EssayPiece], citations: Citations | None, note: str = f"{_NOTE}{{}}{_NOTE_END}"
) -> list[EssayPiece]:
    """Return the text of an essay with citations in place of the numbers of passages.

    Args:
        pieces: the text.
        citations: those of the essay; None leaves the numbers.
        note: what stands for a footnote, with its number in it.
    """
    if citations is None:
        return list(pieces)
    known, notes = frozenset(citations.known), citations.style == "footnotes"
    cited = []
    for each in pieces:
        text = each.text.replace(_NOTE, "").replace(_NOTE_END, "")
        at, shown = 0, list[str]()
        for one in find_references(text):
            if set(one.numbers) <= known:
                words = citations.cite(one.numbers)
                lead = text[at : one.start]
                shown += [lead.rstrip(" "), note.format(words)] if notes else [lead, words]
                at = one.stop
        cited.append(EssayPiece("".join([*shown, text[at:]]), each.quote))
    return cited


def _mark(pieces: Sequence[EssayPiece]) -> str:
    """Return the text of an essay; what was altered or not found is marked."""
    private = {ord(_BEGIN): None, ord(_END): None}
    text = "".join(
        piece
        if quote is None or not parts.mark(quote)
        else f"{_BEGIN}{piece}{_END}"
        if quote.state == "struck"
        else f"{piece} ‹{parts.mark(quote)}›"
        for piece, quote in (each._replace(text=each.text.translate(private)) for each in pieces)
    )
    shown = prose(text).replace(_BEGIN, "~~").replace(_END, "~~")
    shown = shown.replace(_NOTE, "[^").replace(_NOTE_END, "]")
    return _ESCAPED_HEADING.sub(_set_heading, shown)


def _set_heading(found: re.Match[str]) -> str:
    """Return a heading of an essay in Markdown, below those of the file."""
    return f"\n{'#' * max(3, found[1].count('#'))} {found[2]}\n"


_BLOCKS = {
    "bullet": Markup("<ul><li>{}</li></ul>"),
    "quote": Markup("<blockquote>{}</blockquote>"),
    "heading": Markup('<p><strong class="heading">{}</strong></p>'),
}
"""The elements of blocks, but for paragraphs and tables."""


def _show_article(
    pieces: Sequence[EssayPiece], written: Written, citations: Citations | None = None
) -> Markup:
    """Return an essay as HTML; its references lead to the passages below it."""
    known = citations.known if citations else parts.list_known(written)
    shown = []
    for block in list_essay_blocks(pieces, known):
        runs = _show_runs(block.runs, written, citations)
        if block.kind == "table":
            rows = [[_show_runs(cell, written, citations) for cell in row] for row in block.rows]
            cells = ([Markup("<td>{}</td>").format(cell) for cell in row] for row in rows)
            lines = [Markup("<tr>{}</tr>").format(Markup("").join(row)) for row in cells]
            shown.append(Markup("<table>{}</table>").format(Markup("").join(lines)))
        else:
            shown.append(_BLOCKS.get(block.kind, Markup("<p>{}</p>")).format(runs))
    return Markup("").join(shown).replace(Markup("</ul><ul>"), Markup(""))


def _show_runs(runs: list[EssayRun], written: Written, citations: Citations | None) -> Markup:
    """Return runs as HTML, each quotation within its mark."""
    shown = []
    if citations and citations.style == "footnotes":
        runs = close_notes(runs)
    for quote, group in groupby(runs, key=lambda each: each.quote):
        words = Markup("").join(_show_run(each, citations) for each in group)
        shown.append(words if quote is None else _mark_quote(words, quote, written))
    return Markup("").join(shown)


def _show_run(run: EssayRun, citations: Citations | None) -> Markup:
    if run.passages and citations:
        return _show_citation(run.passages, citations)
    words = Markup.escape(run.text)
    words = Markup("<strong>{}</strong>").format(words) if run.bold else words
    words = Markup("<em>{}</em>").format(words) if run.italic else words
    return _LINK.format(run.passages[0], words) if run.passages else words


_LINK = Markup('<a href="#passage-{}">{}</a>')
"""The element that leads to the passage of a number."""


def _show_citation(numbers: tuple[int, ...], citations: Citations) -> Markup:
    """Return a citation as HTML, with a link to its passage or its footnote."""
    words = citations.cite(numbers)
    if citations.style == "footnotes":
        return Markup('<sup><a href="#note-{0}" id="cited-{0}">{0}</a></sup>').format(words)
    return _LINK.format(numbers[0], words)


def _link_numbers(text: str) -> Markup:
    """Return words of moot as HTML, in which each number of a passage leads to it."""
    pieces = enumerate(re.split(r"\[(\d+)\]", text))  # each second one is a number
    return Markup("").join(_LINK.format(n, f"[{n}]") if at % 2 else n for at, n in pieces)


def _mark_quote(words: Markup, quote: Quote, written: Written) -> Markup:
    """Return a quotation in its mark; one of a checked text has a link to its passage."""
    number = quote.passage if quote.found else quote.stands_in
    link, mark = Markup(""), parts.mark(quote)
    if number is not None and not written.protocol:
        link = Markup(' <a class="to-source" href="#passage-{0}">[{0}]</a>').format(number)
    if not mark:
        return Markup('<mark class="found">{}</mark>{}').format(words, link)
    if quote.state == "struck":
        return Markup("<del>{}</del>").format(words)
    if quote.state in {"unshown", "unchecked"} or quote.found:
        return Markup('<mark class="open">{} <small>‹{}›</small></mark>').format(words, mark)
    return Markup('<mark class="missing">{} <strong>{}</strong></mark>{}').format(words, mark, link)


def _show_quoted(passage: Passage, written: Written) -> Markup:
    """Return a passage's words as HTML; those that the essay quotes are marked."""
    text = make_visible(passage.text.strip())
    quoted = {
        quote.nearest
        for each in written.quoted_essays
        for quote in each.quotes
        if quote.nearest and passage.number in {quote.passage, quote.stands_in}
    }
    found = sorted((text.find(words), words) for words in map(make_visible, quoted))
    shown, at = [], 0
    for start, words in found:
        if start >= at:
            shown += [Markup.escape(text[at:start]), Markup("<mark>{}</mark>").format(words)]
            at = start + len(words)
    return Markup("").join([*shown, Markup.escape(text[at:])])


_MARKDOWN: dict[str, Callable[[Any], str]] = {
    "md": _line,
    "prose": prose,
    "quoted": _quote,
    "marked": _mark,
}
"""The filters that escape a text for Markdown."""


def _safely(form: Callable[[Any], str]) -> Callable[[Any], Markup]:
    """Return a filter whose text is not escaped once more."""
    return lambda value: Markup(form(value))  # noqa: S704  escaped for Markdown
