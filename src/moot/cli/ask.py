"""``moot ask``: one question, debated."""

import sys
from pathlib import Path
from typing import Any, TextIO

import click

from moot.cli.console import (
    complete_protocol,
    console,
    json_option,
    name_command,
    run_async,
    schema_option,
    store_option,
)
from moot.cli.setting_options import SettingCommand
from moot.cli.terminal_debate import TerminalDebate, price_options, seat_options
from moot.core.answer import SHOWN, Answer, make_answer_schema
from moot.core.display_text import format_things, make_visible, on_one_line
from moot.core.errors import InputError
from moot.protocols import DEFAULT
from moot.reports.event_words import write_dissent, write_unread

OPTIONS = {
    "question": "the argument QUESTION",
    **{name: f"--{name}" for name in ("kind", "answer")},
    "context": "--context, or set window for the tokens that a prompt may have",
    "choices": "--choice",
}
"""How what is asked is given on the command line."""

SHORT = 60
"""Characters of an answer beside which stands how it was reached; below a longer one."""
DISSENT = 160
"""Characters shown of the words of a dissent."""
LAST_WORDS = 240
"""Characters shown of what an agent said last, where the debate has no answer."""


@click.command(cls=SettingCommand)
@click.argument("question")
@click.option(
    "--protocol",
    default=DEFAULT,
    show_default=True,
    help="How to debate.",
    shell_complete=complete_protocol,
)
@click.option("--model", help="Who debates; MOOT_MODEL, else local/smollm2, if not given.")
@click.option("--style", help="How agents answer: cot (if not given), chat for a plain reply, …")
@seat_options
@click.option("--choice", "choices", multiple=True, metavar="TEXT", help="An option.")
@click.option("--kind", help="The answer is a choice, boolean, number, square, math or text.")
@click.option("--context", help="A passage to read before the question.")
@click.option("--evidence", metavar="FOLDER", help="Documents that agents read before it.")
@click.option("--answer", help="What is right, for openings that need it; agents are not told.")
@click.option("--put", help="A value: the first agent is asked whether it is the right answer.")
@click.option(
    "--text",
    type=click.File(encoding="utf-8"),
    help="A file whose text the jurors of a jury judge; - for standard input.",
)
@click.option("--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's own.")
@price_options
@click.option(
    "--fail-on",
    type=click.Choice(["disagreement", "no-answer"]),
    multiple=True,
    help="End with exit code 7 where agents dissent, or where there is no answer.",
)
@store_option
@json_option
@schema_option(make_answer_schema)
def ask(
    question: str,
    protocol: str,
    style: str | None,
    choices: tuple[str, ...],
    kind: str | None,
    context: str | None,
    answer: str | None,
    evidence: str | None,
    put: str | None,
    text: TextIO | None,
    prompts: Path | None,
    *,
    dry_run: bool,
    fail_on: tuple[str, ...],
    as_json: bool,
    **options: Any,  # noqa: ANN401 -- of all debates
) -> None:
    """Debate QUESTION and give the answer.

    A QUESTION of "-" is read from standard input. --set, --agent, --choice and --fail-on can
    be repeated. The transcript is kept: see "moot show". When a budget or Ctrl-C stops it,
    --json still prints one object: no answer, why it "failed", and the turns so far.
    """
    if question == "-":
        question = sys.stdin.read()
    debate = TerminalDebate(options, OPTIONS, as_json=as_json)
    plan = debate.plan(
        question,
        set_by={
            "style": style,
            "evidence": evidence,
            "put": put,
            "text": None if text is None else _read_text(text),
        },
        protocol=protocol,
        choices=choices,
        kind=kind,
        context=context,
        answer=answer,
        prompts=prompts,
    )
    if dry_run:
        debate.foresee(plan)
        return
    with debate.hold(plan) as work:
        found = run_async(work)
    happened = {"disagreement": bool(found.dissents), "no-answer": found.answer is None}
    debate.end(found, lambda: _print(found), named=any(happened[each] for each in fail_on))


def _read_text(file: TextIO) -> str:
    """Return the text of a file. Raises ``InputError`` where it is no text."""
    try:
        return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--text {file.name}: {error}") from None


def _print(answer: Answer) -> None:
    from rich.markup import escape

    out, shown = console(), escape(name_command("show", answer.run))
    if failed := answer.transcript.failed:
        out.print(f"[red]failed:[/red] {escape(make_visible(failed.words))}")
    elif answer.answer is None:
        why = escape(make_visible(answer.by or "nobody"))
        out.print(f"[yellow]no answer[/yellow]: the debate came to none (by {why})", soft_wrap=True)
        newest = {turn.agent: turn.text for turn in answer.turns}
        for agent, text in newest.items():
            words = on_one_line(text, LAST_WORDS) or "(no words)"
            out.print(f"  {escape(f'{agent}: {words}')}", soft_wrap=True)
        where = f"in full: {shown}"
        out.print(f"[dim]the last words of each, long ones cut at …; {where}[/dim]", soft_wrap=True)
    else:
        by = escape(make_visible(answer.by or "nobody"))
        gap = "\n" if len(answer.answer) > SHORT or "\n" in answer.answer else "  "
        out.print(f"[bold]{escape(make_visible(answer.answer))}[/bold]{gap}(by {by})")
    for unread in answer.unread:
        line = escape(make_visible(write_unread(unread)))
        out.print(f"[yellow]{line}[/yellow]", soft_wrap=True)
    for dissent in answer.dissents[:SHOWN]:
        line = escape(make_visible(write_dissent(dissent, DISSENT)))
        out.print(f"[yellow]{line}[/yellow]", soft_wrap=True)
    if len(answer.dissents) > SHOWN:
        more = format_things(len(answer.dissents) - SHOWN, "dissent")
        out.print(f"[yellow]{more} more: {shown}[/yellow]", soft_wrap=True)
