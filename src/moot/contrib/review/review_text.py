"""``moot review``: a text or a diff, reviewed by several reviewers who vote on all findings."""

import sys
from pathlib import Path
from typing import Any

import click

from moot import Answer, InputError, Turn
from moot.contrib.review.findings import FindingList, FindingVotes
from moot.contrib.review.panel_findings import (
    ORDER,
    JudgedFinding,
    PanelFindings,
    read_panel,
)
from moot.contrib.review.review_question import ask_for_review
from moot.extend.calls import read_small
from moot.extend.terminal import (
    SettingCommand,
    TerminalDebate,
    console,
    json_option,
    run_async,
    store_option,
)
from moot.extend.words import format_things, make_visible

OPTIONS = {"question": "--about", "context": "the argument FILE", "kind": "--decide"}
"""How what is asked is given on the command line."""
STYLES = {"high": "bold red", "medium": "yellow", "low": "dim", "": ""}
"""How severities are coloured."""


@click.command("review", cls=SettingCommand)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--about", help="What to review, in a sentence, in place of moot's own.")
@click.option("--decide", metavar="QUESTION", help="A question of yes or no to decide as well.")
@click.option("--model", help="Who reviews; MOOT_MODEL, else local/smollm2, if not given.")
@TerminalDebate.flags
@click.option(
    "--fail-on",
    type=click.Choice(["high", "medium", "low", "any", "disagreement", "no"]),
    multiple=True,
    help="End with exit code 7 on an agreed finding this severe, a dispute, or a no.",
)
@store_option
@json_option
@TerminalDebate.schema_option(review=PanelFindings)
def review(
    file: Path,
    about: str | None,
    decide: str | None,
    dry_run: bool,  # noqa: FBT001
    fail_on: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    **options: Any,  # noqa: ANN401 -- of all debates
) -> None:
    """Review FILE, a text or a diff: what is wrong in it, and who disagrees.

    A FILE of "-" is read from standard input: git diff | moot review -. Each reviewer lists
    what it finds; then all vote on all findings, without names. What more than half hold is
    agreed, the rest disputed. "moot show" has the transcript; --json prints all of it.
    """
    if about and decide:
        raise InputError("--about and --decide: give one of the two; the question is what it says")
    text = _read(file)
    debate = TerminalDebate(options, OPTIONS, as_json=as_json, more_keys=("review",))
    plan = debate.plan(set_by={}, **ask_for_review(text, about=about, decide=decide))
    if dry_run:
        debate.foresee(plan)
        return
    with debate.hold(plan, excerpt=_count_findings) as work:
        found = run_async(work)
    panel = read_panel(found.transcript)
    named = _is_named(fail_on, panel, found)
    debate.end(found, lambda: _print(found, panel), named=named, review=panel)


def _read(file: Path) -> str:
    """Return the text to review. Raises ``InputError`` where there is none that can be read."""
    name = "standard input" if str(file) == "-" else str(file)
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else read_small(file)
        text = raw.decode()
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{name}: it is no text in UTF-8; give a text or a diff") from None
    if not text.strip():
        raise InputError(f"{name}: it is empty; there is nothing to review")
    return text


def _count_findings(turn: Turn) -> str:
    """Return how much a reviewer finds, or on how much it votes."""
    if isinstance(turn.reading, FindingList):
        return format_things(len(turn.reading.findings), "finding")
    if isinstance(turn.reading, FindingVotes):
        return f"votes on {format_things(len(turn.reading.votes), 'finding')}"
    return "(its findings cannot be read)"


def _is_named(fail_on: tuple[str, ...], panel: PanelFindings, found: Answer) -> bool:
    """Return whether something happened that ``--fail-on`` names."""
    least = max((ORDER[each] for each in fail_on if each in ORDER), default=-1)
    severe = [each for each in panel.agreed if "any" in fail_on or ORDER[each.severity] <= least]
    disputed = "disagreement" in fail_on and bool(panel.disputed or found.dissents)
    return bool(severe) or disputed or ("no" in fail_on and found.answer == "false")


def _print(answer: Answer, panel: PanelFindings) -> None:
    from rich.markup import escape

    out = console()
    if failed := answer.transcript.failed:
        out.print(f"[red]failed:[/red] {escape(make_visible(failed.words))}")
    elif not panel.agreed and not panel.disputed:
        unread = len(panel.silent) == panel.reviewers
        out.print(
            "[yellow]no reply could be read: there is no review[/yellow]"
            if unread
            else "[bold]no findings[/bold]"
        )
    for title, listed in (("agreed", panel.agreed), ("disputed", panel.disputed)):
        if listed:
            out.print(f"[bold]{title}[/bold]")
        for each in listed:
            _print_finding(each, panel.reviewers)
    if answer.transcript.question.kind == "boolean" and not answer.failed:
        word = {"true": "yes", "false": "no"}.get(answer.answer or "", "no answer")
        out.print(f"[bold]{word}[/bold]  (by {escape(answer.by or 'nobody')})")
    if panel.silent and len(panel.silent) < panel.reviewers:
        names = ", ".join(panel.silent)
        out.print(f"[yellow]what {names} found or voted cannot be read in part[/yellow]")


def _print_finding(each: JudgedFinding, reviewers: int) -> None:
    from rich.padding import Padding
    from rich.text import Text

    line = Text(f"{each.severity or 'finding'}  ", style=STYLES[each.severity])
    if each.where:
        line.append(f"{make_visible(each.where)}: ", style="cyan")
    line.append(make_visible(each.what), style="default not bold not dim")
    line.append(f"  ({len(each.agree)} of {reviewers} agree)", style="dim not bold")
    for name in each.disagree:
        why = each.objections.get(name, "")
        said = f": {make_visible(why)}" if why else ""
        line.append(f"\n  {name} disagrees{said}", style="dim not bold")
    console().print(Padding(line, (0, 0, 0, 2)))
