"""``moot ask``: one question, debated."""

import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import click

from moot.cli.console import (
    DONE,
    FAILED,
    catch_errors,
    console,
    exit_after,
    json_option,
    print_json,
    run_async,
    store_option,
)
from moot.cli.download_bar import show_download
from moot.cli.estimates import show_estimate
from moot.cli.notices import say_seats, warn_unlimited_replies
from moot.cli.setting_options import (
    budget_options,
    debate_options,
    merge_settings,
    models_option,
    parse_prices,
    price_option,
    split_models,
)
from moot.cli.stop_object import describe_stop
from moot.cli.streams import ReaderGone
from moot.core.answer import KEYS, Answer
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.dissent import SHOWN
from moot.core.errors import BudgetReached, InputError
from moot.core.events import Event, Noted, Searched, Turn
from moot.debate.agent_config import MODELS
from moot.models.weights import report_progress
from moot.protocols import DEFAULT
from moot.reports.transcript import describe_between, explain_empty, write_dissent
from moot.runtime.budget import Budget
from moot.studies.lab import default_model
from moot.studies.question_plan import plan_question

OPTIONS = {
    "question": "the argument QUESTION",
    **{name: f"--{name}" for name in ("protocol", "model", "kind", "answer", "store", "prompts")},
    "context": "--context, or set window for the tokens that a prompt may have",
    "choices": "--choice",
    "budget": "--max-cost, --max-calls or --max-total-tokens",
    "prices": "--price",
}
"""How what ``moot.ask`` is given, beside the settings, is given on the command line."""

EXCERPT = 60
"""Characters shown of a turn without an answer."""
SHORT = 60
"""Characters of an answer beside which stands how it was reached; below a longer one."""
DISSENT = 160
"""Characters shown of the words of a dissent."""
LAST_WORDS = 240
"""Characters shown of what an agent said last, where the debate has no answer."""


