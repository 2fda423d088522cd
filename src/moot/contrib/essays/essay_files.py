"""Essay files: an essay in every form that a file has, with its references."""

import io
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import msgspec

from moot import InputError
from moot.contrib.essays import essay_parts as parts
from moot.contrib.essays.draft import format_draft
from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.written import Written, to_builtins
from moot.extend.words import escape_json, make_visible

PACKAGES = {"docx": "docx", "pdf": "typst"}
"""The package that writes each form."""
FORMS = {
    "markdown": (".md", "text/markdown; charset=utf-8"),
    "html": (".html", "text/html; charset=utf-8"),
    "docx": (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    "pdf": (".pdf", "application/pdf"),
    "json": (".json", "application/json"),
    "toml": (".toml", "application/toml"),
}
"""The ending of a file's name and its media type, for each form of a file."""
_STYLES = {
    "found": "",
    "altered": "false",
    "missing": "false",
    "struck": "struck",
    "unshown": "open",
    "unchecked": "open",
}
"""The style of a quotation or figure, by what came of it."""
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_OWN_FONT = re.compile(
    r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\ufeff\U00010000-\U0003ffff]"
)


class EssayRun(NamedTuple):
    """Words in one style: plain, a quotation that was found, one that was not, or struck."""

    text: str
    style: str = ""


class EssayBlock(NamedTuple):
    """A paragraph, or a heading of a level from 1 on; level 0 is no heading."""

    level: int
    runs: list[EssayRun]


def check_form(form: str) -> None:
    """Check that files of this form can be written here. Raises ``InputError``."""
    package = PACKAGES.get(form)
    if package and find_spec(package) is None:
        raise InputError(
            f"a .{form} is written with {package}, which is not installed: pip install "
            "'moot[essays]'"
        )


def format_essay(written: Written, form: str) -> str | bytes:
    """Return the essay with how it came about, in one of ``FORMS``."""
    if form == "docx":
        return write_docx(written)
    if form == "pdf":
        return write_pdf(written)
    if form == "json":
        return write_json(to_builtins(written))
    if form == "toml":
        return format_draft(written.draft())
    return essay_page(written) if form == "html" else essay_markdown(written)


def write_json(value: object) -> str:
    """Return a value as JSON on several lines, without letters that a terminal acts on."""
    return escape_json(msgspec.json.format(msgspec.json.encode(value)).decode()) + "\n"


def needs_other_fonts(written: Written) -> bool:
    """Return whether a PDF needs fonts of the machine: for other scripts than European ones."""
    return any(_OWN_FONT.search(run.text) for block in _list_blocks(written) for run in block.runs)


def write_docx(written: Written) -> bytes:
    """Return the essay as a Word document, with its references and what went otherwise."""
    from docx import Document
    from docx.shared import RGBColor

    document = Document()
    for block in _list_blocks(written):
        if block.level:
            document.add_heading("".join(run.text for run in block.runs), min(block.level, 4))
            continue
        paragraph = document.add_paragraph()
        for each in block.runs:
            run = paragraph.add_run(each.text)
            run.font.strike = each.style == "struck" or None
            run.bold = each.style == "mark" or None
            run.italic = each.style == "soft" or None
            if each.style in {"mark", "false"}:
                run.font.color.rgb = RGBColor(0xA4, 0x1E, 0x22)
    document.core_properties.title = make_visible(written.proposition)[:255]
    document.core_properties.author = "moot"
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def write_pdf(written: Written) -> bytes:
    """Return the essay as a PDF on A4, with its references and what went otherwise."""
    import typst

    title = _quote(make_visible(written.proposition))
    lines = [
        f'#set document(title: {title}, author: "moot")',
        '#set page(paper: "a4", margin: 2.6cm, numbering: "1")',
        '#set text(font: "Libertinus Serif", size: 11pt)',
        "#set par(justify: true, leading: 0.68em)",
        "#show heading: set block(above: 1.4em, below: 0.8em)",
    ]
    for block in _list_blocks(written):
        runs = "".join(_typeset(run) for run in block.runs)
        lines.append(f"#heading(level: {block.level})[{runs}]" if block.level else f"#par[{runs}]")
    made: Any = typst.compile("\n".join(lines).encode())
    return bytes(made)


def _typeset(run: EssayRun) -> str:
    """Return a run in Typst's language; its words are a string, so that none is markup."""
    words = "#linebreak()".join(f"#{_quote(line)};" for line in run.text.split("\n"))
    style = {
        "mark": 'text(fill: rgb("#a41e22"), weight: "bold")',
        "false": 'text(fill: rgb("#a41e22"))',
        "struck": "strike",
        "soft": "emph",
    }.get(run.style)
    return f"#{style}[{words}]" if style else words


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _list_blocks(written: Written) -> Iterator[EssayBlock]:
    """Yield the title, the essay, its references, and what went otherwise."""
    yield EssayBlock(1, [EssayRun(make_visible(written.proposition))])
    yield EssayBlock(0, [EssayRun(parts.essay_heading(written), "soft")])
    if written.simulated:
        yield EssayBlock(0, [EssayRun(parts.SIMULATED, "mark")])
    if missing := parts.why_missing(written):
        yield EssayBlock(0, [EssayRun(make_visible(missing), "mark")])
    for heading, pieces in parts.list_essays(written):
        if heading:
            yield EssayBlock(2, [EssayRun(heading)])
        yield from _list_paragraphs(pieces)
    references = parts.list_references(written)
    if references:
        yield EssayBlock(2, [EssayRun("References")])
    for passage in references:
        words = make_visible(f"[{passage.number}] {passage.source}: {passage.text}")
        yield EssayBlock(0, [EssayRun(" ".join(words.split()))])
    if written.outcomes:
        yield EssayBlock(2, [EssayRun("What went otherwise")])
        yield from (EssayBlock(0, [EssayRun(make_visible(each))]) for each in written.outcomes)


def _list_paragraphs(pieces: list[parts.EssayPiece]) -> Iterator[EssayBlock]:
    """Yield the paragraphs of the essay, with what was not found marked."""
    block: list[EssayRun] = []
    for piece in pieces:
        style = _STYLES[piece.quote.state if piece.quote else "found"]
        first, *more = re.split(r"\n[ \t]*\n\s*", make_visible(piece.text))
        block.append(EssayRun(first, style))
        for each in more:
            yield _make_block(block)
            block = [EssayRun(each, style)]
        if piece.quote is not None and style in {"false", "open"}:
            marked = "mark" if style == "false" else "open"
            block.append(EssayRun(f" ‹{parts.mark(piece.quote)}›", marked))
    if block:
        yield _make_block(block)


def _make_block(runs: list[EssayRun]) -> EssayBlock:
    heading = _HEADING.fullmatch("".join(run.text for run in runs).strip())
    if heading:
        return EssayBlock(len(heading[1]) + 1, [EssayRun(heading[2])])
    return EssayBlock(0, [run for run in runs if run.text])
