"""``moot tune``: the best settings of a protocol, found on some questions, tested on others."""

from typing import TYPE_CHECKING, Any

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
from moot.cli.run import print_more

if TYPE_CHECKING:
    from moot.studies.estimate import Estimate
    from moot.studies.tune import HeldOut, Tuned
    from moot.studies.tuning.file import Tuning
    from moot.studies.tuning.search import Trial

SHOWN = 10
"""Trials listed, the best first."""


@click.command()
@click.argument("study")
@click.option("--trials", type=int, help="Configurations to try; more of them go on.")
@click.option("--limit", type=int, help="The most questions of each dataset, before the split.")
@click.option("--model", help="The model where the study names none.")
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--dry-run", is_flag=True, help="Show the plan and its estimate; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the estimate.")
@wait_option
@store_option
@json_option
@guarded
def tune(
    study: str,
    trials: int | None,
    limit: int | None,
    model: str | None,
    max_cost: float | None,
    dry_run: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
    wait: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tune the protocol that the table [tune] of STUDY names.

    Settings are searched on one part of the questions; the best are compared with
    the baseline on the rest. Ctrl-C stops it at any time: the same command goes on.
    """
    from moot.core.plain import plain
    from moot.studies.lab import default_model
    from moot.studies.tuning.file import load

    read = load(study, model=model or default_model())
    tell_kept(read.study.arms, model)
    key, estimate = drive(_estimated(read, trials, limit, store))
    if dry_run:
        show_estimate(estimate, as_json=as_json, run=key)
        return
    if not as_json:
        console(err=True).print(plain(f"{key}: {in_words(estimate)}"), markup=False)
    if not yes:
        drive(confirm(read.study, estimate))
    tuned = drive(
        _tuned(
            read,
            quiet=as_json,
            trials=trials,
            limit=limit,
            max_cost=max_cost,
            store=store,
            wait=wait,
        )
    )
    with exiting(_code(tuned)):
        if as_json:
            print_json(tuned)
        else:
            _print(tuned)


def _code(tuned: "Tuned") -> int:
    """Budget reached in search or test; else something failed; else done."""
    states = [trial.state for trial in tuned.trials]
    if "unfinished" in states or (tuned.best is not None and tuned.test is None):
        return BUDGET
    lost = tuned.test is not None and any(arm.failed for arm in tuned.test.results.arms)
    return FAILED if "failed" in states or lost else DONE


async def _estimated(
    tuning: "Tuning", trials: int | None, limit: int | None, store: str | None
) -> "tuple[str, Estimate]":
    """The search's id and what it will take."""
    from moot.studies.tune import prepare

    return await prepare(tuning, trials=trials, limit=limit, store=store)


async def _tuned(tuning: "Tuning", *, quiet: bool, **options: Any) -> "Tuned":  # noqa: ANN401 -- as they are given on
    from moot.cli.progress import displayed
    from moot.studies.tune import tune as tuning_of

    async with displayed(quiet=quiet) as display:
        return await tuning_of(tuning, watch=display.watch, **options)


def _print(tuned: "Tuned") -> None:
    from rich.table import Table
    from rich.text import Text

    from moot.core.plain import count, dollars, many, percent, plain

    out = console()
    if tuned.simulated:
        out.print("Simulated agents, no language model.", style="bold yellow")
    table = Table(box=None, padding=(0, 2, 0, 0))
    priced = any(trial.value not in (None, trial.accuracy) for trial in tuned.trials)
    headings = ("accuracy %", *(["less its price"] * priced), "calls")
    table.add_column("trial", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right")
    table.add_column("settings", overflow="fold")
    for trial in _ranked(tuned)[:SHOWN]:
        state = "" if trial.state == "done" else f" {trial.state}"
        settings = ", ".join(f"{key} = {each}" for key, each in trial.settings.items())
        figures = (percent(trial.accuracy), *([percent(trial.value)] * priced), count(trial.calls))
        cells = (f"{trial.arm}{state}", *figures, settings or "the baseline")
        table.add_row(*(Text(plain(cell)) for cell in cells))
    out.print(table)
    states = [trial.state for trial in tuned.trials]
    ended = ", ".join(f"{states.count(s)} {s}" for s in dict.fromkeys(states))
    out.print(f"{many(tuned.development, 'development question')}; trials: {ended}", style="dim")
    if tuned.test is not None:
        _print_test(tuned, tuned.test)
    spent = tuned.spent
    cost = dollars(spent.cost) + (" and unknown" if spent.unknown_cost_calls else "")
    out.print(f"Paid: {many(spent.calls, 'call')}, {many(spent.tokens, 'token')}, {cost}.")
    if tuned.stopped:
        out.print(plain(f"Stopped: {tuned.stopped}"), markup=False, style="yellow")
    if tuned.arm:
        out.print(f"\n{plain(tuned.arm)}", markup=False, soft_wrap=True)


def _ranked(tuned: "Tuned") -> "list[Trial]":
    """The best first; what was pruned, failed or not finished after what is done."""

    def rank(trial: "Trial") -> tuple[bool, float]:
        return trial.state != "done", -(trial.value if trial.value is not None else -1e9)

    return sorted(tuned.trials, key=rank)


def _print_test(tuned: "Tuned", test: "HeldOut") -> None:
    from moot.core.plain import equals, many, percent, span

    out = console()
    out.print(f"\n[bold]On {many(test.questions, 'held-out question')}[/bold]")
    for name, mean in (("tuned", test.tuned), ("baseline", test.untuned)):
        if name == "tuned" and test.difference is None:
            continue
        figures = f"{percent(mean.mean)} ({span(mean.low, mean.high)})"
        out.print(f"{name:<12}{figures}", markup=False)
    if (gap := test.difference) is None:
        out.print("No configuration was better than the baseline on the development questions.")
        return
    figures = f"{percent(gap.mean, sign=True)} ({span(gap.low, gap.high, sign=True)})"
    out.print(f"{'difference':<12}{figures}, p {equals(gap.p)}", markup=False)
    first, best = tuned.trials[0], tuned.best
    if best and best.accuracy is not None and first.accuracy is not None:
        gain = percent(best.accuracy - first.accuracy, sign=True)
        out.print(
            f"{'optimism':<12}{percent(test.optimism, sign=True)}: the gain on the development "
            f"questions was {gain}",
            markup=False,
        )
    if test.before:
        times = many(test.before, "time")
        out.print(f"These questions were asked {times} before, with other settings found here.")
    print_more(tuned.store, report=test.run, show=tuned.run)
