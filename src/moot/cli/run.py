"""``moot run``: a study, from its file to its results."""

import click
import msgspec

from moot.cli.console import (
    BUDGET,
    DONE,
    FAILED,
    console,
    drive,
    exiting,
    guarded,
    print_json,
)
from moot.cli.estimates import confirm, in_words, show_estimate
from moot.cli.notices import tell_kept
from moot.cli.progress import displayed
from moot.cli.study_options import Terms, study_options
from moot.core.plain import many, plain
from moot.reports.cap_text import before, cap_line
from moot.reports.results_view import show_results
from moot.reports.setup import in_force
from moot.runtime.collector import seldom_collecting
from moot.studies.forecast import Caps, Forecast, foresee
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.run import Outcome, run_plan
from moot.studies.study import Study, load


@click.command()
@click.argument("study")
@study_options()
@guarded
def run(study: str, terms: Terms) -> None:
    """Run STUDY, or go on with it where it stopped.

    STUDY is a TOML file or the name of a study that moot ships. Ctrl-C stops it at
    any time: what was paid for is kept.
    """
    read = terms.apply(load(study, model=terms.speaker))
    kept = tell_kept(read.arms, terms.model)
    with seldom_collecting():
        forecast, outcome = drive(_run(read, terms))
    if outcome is None:
        more = {"caps": forecast.caps, "kept_models": kept}
        show_estimate(
            forecast.estimate,
            forecast.not_ready,
            as_json=terms.as_json,
            run=forecast.run,
            **more,
        )
        if not terms.as_json:
            _show_arms(read, forecast.caps)
        return
    with exiting(BUDGET if outcome.stopped else FAILED if outcome.failed else DONE):
        if terms.as_json:
            print_json({**msgspec.to_builtins(outcome), "kept_models": kept})
        else:
            _print(outcome)


async def _run(study: Study, terms: Terms) -> tuple[Forecast, Outcome | None]:
    """Plan the study once, say what it takes, and run it; the outcome of a dry run is None.

    Raises ``InputError`` where the estimate was not accepted.
    """
    plan = Plan(study, limit=terms.limit)
    tables, wait = study.models, terms.wait
    async with open_lab(terms.store, tables=tables, wait=wait, as_allowed=True) as lab:
        forecast = await foresee(plan, lab, check=terms.dry_run)
        if terms.dry_run:
            return forecast, None
        if not terms.as_json:
            _tell_forecast(study, forecast)
        if not terms.yes:
            await confirm(study, forecast.estimate)
        async with displayed(quiet=terms.as_json) as display:
            return forecast, await run_plan(plan, lab, watch=display.watch)


def _tell_forecast(study: Study, forecast: Forecast) -> None:
    out = console(err=True)
    out.print(plain(f"{study.name}: {in_words(forecast.estimate)}"), markup=False)
    for told in before(forecast.caps):
        out.print(told, markup=False)


def _show_arms(study: Study, caps: Caps) -> None:
    """Print the caps, and every arm with its settings and its prompts."""
    for line in before(caps):
        console().print(f"  {line}", markup=False)
    for arm in study.arms:
        settings = ", ".join(in_force(arm.factors))
        console().print(plain(f"  {arm.name}: {arm.protocol} ({settings})"), markup=False)


def _print(outcome: Outcome) -> None:

    out = console()
    out.print(show_results(outcome.results))
    for reason, times in outcome.reasons.items():
        out.print(plain(f"{times} failed: {reason}"), markup=False, style="red")
    if outcome.stopped:
        held = many(outcome.debates, "debate")
        out.print(f"[yellow]{outcome.done} of {held}[/yellow]: stopped")
        out.print(outcome.stopped, markup=False)
    for process, replies in outcome.shared.items():
        told = f"{many(replies, 'reply')} came from {process}, which had asked first"
        out.print(plain(told), markup=False, style="dim")
    for cap in outcome.caps:
        out.print(cap_line(cap), markup=False, style="dim")
    wrote = any("essay-words" in arm.others for arm in outcome.results.arms)
    print_more(
        outcome.store, report=outcome.run, show=outcome.run, essays=outcome.run if wrote else None
    )


def print_more(store: str, *, report: str, show: str, essays: str | None = None) -> None:
    """Name the commands that tell more of a run, and more of essays if it wrote any."""
    place = "" if store == ".moot" else f" --store {store}"
    more = f"moot report {report}{place}  ·  moot show {show}{place}"
    if essays is not None:
        more += f"  ·  moot essays {essays}{place}"
    console().print(plain(more), markup=False, style="dim", soft_wrap=True)
