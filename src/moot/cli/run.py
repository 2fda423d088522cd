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
    json_option,
    print_json,
    store_option,
    wait_option,
)
from moot.cli.estimates import confirm, in_words, show_estimate
from moot.cli.progress import displayed
from moot.cli.replaced import tell_kept
from moot.cli.settings import price_option, prices
from moot.core.plain import many, plain
from moot.reports.cap_text import before, cap_line
from moot.reports.results_view import show_results
from moot.reports.setup import in_force
from moot.runtime.collector import seldom_collecting
from moot.studies.forecast import Caps, Forecast, foresee
from moot.studies.lab import default_model, open_lab
from moot.studies.plan import Plan
from moot.studies.run import Outcome, capped, run_plan
from moot.studies.study import Study, load


@click.command()
@click.argument("study")
@click.option("--limit", type=int, help="The most questions of each dataset.")
@click.option("--model", help="The model of arms that name none.")
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@price_option
@click.option("--dry-run", is_flag=True, help="Show the plan and its estimate; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the estimate.")
@wait_option
@store_option
@json_option
@guarded
def run(
    study: str,
    limit: int | None,
    model: str | None,
    max_cost: float | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
    wait: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Run STUDY, or go on with it where it stopped.

    STUDY is a TOML file or the name of a study that moot ships. Ctrl-C stops it at
    any time: what was paid for is kept.
    """
    read = load(study, model=model or default_model())
    read = msgspec.structs.replace(read, prices={**read.prices, **prices(priced)})
    kept = tell_kept(read.arms, model)
    read = capped(read, max_cost)
    with seldom_collecting():
        work = _run(read, limit, store, dry_run=dry_run, yes=yes, wait=wait, quiet=as_json)
        forecast, outcome = drive(work)
    if outcome is None:
        more = {"caps": forecast.caps, "kept_models": kept}
        show_estimate(
            forecast.estimate, forecast.not_ready, as_json=as_json, run=forecast.run, **more
        )
        if not as_json:
            _show_arms(read, forecast.caps)
        return
    with exiting(BUDGET if outcome.stopped else FAILED if outcome.failed else DONE):
        if as_json:
            print_json({**msgspec.to_builtins(outcome), "kept_models": kept})
        else:
            _print(outcome)


async def _run(
    study: Study,
    limit: int | None,
    store: str | None,
    *,
    dry_run: bool,
    yes: bool,
    wait: bool,
    quiet: bool,
) -> tuple[Forecast, Outcome | None]:
    """Plan the study once, tell what it takes, and run it; None as the outcome of a dry run.

    Raises ``InputError`` where the estimate was not accepted.
    """
    plan = Plan(study, limit=limit)
    async with open_lab(store, tables=study.models, wait=wait, as_allowed=True) as lab:
        forecast = await foresee(plan, lab, check=dry_run)
        if dry_run:
            return forecast, None
        if not quiet:
            _tell_forecast(study, forecast)
        if not yes:
            await confirm(study, forecast.estimate)
        async with displayed(quiet=quiet) as display:
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