@click.command()
@click.argument("question")
@click.option("--protocol", default=DEFAULT, show_default=True, help="How to debate.")
@click.option("--model", help="Who debates; MOOT_MODEL, else local/smollm2, if not given.")
@models_option
@click.option("--style", help="How agents answer: cot (if not given), chat for a plain reply, …")
@debate_options
@click.option("--choice", "choices", multiple=True, metavar="TEXT", help="An option.")
@click.option("--kind", help="The answer is a choice, boolean, number, square or text.")
@click.option("--context", help="A passage to read before the question.")
@click.option("--answer", help="What is right, for openings that need it; agents are not told.")
@click.option("--put", help="A value: the first agent is asked whether it is the right answer.")
@click.option("--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's own.")
@budget_options
@price_option
@click.option("--dry-run", is_flag=True, help="Show what it will take; call nothing.")
@store_option
@json_option
@catch_errors
def ask(
    question: str,
    protocol: str,
    model: str | None,
    models: str | None,
    style: str | None,
    settings: tuple[str, ...],
    cast: tuple[str, ...],
    choices: tuple[str, ...],
    kind: str | None,
    context: str | None,
    answer: str | None,
    put: str | None,
    prompts: Path | None,
    max_cost: float | None,
    max_calls: int | None,
    max_total_tokens: int | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Debate QUESTION and give the answer.

    A QUESTION of "-" is read from standard input. --set, --agent and --choice can be
    repeated. The transcript is kept: see "moot show". When a budget or Ctrl-C stops it,
    --json still prints one object: no answer, why it "failed", and the turns so far.
    """
    if question == "-":
        question = sys.stdin.read()
    seated = split_models(models)
    given = _gather_settings(settings, cast, style=style, put=put, models=seated or None)
    budget = Budget(cost=max_cost, calls=max_calls, tokens=max_total_tokens)
    plan = plan_question(
        question,
        protocol=protocol,
        choices=choices,
        kind=kind,  # type: ignore[arg-type]  # checked there, with the valid ones named
        context=context,
        answer=answer,
        prompts=prompts,
        settings={**given, "model": model or next(iter(seated), default_model())},
        budget=budget,
        prices=parse_prices(priced),
    )
    if seated:
        say_seats({protocol: plan.settings}, {protocol: plan.protocol.roles})
    warn_unlimited_replies(budget, plan.settings)
    if dry_run:
        forecast = run_async(plan.foresee(store))
        show_estimate(forecast.estimate, forecast.not_ready, as_json=as_json)
        return
    events: list[Event] = []
    began = monotonic()
    listen = events.append if as_json else _show
    try:
        with show_download() as progress, report_progress(progress):
            found = run_async(plan.answer(model=model, store=store, listen=listen))
    except (BudgetReached, KeyboardInterrupt) as stop:
        if as_json:
            with suppress(ReaderGone):
                print_json(_describe_stop(events, stop, protocol, given, monotonic() - began))
        raise
    with exit_after(FAILED if found.failed else DONE):
        if as_json:
            print_json(found.to_dict())
        else:
            _print(found)


def _gather_settings(
    settings: tuple[str, ...], cast: tuple[str, ...], **options: str | list[str] | None
) -> dict[str, Any]:
    """Return the settings of ``--set``, ``--agent`` and of the options that are settings."""
    given = merge_settings(settings, cast, OPTIONS)
    if cast and options[MODELS]:
        raise InputError("--models and --agent: give one of the two")
    for name, value in options.items():
        if value is not None:
            if name in given:
                raise InputError(f"--{name} and --set {name}: give one of the two")
            given[name] = value
    if cast and not {"agents", "samples"} & set(given):  # as many agents as are listed
        given["agents"] = given.pop("cast")
    return given


def _show(event: Event) -> None:
    """Print a line for each turn as it comes in."""
    if isinstance(event, Turn):
        said = _excerpt(event) if event.answer is None else on_one_line(event.answer)
        if event.is_thought_only:
            said = f"({explain_empty(event)})"
        source = "replayed" if event.replayed else f"{event.seconds:.1f} s"
        sys.stderr.write(f"  round {event.round}  {event.agent:<14} {said}  [{source}]\n")
    elif isinstance(event, Searched):
        sys.stderr.write(f"  {describe_between(event)}  [{len(event.passages)} found]\n")
    elif isinstance(event, Noted):
        sys.stderr.write(f"  {describe_between(event)}\n")


def _excerpt(turn: Turn) -> str:
    """Return the beginning of a turn without an answer; that it has none where it should."""
    begins = on_one_line(turn.text, EXCERPT)
    if not turn.votes and begins:
        return f"({turn.step}) {begins}"
    return f"(no answer) {begins}" if begins else "(no answer, and no words)"


def _describe_stop(
    events: list[Event],
    stop: BaseException,
    protocol: str,
    given: dict[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """Return the JSON object of a debate that did not end, with the keys of one that did."""
    return describe_stop(
        events,
        stop,
        lambda transcript: Answer(transcript=transcript).to_dict(),
        KEYS,
        when="before the debate ended",
        seconds=seconds,
        known={"text": "", "protocol": protocol, "settings": given, "turns": [], "nodes": []},
    )


def _print(answer: Answer) -> None:
    from rich.markup import escape

    out = console()
    if answer.failed:
        out.print(f"[red]failed:[/red] {escape(make_visible(answer.failed))}")
    elif answer.answer is None:
        why = escape(make_visible(answer.by or "nobody"))
        out.print(f"[yellow]no answer[/yellow]: the debate came to none (by {why})", soft_wrap=True)
        newest = {turn.agent: turn.text for turn in answer.turns}
        for agent, text in newest.items():
            words = on_one_line(text, LAST_WORDS) or "(no words)"
            out.print(f"  {escape(f'{agent}: {words}')}", soft_wrap=True)
        where = f"in full: moot show {answer.run}"
        out.print(f"[dim]the last words of each, long ones cut at …; {where}[/dim]", soft_wrap=True)
    else:
        gap = "\n" if len(answer.answer) > SHORT or "\n" in answer.answer else "  "
        out.print(f"[bold]{escape(make_visible(answer.answer))}[/bold]{gap}(by {answer.by})")
    for dissent in answer.dissents[:SHOWN]:
        line = escape(make_visible(write_dissent(dissent, DISSENT)))
        out.print(f"[yellow]{line}[/yellow]", soft_wrap=True)
    if len(answer.dissents) > SHOWN:
        more = format_things(len(answer.dissents) - SHOWN, "dissent")
        out.print(f"[yellow]{more} more: moot show {answer.run}[/yellow]", soft_wrap=True)
    if answer.simulated:
        out.print("[magenta]simulated: an agent is no language model[/magenta]")
    usage = answer.usage
    told = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = (
        f"{format_count(usage.prompt_tokens)} + {format_things(usage.completion_tokens, 'token')}"
    )
    tokens += f", {format_count(usage.reasoning_tokens)} of them thought" * bool(
        usage.reasoning_tokens
    )
    if silent := sum(turn.is_thought_only for turn in answer.turns):
        replies = "reply has" if silent == 1 else "replies have"
        out.print(
            f"[yellow]{silent} {replies} no text[/yellow]: all tokens went into thought; raise "
            "max_tokens, or lower effort"
        )
    parts = [format_things(answer.calls, "call"), tokens if told else "tokens unknown"]
    parts += [format_dollars(answer.cost), f"{answer.seconds:.1f} s"]
    out.print(f"[dim]{', '.join(parts)}[/dim]")
    out.print(f"[dim]transcript: moot show {answer.run}[/dim]", soft_wrap=True)
