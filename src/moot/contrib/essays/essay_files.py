"""Essay files: an essay in every form that a file has, with its references."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import msgspec

from moot import InputError
from moot.contrib.essays import essay_parts as parts
from moot.contrib.essays.bibliography import BIBLIOGRAPHIES, format_bibliography
from moot.contrib.essays.citations import Citations, CitationStyle
from moot.contrib.essays.draft import format_draft
from moot.contrib.essays.essay_blocks import (
    EssayBlock,
    EssayRun,
    close_notes,
    ends_quote,
    list_essay_blocks,
)
from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.quoting.source_references import find_references
from moot.contrib.essays.shown_numbers import ShownNumbers
from moot.contrib.essays.written import Written, to_builtins
from moot.extend.words import escape_json, make_visible, on_one_line

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
_OWN_FONT = re.compile(
    r"[\u0590-\u1cff\u2e80-\ud7ff\uf900-\ufdff\ufe70-\ufeff\U00010000-\U0003ffff]"
)


def check_form(form: str) -> None:
    """Check that files of this form can be written here. Raises ``InputError``."""
    package = PACKAGES.get(form)
    if package and find_spec(package) is None:
        raise InputError(
            f"a .{form} is written with {package}, which is not installed: pip install "
            "'moot[essays]'"
        )


def format_essay(written: Written, form: str, style: CitationStyle | None = None) -> str | bytes:
    """Return the essay with how it came about, in one of ``FORMS``, or the documents it cites.

    Args:
        written: the essay.
        form: one of ``FORMS``, or of ``BIBLIOGRAPHIES``.
        style: in which it cites documents. Without one it names passages by number, and Word and
            PDF have each passage as a footnote.
    """
    if form in BIBLIOGRAPHIES:
        return format_bibliography(Citations(written, "author-year").works, form)
    if form == "docx":
        return write_docx(written, style)
    if form == "pdf":
        return write_pdf(written, style)
    if form == "json":
        return write_json(to_builtins(written))
    if form == "toml":
        return format_draft(written.draft())
    return essay_page(written, style) if form == "html" else essay_markdown(written, style)


def write_json(value: object) -> str:
    """Return a value as JSON on several lines, without letters that a terminal acts on."""
    return escape_json(msgspec.json.format(msgspec.json.encode(value)).decode()) + "\n"


def needs_other_fonts(written: Written) -> bool:
    """Return whether a PDF needs fonts of the machine: for other scripts than European ones."""
    return any(_OWN_FONT.search(run.text) for block in _list_blocks(written) for run in block.runs)


def write_docx(written: Written, style: CitationStyle | None = None) -> bytes:
    """Return the essay as a Word document: sources as footnotes, what is wrong as comments."""
    from moot.contrib.essays.word_file import WordFile

    numbers = ShownNumbers(written)
    written = numbers.show_essay()
    citations = Citations(written, style) if style else None
    file = WordFile(written, citations)
    for block in _list_blocks(written, citations, numbers.remark):
        file.add(block)
    return file.save()


def write_pdf(written: Written, style: CitationStyle | None = None) -> bytes:
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
    numbers = ShownNumbers(written)
    written = numbers.show_essay()
    citations = Citations(written, style) if style else None
    blocks = _list_blocks(written, citations, numbers.remark)
    lines += [_set_block(written, citations, block) for block in blocks]
    made: Any = typst.compile("\n".join(lines).encode())
    return bytes(made)


def _set_block(written: Written, citations: Citations | None, block: EssayBlock) -> str:
    """Return a block in Typst's language."""
    if block.kind == "table":
        cells = (f"[{_set_runs(written, citations, cell)}]" for row in block.rows for cell in row)
        return f"#table(columns: {max(map(len, block.rows))}, {', '.join(cells)})"
    runs = _set_runs(written, citations, block.runs)
    forms = {
        "heading": f"#heading(level: {block.level})[{runs}]",
        "bullet": f"#list[{runs}]",
        "number": f"#pad(left: 1em)[{runs}]",
        "quote": f"#quote(block: true)[{runs}]",
    }
    return forms.get(block.kind, f"#par[{runs}]")


