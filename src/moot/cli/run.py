"""``moot run``: a study, from its file to its results."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click
import msgspec

from moot.analyses.analysis import registry as analyses
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import report_ending
from moot.analyses.summary import describe_savings, summarise_results
from moot.cli.analyse import print_ending
from moot.cli.commands import list_followers
from moot.cli.console import (
    BUDGET,
    DONE,
    FAILED,
    WAITING,
    complete_study,
    console,
    run_async,
    say,
)
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.notices import NAMED, report_seats, warn_same_draws, warn_unshown
from moot.cli.progress_line import show_progress
from moot.cli.setting_options import models_option, split_models
from moot.cli.study_options import StudyOptions
from moot.core.display_text import format_some, format_things, make_visible
from moot.core.stored import Arm
from moot.core.table import Report, ResultTable
from moot.core.terminal import lend_terminal
from moot.debate.debate_settings import describe_features
from moot.reports.cap_text import cap_line, describe_caps
from moot.reports.setup import share_settings
from moot.runtime.collector import collect_seldom
from moot.studies.carrying import carry_batches, describe_batched
from moot.studies.forecast import Caps, Forecast, foresee
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.study import Study
from moot.studies.study_file import load
from moot.studies.study_run import Outcome, run_plan

_Ending = tuple[list[ResultTable], Report]
SEND = ""
"""The value of ``--batch`` without a file."""


@click.command()
@click.argument("study", shell_complete=complete_study)
@click.option(
    "--batch",
    metavar="[FILE]",
    is_flag=False,
    flag_value=SEND,
    help="Send calls as batches, at the batch price; or write them to FILE.jsonl.",
)
@click.option("--batch-wait", is_flag=True, help="Send batches, and wait until they have ended.")
@click.option(
    "--batch-cancel",
    is_flag=True,
    help="Cancel the batches that are open, and take in what they answered.",
)
@click.option(
    "--replies",
    metavar="FILE",
    multiple=True,
    help="Take in what an offline engine replied; may be given more than once.",
)
@click.option(
    "--replay", is_flag=True, help="Run finished debates again, too, from their recorded replies."
)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    metavar="NAME",
    help="A method, a protocol, or a pattern: run these alone; may be given more than once.",
)
@models_option
@StudyOptions.flags()
def run(
    study: str,
    *,
    arms: tuple[str, ...],
    models: str | None,
    batch: str | None,
    batch_wait: bool,
    batch_cancel: bool,
    replies: tuple[str, ...],
    replay: bool,
    terms: StudyOptions,
) -> None:
    """Run STUDY, or go on with it where it stopped.

    STUDY is a TOML file or the name of a study that moot ships. Ctrl-C stops it at
    any time: what was paid for is kept.

    With --batch or --replies, debates advance until they wait for a reply, and
    exit code 6 says that calls wait: run again to go on. The lines of files are
    those of the batches API, as `vllm run-batch` reads and writes them.
    """
    seated = split_models(models)
    usual = terms.model or next(iter(seated), terms.usual_model)
    read = terms.apply(load(study, model=usual, models=seated, arms=arms))
    for name in read.analyses:
        analyses.get(name, where=f"{read.file}: analyses")
    to = True if batch == SEND or (batch_wait and batch is None) else batch
    batches = {"batch": to, "replies": replies, "wait": batch_wait, "cancel": batch_cancel}
    kept = terms.report_kept_models(read.arms)
    if seated:
        report_seats(read.arms, seated)
    if read.left_out:
        _tell_left_out(read.left_out)
    with collect_seldom():
        forecast, outcome, ending = run_async(_run(read, terms, batches, replay=replay))
    if outcome is None:
        show_estimate(
            forecast.estimate,
            forecast.not_ready,
            as_json=terms.as_json,
            run=forecast.run,
            caps=forecast.caps,
            kept_models=kept,
        )
        if not terms.as_json:
            _show_arms(read, forecast.caps)
        return
    told = {
        **msgspec.to_builtins(outcome),
        "findings": list(summarise_results(outcome.results)),
        "verdicts": msgspec.to_builtins(outcome.results.verdicts),
        "kept_models": kept,
    }
    show = partial(_print, read.arms, outcome, ending)
    terms.end(told, show, _find_code(outcome))


def _tell_left_out(names: Sequence[str]) -> None:
    """Say on standard error which methods were not chosen."""
    named = format_some([*map(repr, names)], NAMED)
    told = f"left out by --arm: {format_things(len(names), 'method')}: {named}"
    say(make_visible(told), err=True)


def _find_code(outcome: Outcome) -> int:
    if outcome.waiting:
        return WAITING
    return BUDGET if outcome.stopped else FAILED if outcome.failed else DONE


async def _run(
    study: Study, terms: StudyOptions, batches: dict[str, Any], *, replay: bool
) -> tuple[Forecast, Outcome | None, _Ending]:
    """Plan the study once, say what it takes, run and report it; the outcome of a dry run is None.

    ``batches`` has the arguments of ``carry_batches``, which say how calls go out.

    Raises ``InputError`` where the estimate was not accepted.
    """
    plan = Plan(study, limit=terms.limit)
    warn_same_draws(plan.arms)
    warn_unshown(plan.arms)
    _warn_void_settings(plan)
    tables, wait = study.models, terms.wait
    async with open_lab(terms.store, tables=tables, wait=wait, as_allowed=True) as lab:
        with carry_batches(lab, plan, **batches):
            lab.check_workers(terms.ray, terms.workers, plan.models)
            with lend_terminal():
                forecast = await foresee(plan, lab, check=terms.dry_run)
            if terms.dry_run:
                return forecast, None, ([], Report("", "", []))
            if not terms.as_json:
                _tell_forecast(study, forecast)
            if not (terms.yes or batches["cancel"]):
                await confirm_estimate(study, forecast.estimate)
            async with (
                lab.use_workers(terms.ray, terms.workers),
                show_progress(quiet=terms.as_json) as display,
            ):
                outcome = await run_plan(plan, lab, watch=display.watch, replay=replay)
        runs = RecordedRuns(lab, [outcome.run])
        shown = outcome.results.arms
        if terms.as_json or all(arm.accuracy.mean is None for arm in shown):  # all metrics
            outcome = msgspec.structs.replace(outcome, results=runs.whole)
        ending: _Ending = [], Report("", "", [])
        if not terms.as_json:
            ending = report_ending(runs, outcome.results)
        return forecast, outcome, ending


def _warn_void_settings(plan: Plan) -> None:
    """Say on standard error which settings of arms change nothing on the questions of a dataset."""
    void: dict[tuple[str, str, str], list[str]] = {}
    kinds: dict[str, set[str]] = {}
    for ready in plan.arms:
        if not any(ready.settings.find_void([""])):
            continue
        for label, questions in plan.questions.items():
            if label not in kinds:
                kinds[label] = {each.kind for each in questions}
            for name, meaning in ready.settings.find_void(kinds[label]):
                void.setdefault((label, name, meaning), []).append(ready.arm.name)
    for (label, name, meaning), arms in void.items():
        asked = f"{label}, whose questions are of kind {' and '.join(sorted(kinds[label]))}"
        told = f"{name} changes next to nothing on {asked}: {format_some(arms, NAMED)}"
        say(make_visible(f"{told}\n  {name}: {meaning}"), err=True)


def _tell_forecast(study: Study, forecast: Forecast) -> None:
    out = console(err=True)
    out.print(make_visible(f"{study.name}: {summarise_estimate(forecast.estimate)}"), markup=False)
    for told in describe_caps(forecast.caps):
        out.print(told, markup=False)


def _show_arms(study: Study, caps: Caps) -> None:
    """Print the caps, what all methods have in common, and each with its own settings."""
    lines = [f"  {line}" for line in describe_caps(caps)]
    shared, own = share_settings(study.arms)
    lines += [f"  all: {', '.join(shared)}"] * bool(shared)
    for arm in study.arms:
        told = f" ({', '.join(own[arm.name])})" if own[arm.name] else ""
        named = "" if arm.name == arm.protocol else f"{arm.name}: "
        lines.append(f"  {named}{arm.protocol}{told}")
    lines += [f"  {each}" for each in describe_features(study.arms)]
    for line in lines:
        console().print(make_visible(line), markup=False)


def _print(arms: Sequence[Arm], outcome: Outcome, ending: _Ending) -> None:
    """Print what went wrong, then how it was run, then the answer and its table."""
    out = console()
    for reason, times in outcome.reasons.items():
        out.print(make_visible(f"{times} failed: {reason}"), markup=False, style="red")
    if outcome.stopped:
        held = format_things(outcome.debates, "debate")
        out.print(f"[yellow]{outcome.done} of {held}[/yellow]: stopped")
        out.print(outcome.stopped, markup=False)
    for place, calls in outcome.waiting.items():
        told = f"{place}: {format_things(calls, 'call')}"
        out.print(make_visible(told), markup=False, soft_wrap=True)
    for told in _list_circumstances(outcome):
        out.print(make_visible(told), markup=False, style="dim")
    forms, answer = ending
    print_ending(answer, forms, outcome.run)
    followers = list_followers(arm.settings for arm in arms)
    more = dict.fromkeys(followers, outcome.run)
    StudyOptions.print_more(report=outcome.run, show=outcome.run, **more)


def _list_circumstances(outcome: Outcome) -> Iterator[str]:
    """Yield how a run was made: batches, cached calls, finished debates and caps."""
    yield from filter(None, (describe_batched(outcome.results), describe_savings(outcome.results)))
    for process, replies in outcome.shared.items():
        yield f"{format_things(replies, 'reply')} came from {process}, which had asked first"
    if outcome.unchanged:
        told = f"{format_things(outcome.unchanged, 'debate')} were finished and unchanged"
        if outcome.measured:
            told += f"; {outcome.measured:,} measured again, since metrics have changed"
        yield told
    yield from map(cap_line, outcome.caps)
