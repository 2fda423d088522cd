"""``moot check``: what a text quotes, checked against a folder of documents."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from moot import InputError
from moot.contrib.essays.checked_text import CheckedText, check_file
from moot.contrib.essays.essay_files import FORMS, check_form, format_essay, write_json
from moot.contrib.essays.essay_parts import cite, mark
from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.contrib.essays.sentence_states import count_sentences
from moot.contrib.essays.write import read_sources
from moot.extend.terminal import (
    ExitCode,
    OutputFile,
    console,
    exit_after,
    json_option,
)
from moot.extend.words import make_visible

ENDINGS = {end: form for form, (end, _) in FORMS.items() if form != "toml"}
"""The form of a file by the ending of its name."""


@click.command()
@click.argument("file")
@click.option(
    "--evidence",
    metavar="PATH",
    multiple=True,
    required=True,
    help="Documents (text, HTML, PDF, Word): a folder or a file; can be repeated.",
)
@click.option("--skip-unreadable", is_flag=True, help="Leave out documents that cannot be read.")
@click.option("--strict", is_flag=True, help="Exit with 1 if something is altered or not found.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help=f"Write the text with its marks: {', '.join(ENDINGS)}.",
)
@click.option("--force", is_flag=True, help="Write over an OUT that exists.")
@json_option
def check(
    file: str,
    evidence: tuple[str, ...],
    skip_unreadable: bool,  # noqa: FBT001
    strict: bool,  # noqa: FBT001
    output: Path | None,
    force: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Check what FILE quotes against your documents.

    FILE is any text, in Markdown, HTML, PDF or Word; "-" is standard input. Looked up are
    its quotations, its figures that name a source ("[3]", "according to"), and what these
    say of the documents. Numbers in brackets are those of the text, so that any document
    may have what it quotes. No model is asked, and nothing is paid.
    """
    form = _find_form(output)
    out = OutputFile(output, "--output")
    out.check(force=force)
    checked = check_file(file, read_sources(evidence, skip_unreadable=skip_unreadable))
    is_bad = strict and checked.is_false
    with exit_after(ExitCode.FAILED if is_bad else ExitCode.DONE):
        if as_json:
            sys.stdout.write(write_json(checked.to_builtins()))
        else:
            _print(checked)
        if output is not None:
            is_json = form == "json"
            out.write(
                write_json(checked.to_builtins())
                if is_json
                else format_essay(checked.to_written(), form)
            )


def _find_form(output: Path | None) -> str:
    """Return the form of a file by its ending; empty without one. Raises ``InputError``."""
    if output is None:
        return ""
    form = ENDINGS.get(output.suffix.lower())
    if form is None:
        raise InputError(f"--output {output}: give an ending of {', '.join(ENDINGS)}")
    check_form(form)
    return form


def _print(checked: CheckedText) -> None:
    """Print what is false first, then what was found, and what was not checked."""
    out = console()
    groups = (
        ("Altered or not found", "red", FALSE),
        ("Found", "green", {"found"}),
        ("Not checked", "yellow", {"unchecked"}),
    )
    for title, style, states in groups:
        quotes = [each for each in checked.quotes if each.state in states]
        if quotes:
            out.print(Text(f"{title}: {len(quotes)}", style=f"bold {style}"))
            out.print(_tabulate((_name_place(checked, each), _describe(each)) for each in quotes))
    if checked.passages:
        out.print(Text("Passages", style="bold"))
        out.print(_tabulate((f"[{each.number}]", each.source) for each in checked.passages))
    out.print(Text(count_sentences(checked.sentences)))
    for outcome in checked.notes:
        out.print(Text(make_visible(outcome)))
    if not checked.quotes:
        out.print(Text("It has neither a quotation nor a figure."))
    out.print(Text("no model was asked", style="dim"))


def _tabulate(rows: Iterable[tuple[str, str]]) -> Table:
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(style="dim", no_wrap=True)
    for place, words in rows:
        made.add_row(Text(f"  {place}"), Text(make_visible(words)))
    return made


def _name_place(checked: CheckedText, quote: Quote) -> str:
    return f"line {checked.text.count(chr(10), 0, quote.start) + 1}"


def _describe(quote: Quote) -> str:
    return f"{mark(quote)} {cite(quote)}" if quote.state in FALSE else cite(quote)
