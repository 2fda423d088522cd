r"""What a model wrote, as HTML: Markdown, code, tables, and LaTeX as MathML.

Nothing of a text becomes more than formatting. HTML in it stays text, images are shown as their
address, links lead to ``http`` and ``https`` alone and name their host, and MathML is written here
from a list of elements and attributes, because latex2mathml passes on what ``\text`` and ``\href``
hold. No script and no inline style is needed, so a strict content security policy holds.

Markdown that would lose what was written is left out: indented code, references, headings by an
underline, HTML entities, and emphasis inside a word (``2*3*4`` is a product). A text that is too
long, or nested too deeply, is shown as it was written.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape, unescape
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from moot.core.display_text import make_visible

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markupsafe import Markup

LONGEST = 10_000
"""Characters of a text from which on it is shown as it was written."""
BRACKETS = 400
"""Brackets from which on a text is shown as it was written: time grows with their square."""
NESTING = 40
"""The depth of lists and quotations from which on a text is shown as it was written."""
FORMULA, LINES = 2_000, 40
"""The most characters and lines of a formula; a longer one is shown as it was written."""
ALIGNED = frozenset({"left", "center", "right"})
"""The alignments of a table's column, which are classes of its cells."""
DEPTH = 60
"""The deepest nesting of a formula's elements."""
UNREAD = ("code", "entity", "reference", "lheading", "html_block", "html_inline")
"""The rules of CommonMark that would hide a part of a reply or read it as something else."""
DELIMITERS = (("$$", "$$", True), (r"\[", r"\]", True), (r"\(", r"\)", False), ("$", "$", False))
"""What a formula stands between, and whether it is displayed on a line of its own."""
ENVIRONMENT = re.compile(r"\\begin\{((?:align|equation|gather|multline)\*?)\}")
MACRO = re.compile(r"\\(?:(?:re)?newcommand|providecommand|[gex]?def|let|DeclareMathOperator)\b")
"""Definitions in a formula: a few of them can grow without bound."""
ESCAPED = re.compile(r"\\.")
BARE_PERCENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
"""LaTeX would take what follows this for a comment, and drop it."""
ELEMENT = re.compile(
    "math|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|mspace|msqrt|"
    "mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none"
)
ATTRIBUTE = re.compile(
    "accent|accentunder|columnalign|displaystyle|display|fence|form|height|largeop|linethickness|"
    "lspace|mathvariant|maxsize|minsize|movablelimits|rowspacing|rspace|scriptlevel|separator|"
    "stretchy|symmetric|width"
)
PLAIN_VALUE = re.compile(r"[\w.%+ -]{0,40}", re.ASCII)


def render_reply(text: str) -> "Markup":
    """Return a text as HTML in a ``div`` of the class ``prose``; ``prose.css`` has its style."""
    return _render(text)


def render_line(text: str) -> "Markup":
    """Return a short text, such as a question or a choice, with the formulas in it as HTML."""
    from markupsafe import Markup

    shown = make_visible(text)
    if len(shown) > FORMULA or not any(begin in shown for begin, _, _ in DELIMITERS):
        return Markup("{}").format(shown)
    return Markup(_formula_parser().renderInline(shown))  # noqa: S704 -- every text is escaped


def read_static(name: str) -> str:
    """Return a file that reports and the server's pages share, such as ``prose.css``."""
    return files("moot.reports").joinpath("static", name).read_text(encoding="utf-8")


@lru_cache(maxsize=256)  # a page that goes on shows the same replies again
def _render(text: str) -> "Markup":
    from markupsafe import Markup

    shown = make_visible(text)
    readable = len(shown) <= LONGEST and shown.count("[") <= BRACKETS
    tokens = _parser().parse(shown) if readable else []
    if not tokens or any(token.level >= NESTING - 1 for token in tokens):
        return Markup('<div class="prose asis">{}</div>').format(shown)
    html = _parser().renderer.render(tokens, _parser().options, {})
    return Markup(f'<div class="prose">{html}</div>')  # noqa: S704 -- every text in it is escaped


@cache
def _parser() -> "MarkdownIt":
    """Return the parser of Markdown with its rules of formulas and its renderer."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": NESTING})
    made.enable(["table", "strikethrough"]).disable(list(UNREAD))
    made.inline.ruler.before("escape", "math", _read_formula)
    made.inline.ruler.before("emphasis", "product", _read_product)
    interrupts = ["paragraph", "reference", "blockquote", "list"]
    made.block.ruler.before("fence", "math", _read_display, {"alt": interrupts})
    made.validateLink = _is_web_address  # type: ignore[assignment,method-assign]  # as documented
    for name, rule in {
        "math": _show_formula,
        "image": _show_image,
        "link_open": _show_link,
        "link_close": _end_link,
        "heading_open": lambda *_: '<p class="heading">',
        "heading_close": lambda *_: "</p>\n",
        "table_open": lambda *_: (
            '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n'
        ),
        "table_close": lambda *_: "</table></div>\n",
        "th_open": _align_cell,
        "td_open": _align_cell,
        "fence": _show_code,
    }.items():
        made.add_render_rule(name, rule)
    return made


def _align_cell(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    """Return the start of a table's cell; its class is its alignment, since pages take no style."""
    token = tokens[at]
    aligned = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} class="{aligned}">' if aligned in ALIGNED else f"<{token.tag}>"


