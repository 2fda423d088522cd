"""``moot write``: one proposition, argued in an essay."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from moot import Budget, BudgetReached, Event, InputError
from moot.cli.console import name_command
from moot.cli.notices import warn_unlimited_replies
from moot.cli.setting_options import debate_options, merge_settings, parse_pairs, price_option
from moot.cli.stop_object import describe_stop
from moot.cli.terminal_people import ask_in_terminal
from moot.contrib.essays.essay_files import (
    FORMS,
    PACKAGES,
    check_form,
    format_essay,
    needs_other_fonts,
    write_json,
)
from moot.contrib.essays.essay_forms import essay_view
from moot.contrib.essays.essay_parts import describe_price, why_missing
from moot.contrib.essays.essay_writing import MOST_ALTERNATIVES
from moot.contrib.essays.own_people import PERSON_KEYS, plain_people
from moot.contrib.essays.write import find_draft, plan_essay
from moot.contrib.essays.writing_stages import Stages
from moot.contrib.essays.written import Written, describe_essay, to_builtins
from moot.core.files import check_place, output_error, write_file
from moot.extend.terminal import (
    DONE,
    FAILED,
    ReaderGone,
    SettingCommand,
    budget_options,
    catch_errors,
    console,
    exit_after,
    json_option,
    parse_prices,
    print_text,
    run_async,
    say,
    show_forecast,
    store_option,
)
from moot.extend.words import make_visible
from moot.models.fetching import report_progress

FORMATS = ("text", "markdown", "html", "json", "docx", "pdf", "toml")
ENDINGS = {".txt": "text", **{end: form for form, (end, _) in FORMS.items()}, ".htm": "html"}
"""The format of a file by the ending of its name."""

OUTLINE_ENDINGS = (".txt", ".md")
PERSON = '"description=a nurse,claim=Nights are long."'
"""An example of ``--person``."""

WIDTH = 100
"""Columns of a text in a file."""

OPTIONS = {
    "proposition": "the argument PROPOSITION",
    **{name: f"--{name}" for name in ("stance", "protocol", "model", "evidence", "store")},
    "draft": "--from",
    "prompts": "--prompts",
    "budget": "--max-cost, --max-calls or --max-total-tokens",
    "prices": "--price",
}
"""The option for each parameter of ``moot.write`` that is no setting."""


@click.command(cls=SettingCommand)
@click.argument("proposition", required=False)
@click.option(
    "--until",
    type=click.Choice(["personas", "selection", "debate", "plan"]),
    help="Stop after this stage, and show the draft: a file to edit and to go on --from.",
)
@click.option(
    "--from",
    "source",
    metavar="DRAFT",
    help="Go on from a draft (a FILE, an essay's JSON, a RUN): what it has is not asked again.",
)
@click.option("--revise", metavar="REMARK", help="Revise the essay of the --from DRAFT: one call.")
@click.option(
    "--alternatives",
    type=click.IntRange(1, MOST_ALTERNATIVES),
    metavar="N",
    help="Write N essays from the same plan, and tell how alike they are.",
)
@click.option(
    "--stance",
    help="oppose: argue against it, the default; support: argue for it; both: weigh both sides.",
)
@click.option(
    "--protocol",
    help="How to write: debate-to-write, the default; essay-direct, essay-plan, americano.",
)
@click.option("--model", help="Who writes; MOOT_MODEL, else local/smollm2, if not given.")
@debate_options
@click.option(
    "--person",
    "persons",
    multiple=True,
    metavar="KEY=VALUE[,…]",
    help="A member of the team: name, description, claim; in place of a pool.",
)
@click.option(
    "--evidence",
    metavar="FOLDER",
    help="Documents (text, HTML, PDF, Word) to quote from.",
)
@click.option("--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's own.")
@budget_options
@price_option
@click.option("--dry-run", is_flag=True, help="Show what it will take; call nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How it is shown; else by the ending of the --output FILE, else as text.",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it there.")
@click.option("--force", is_flag=True, help="Write over a FILE that exists.")
@store_option
@json_option
@catch_errors
def write(
    proposition: str | None,
    until: str | None,
    source: str | None,
    revise: str | None,
    alternatives: int | None,
    stance: str | None,
    protocol: str | None,
    model: str | None,
    settings: tuple[str, ...],
    cast: tuple[str, ...],
    persons: tuple[str, ...],
    evidence: str | None,
    prompts: Path | None,
    max_cost: float | None,
    max_calls: int | None,
    max_total_tokens: int | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001
    form: str | None,
    output: Path | None,
    force: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Write an essay that argues against PROPOSITION, or for it.

    A team of personas debates it with a critic and makes a plan; the essay is written
    from the plan. A PROPOSITION of "-" is read from standard input; a draft has its own.
    --words, --audience, --tone and --language say how it is to be written; --outline (a
    text, or a FILE) by which points; --people FILE (in TOML, a table [[people]] for each)
    who is in the team. --set, --agent and --person can be repeated. The transcript is
    kept: see "moot show". --json is --format json; when a budget or Ctrl-C stops it, that
    still prints one object: how far it came, and why it "failed".
    """
    given = _add_own(merge_settings(settings, cast, OPTIONS), persons)
    own = {"until": until, "revise": revise, "alternatives": alternatives, "model": model}
    given |= {name: value for name, value in own.items() if value is not None}
    stops = bool(given.get("until"))
    form = _find_format(form, output, as_json=as_json, force=force, stops=stops)
    if proposition == "-":
        proposition = sys.stdin.read()
    if proposition is None and source is None:
        raise InputError("PROPOSITION is missing: state what is to be argued over, or go on --from")
    budget = Budget(cost=max_cost, calls=max_calls, tokens=max_total_tokens)
    plan = plan_essay(
        proposition or "",
        draft=None if source is None else run_async(find_draft(source, store)),
        stance=stance,
        protocol=protocol,
        evidence=evidence,
        prompts=prompts,
        settings=given,
        budget=budget,
        prices=parse_prices(priced),
    )
    if dry_run:
        show_forecast(plan, store, as_json=form == "json")
        return
    began = monotonic()
    warn_unlimited_replies(budget, plan.settings)
    with (
        Stages(quiet=as_json) as stages,
        report_progress(stages.fetching),
        ask_in_terminal(stages.pause, stages.resume),
    ):
        work = plan.answer(model=model, store=store, listen=stages)
        try:
            answer = run_async(work)
        except (BudgetReached, KeyboardInterrupt) as stop:
            if form == "json":
                name = plan.protocol.name
                far = _describe_stopped(stages.events, stop, name, given, monotonic() - began)
                with suppress(ReaderGone):
                    _write_or_print(write_json(far), output)
            raise
    written = describe_essay(answer.transcript, answer.run)
    with exit_after(FAILED if written.failed else DONE):
        if form == "text" and output is None:
            _print(written, console())
        else:
            _write_or_print(_format(written, form), output)
        if form == "toml":
            file = shlex.quote(str(output)) if output else "FILE"
            _print_notes(written, f"edit the draft, and go on: moot write --from {file}")
        elif output is not None:
            _print_notes(written)
            if form == "pdf" and needs_other_fonts(written):
                say(
                    "letters of other scripts than European ones need a font of this machine: "
                    "look at the PDF"
                )


