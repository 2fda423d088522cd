"""``moot run``: a study, from its file to its results."""

from typing import TYPE_CHECKING

import click

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
from moot.cli.replaced import tell_kept
from moot.cli.settings import price_option, prices

if TYPE_CHECKING:
    from moot.studies.caps import Foreseen
    from moot.studies.estimate import Estimate
    from moot.studies.run import Outcome
    from moot.studies.study import Study


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
    import msgspec

    from moot.core.plain import plain
    from moot.reports.caps import before
    from moot.studies.lab import default_model
    from moot.studies.run import capped
    from moot.studies.study import load

    read = load(study, model=model or default_model())
    read = msgspec.structs.replace(read, prices={**read.prices, **prices(priced)})
    kept = tell_kept(read.arms, model)
    read = capped(read, max_cost)
    key, estimate, missing, caps = drive(_estimated(read, limit, store, check=dry_run))
    if dry_run:
        more = {"caps": caps, "kept_models": kept}
        show_estimate(estimate, missing, as_json=as_json, run=key, **more)
        if not as_json:
            _show_arms(read, caps)
        return
    if not as_json:
        console(err=True).print(plain(f"{read.name}: {in_words(estimate)}"), markup=False)
        for line in before(caps):
            console(err=True).print(line, markup=False)
    if not yes:
        confirm(read, estimate)
    outcome = drive(_run(read, limit, store, wait=wait, quiet=as_json))
    with exiting(BUDGET if outcome.stopped else FAILED if outcome.failed else DONE):
        if as_json:
            print_json({**msgspec.to_builtins(outcome), "kept_models": kept})
        else:
            _print(outcome)


async def _estimated(
    study: "Study", limit: int | None, store: str | None, *, check: bool
) -> "tuple[str, Estimate, list[str], Foreseen]":
    """The run's id, what it will take, if checked what is not ready, and its caps."""
    from moot.ledger.place import is_readonly, store_path
    from moot.studies.caps import foreseen
    from moot.studies.expected import estimate
    from moot.studies.lab import open_lab
    from moot.studies.plan import Plan
    from moot.studies.readiness import problems
    from moot.studies.run import models_of

    plan = Plan(study, limit=limit)
    readonly = is_readonly(store_path(store))
    async with open_lab(store, readonly=readonly, tables=study.models) as lab:
        missing = await problems(map(lab.model, models_of(study))) if check else []
        return plan.key, await estimate(plan, lab), missing, foreseen(plan, lab)


def _show_arms(study: "Study", caps: "Foreseen") -> None:
    """The caps, and every arm with its settings."""
    from moot.core.plain import plain
    from moot.reports.caps import before
    from moot.reports.setup import in_force

    for line in before(caps):
        console().print(f"  {line}", markup=False)
    for arm in study.arms:
        settings = ", ".join(in_force(arm.settings))
        console().print(plain(f"  {arm.name}: {arm.protocol} ({settings})"), markup=False)


async def _run(
    study: "Study", limit: int | None, store: str | None, *, wait: bool, quiet: bool
) -> "Outcome":
    from moot.cli.progress import displayed
    from moot.studies import run as running

    async with displayed(quiet=quiet) as display:
        return await running.run(study, store=store, limit=limit, watch=display.watch, wait=wait)


def _print(outcome: "Outcome") -> None:
    from moot.core.plain import many, plain
    from moot.reports.caps import cap_line
    from moot.reports.table import results_table

    out = console()
    out.print(results_table(outcome.results))
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
    from moot.core.plain import plain

    place = "" if store == ".moot" else f" --store {store}"
    more = f"moot report {report}{place}  ·  moot show {show}{place}"
    if essays is not None:
        more += f"  ·  moot essays {essays}{place}"
    console().print(plain(more), markup=False, style="dim", soft_wrap=True)