@cache
def _formula_parser() -> "MarkdownIt":
    """Return the parser of formulas alone."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("zero", {"html": False})
    made.inline.ruler.before("escape", "math", _read_formula)
    made.add_render_rule("math", _show_formula)
    return made


def _is_web_address(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _read_formula(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 -- a rule's form
    """Read a formula within a paragraph."""
    source, at = state.src, state.pos
    for begin, end, display in DELIMITERS:
        if not source.startswith(begin, at):
            continue
        inside = at + len(begin)
        close = source.find(end, inside, inside + FORMULA)
        formula = source[inside:close]
        if close < 0 or not formula.strip():
            continue
        if begin == "$" and (
            formula[0].isspace()
            or formula[-1].isspace()
            or source[close + 1 : close + 2].isdigit()
            or "\n\n" in formula
        ):
            continue  # two prices
        if not silent:
            _write_token(state.push("math", "", 0), formula, source[at : close + len(end)], display)
        state.pos = close + len(end)
        return True
    return False


def _read_display(state: "StateBlock", start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Read a formula that stands on lines of its own."""
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    environment = ENVIRONMENT.match(first)
    if environment:
        begin, close = "", f"\\end{{{environment[1]}}}"
    elif first.startswith(("$$", r"\[")):
        begin, close = first[:2], "$$" if first.startswith("$$") else r"\]"
    else:
        return False
    size = 0
    for line in range(start, min(end, start + LINES)):
        if line > start and state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return False
        text = state.getLines(line, line + 1, state.blkIndent, keepLastLF=False).strip()
        size += len(text)
        if size > FORMULA:
            return False
        tail = text.removeprefix(begin) if line == start else text
        if close in tail:
            if tail.partition(close)[2].strip(" .,;"):
                return False
            break
    else:
        return False
    if not silent:
        whole = state.getLines(start, line + 1, state.blkIndent, keepLastLF=False).strip()
        formula = whole.removeprefix(begin)
        formula = formula if environment else formula.rpartition(close)[0]
        token = state.push("math", "", 0)
        token.block, token.map = True, [start, line + 1]
        _write_token(token, formula.rstrip(" .,;") if environment else formula, whole, True)  # noqa: FBT003
        state.line = line + 1
    return True


def _write_token(token: "Token", formula: str, source: str, display: bool) -> None:  # noqa: FBT001
    token.content, token.markup, token.meta = formula, source, {"display": display}


def _read_product(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 -- a rule's form
    """Read stars between two ASCII letters or digits as what they are."""
    source, at = state.src, state.pos
    if source[at] != "*" or not at:
        return False
    end = at
    while source[end : end + 1] == "*":
        end += 1
    before, after = source[at - 1], source[end : end + 1]
    if not (before.isascii() and before.isalnum() and after.isascii() and after.isalnum()):
        return False
    if not silent:
        state.pending += source[at:end]
    state.pos = end
    return True


def _show_formula(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    token = tokens[at]
    html = _write_formula(token.content.strip(), display=token.meta["display"])
    if not html:
        html = f'<code class="formula">{escape(token.markup)}</code>'
    if token.block:
        named = 'class="wide formula" tabindex="0" role="group" aria-label="Formula"'
        return f"<div {named}>{html}</div>\n"
    return html


def _write_formula(latex: str, *, display: bool) -> str:
    """Return a formula as MathML; empty where it is none that can be read."""
    from latex2mathml.converter import Converter

    bare = ESCAPED.sub("", latex)
    if MACRO.search(latex) or len(latex) > FORMULA or bare.count("{") != bare.count("}"):
        return ""
    complete = BARE_PERCENT.sub(r"\1\\%", latex)
    try:
        made = Converter(display="block" if display else "inline").convert_to_element(complete)
        return _write_element(made, DEPTH)
    except Exception:  # noqa: BLE001 -- a hostile or broken formula is shown as it was written
        return ""


def _write_element(element: "Element", depth: int) -> str:
    """Return an element of MathML as text: known elements with known attributes, others bare."""
    if not depth:
        raise RecursionError
    name = element.tag if ELEMENT.fullmatch(element.tag) else "mrow"
    given = "".join(
        f' {key}="{escape(value)}"'
        for key, value in element.attrib.items()
        if ATTRIBUTE.fullmatch(key) and PLAIN_VALUE.fullmatch(value)
    )
    if element.tag == "menclose" and element.get("notation") == "box":
        given = ' class="boxed"'
    texts = [escape(unescape(element.text or ""))]
    for child in element:
        texts += [_write_element(child, depth - 1), escape(unescape(child.tail or ""))]
    return f"<{name}{given}>{''.join(texts)}</{name}>"


def _show_image(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    """Show an image as its description and its address: nothing is fetched."""
    token = tokens[at]
    named = f"{token.content} " if token.content else ""
    return f'<span class="image">[image: {escape(named)}{escape(str(token.attrs["src"]))}]</span>'


def _show_link(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    address = escape(str(tokens[at].attrs["href"]))
    return f'<a href="{address}" rel="noopener noreferrer nofollow">'


def _end_link(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    """End a link with the name of its host, where its text does not begin with its address."""
    begin = next(n for n in range(at - 1, -1, -1) if tokens[n].type == "link_open")
    address = str(tokens[begin].attrs["href"])
    label = "".join(token.content for token in tokens[begin + 1 : at])
    host = _host_of(address)
    known = label.lower().partition("://")[2].startswith(host) if host else False
    return "</a>" if known else f"</a> <small>({escape(host or address)})</small>"


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _show_code(_: "RendererHTML", tokens: "Sequence[Token]", at: int, *_rest: object) -> str:
    token = tokens[at]
    language = escape(token.info.split()[0][:20]) if token.info.strip() else ""
    named = f' data-language="{language}"' if language else ""
    attributes = f'tabindex="0" role="group" aria-label="Code"{named}'
    return f"<pre {attributes}><code>{escape(token.content)}</code></pre>\n"