def _add_own(given: dict[str, Any], persons: Sequence[str]) -> dict[str, Any]:
    """Return the settings with the user's own people, and the path of the user's own outline.

    An outline of one line is the path of a file if it ends in .txt or .md, or such a file is there.
    """
    added = dict(given)
    outline = given.get("outline")
    if isinstance(outline, str) and "\n" not in outline:
        path = Path(outline)
        if path.suffix.lower() in OUTLINE_ENDINGS or (len(outline) < 255 and path.is_file()):
            added["outline"] = path
    if persons:
        named = [parse_pairs(each, "--person", PERSON_KEYS, PERSON) for each in persons]
        more = plain_people(given.get("people", ()))
        added["people"] = [*(more if isinstance(more, list) else ()), *named]
    return added


def _find_format(
    form: str | None, output: Path | None, *, as_json: bool, force: bool, stops: bool
) -> str:
    """Return the format that was asked for; a draft where none was, and it stops after a stage.

    Raises:
        InputError: two formats were asked for, none is known for the file's ending, or the file
            cannot be written, or is there and is not to be written over.
    """
    if as_json and form not in (None, "json"):
        raise InputError(f"--json and --format {form}: give one of the two")
    if output is not None:
        try:
            if output.is_dir():
                raise InputError(f"--output {output}: it is a folder; name a file in it")
            if output.is_file() and not force:
                raise InputError(f"--output {output}: it is there; --force writes over it")
            check_place(output)
        except OSError as error:
            raise output_error(f"--output {output}", error) from None
    if form is None and output is not None and not as_json:
        form = ENDINGS.get(output.suffix.lower())
        if form is None and output.suffix:
            raise InputError(
                f"--output {output}: give --format, or an ending of {', '.join(ENDINGS)}"
            )
    found = "json" if as_json else form or ("toml" if stops else "text")
    if found in PACKAGES and output is None:
        raise InputError(f"--format {found}: name its file with --output")
    check_form(found)
    return found


def _describe_stopped(
    events: Sequence[Event],
    stop: BaseException,
    protocol: str,
    given: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """Return what there is of an essay that was stopped, with the keys of a whole one."""
    lists = ("pool", "personas", "dialogue", "passages", "quotes", "outcomes")
    known = {"protocol": protocol, "settings": given, "cut": False, "plan_text": ""}
    return describe_stop(
        events,
        stop,
        lambda transcript: to_builtins(describe_essay(transcript)),
        Written.__struct_fields__,
        when="before the essay was written",
        seconds=seconds,
        known={**known, **{name: [] for name in lists}},
    )


def _format(written: Written, form: str) -> str | bytes:
    """Return the essay with how it came about, as a file has it."""
    if form != "text":
        return format_essay(written, form)
    file = StringIO()
    _print(written, Console(file=file, width=WIDTH, highlight=False))
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


def _print(written: Written, out: Console) -> None:
    """Print how the essay came about, the essay, and its price."""
    out.print(essay_view(written))
    out.print(Text(f"\n{describe_price(written)}", style="dim"))
    out.print(Text(f"transcript: {name_command('show', written.run)}", style="dim"), soft_wrap=True)


def _write_or_print(content: str | bytes, output: Path | None) -> None:
    """Print a text, or write a file and print its path. Raises ``InputError``."""
    if output is None:
        print_text(str(content))
        return
    try:
        write_file(output, content)
    except OSError as error:
        trouble = output_error(f"--output {output}", error)
        if isinstance(trouble, OSError):
            raise trouble from None
        more = "the essay is kept: write it again to another file, which costs nothing"
        raise type(trouble)(f"{trouble}; {more}") from None
    say(str(output))


def _print_notes(written: Written, more: str = "") -> None:
    """Print on standard error why there is no essay, the troubles on the way, and the price."""
    notes = [why_missing(written), *written.outcomes, describe_price(written), more]
    for note in filter(None, notes):
        sys.stderr.write(f"  {make_visible(note)}\n")