def _set_runs(written: Written, citations: Citations | None, runs: list[EssayRun]) -> str:
    """Return runs in Typst's language, with a footnote for each passage and each mark."""
    shown = []
    if citations is None or citations.style == "footnotes":
        runs = close_notes(runs)
    for place, run in enumerate(runs):
        if run.passages and citations and citations.style != "footnotes":
            shown.append(_typeset(run._replace(text=citations.cite(run.passages))))
            continue
        if notes := parts.list_notes(written, run.passages, citations):
            shown.append("".join(f"#footnote[#{_quote(note)};]" for note in notes))
            continue
        shown.append(_typeset(run))
        if run.quote is not None and run.style in {"false", "open"} and ends_quote(runs, place):
            shown.append(_typeset(EssayRun(f" ‹{parts.mark(run.quote)}›", "mark")))
            told = parts.describe_evidence(written, run.quote)
            if told and run.quote.state != "unchecked":
                shown.append(f"#footnote[#{_quote(told)};]")
    return "".join(shown)


def _typeset(run: EssayRun) -> str:
    """Return a run in Typst's language; its words are a string, so that none is markup."""
    words = "#linebreak()".join(f"#{_quote(line)};" for line in run.text.split("\n"))
    style = {
        "mark": 'text(fill: rgb("#a41e22"), weight: "bold")',
        "false": 'text(fill: rgb("#a41e22"))',
        "struck": "strike",
        "soft": "emph",
    }.get(run.style)
    words = f"#strong[{words}]" if run.bold else words
    words = f"#emph[{words}]" if run.italic else words
    return f"#{style}[{words}]" if style else words


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _list_blocks(
    written: Written, citations: Citations | None = None, numbered: str = ""
) -> Iterator[EssayBlock]:
    """Yield the title, the essay, its references, and what went otherwise.

    Args:
        written: the essay, with the numbers that are shown.
        citations: its citations in a style; None where passages are cited.
        numbered: the numbers of the same passages elsewhere, in a sentence.
    """
    yield EssayBlock([EssayRun(make_visible(written.proposition))], "heading", 1)
    yield EssayBlock([EssayRun(parts.essay_heading(written), "soft")])
    if written.simulated:
        yield EssayBlock([EssayRun(parts.SIMULATED, "mark")])
    if missing := parts.why_missing(written):
        yield EssayBlock([EssayRun(make_visible(missing), "mark")])
    known = citations.known if citations else parts.list_known(written)
    for heading, pieces in parts.list_essays(written):
        if heading:
            yield _head(heading)
        for block in list_essay_blocks(pieces, known):
            yield block._replace(level=block.level + 1) if block.kind == "heading" else block
    yield from _list_references(written, citations)
    named = {n for each in written.outcomes for one in find_references(each) for n in one.numbers}
    passages = [
        f"In this section, [{each.number}] is {on_one_line(each.source)}."
        for each in (*written.passages, *written.unshown)
        if citations and each.number in named
    ]
    remark = citations.missing if citations else numbered
    outcomes = [*written.outcomes, *passages, *filter(None, [remark])]
    if outcomes:
        yield _head("What went otherwise")
        yield from (EssayBlock([EssayRun(make_visible(each))]) for each in outcomes)


def _list_references(written: Written, citations: Citations | None) -> Iterator[EssayBlock]:
    """Yield the documents that are cited, in their style; without one the passages that are."""
    if citations:
        words = citations.list_references()
    else:
        listed = sorted(parts.list_references(written), key=lambda each: each.number)
        words = [make_visible(f"[{each.number}] {each.source}: {each.text}") for each in listed]
    if words:
        yield _head("References")
    yield from (EssayBlock([EssayRun(" ".join(each.split()))]) for each in words)


def _head(words: str) -> EssayBlock:
    return EssayBlock([EssayRun(words)], "heading", 2)
