"""``moot tune``: the best settings of a protocol, found on some questions, tested on others."""

import click
import msgspec

from moot.cli.console import (
    BUDGET,
    DONE,
    FAILED,
    catch_errors,
    console,
    exit_after,
    print_json,
    run_async,
)
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.fit_threshold import fit_and_print
from moot.cli.notices import report_kept_models
from moot.cli.progress_line import show_progress
from moot.cli.run import print_more
from moot.cli.study_options import StudyOptions, study_options
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    make_visible,
)
from moot.runtime.collector import collect_seldom
from moot.studies.cluster.driver import check_cluster, use_cluster
from moot.studies.estimate import Estimate
from moot.studies.lab import open_lab
from moot.studies.tuning.search import Trial
from moot.studies.tuning.tuning_file import Tuning, load
from moot.studies.tuning_run import HeldOut, Tuned, prepare_search, run_search

SHOWN = 10
"""Trials listed, the best first."""


@click.command()
@click.argument("study")
@click.option("--trials", type=int, help="Configurations to try; more of them go on.")
@study_options(limit="The most questions of each dataset, before the split.")
@catch_errors
def tune(study: str, trials: int | None, terms: StudyOptions) -> None:
    """Tune the protocol that the table [tune] of STUDY names.

    Settings are searched on one part of the questions; the best are compared with
    the baseline on the rest. With the key "fit" the threshold of a gate is fitted
    on the one part, written to a file, and tested on the rest. Ctrl-C stops it at
    any time: the same command goes on.
    """
    read = load(study, model=terms.usual_model)
    read = msgspec.structs.replace(read, study=terms.apply(read.study))
    report_kept_models(read.study.arms, terms.model)
    if read.table.fit:
        fit_and_print(read, terms)
        return
    with collect_seldom():
        key, estimate, tuned = run_async(_tune(read, trials, terms))
    if tuned is None:
        show_estimate(estimate, as_json=terms.as_json, run=key)
        return
    with exit_after(_code(tuned)):
        if terms.as_json:
            print_json(tuned)
        else:
            _print(tuned)


async def _tune(
    tuning: Tuning, trials: int | None, terms: StudyOptions
) -> tuple[str, Estimate, Tuned | None]:
    """Prepare the search once, say what it takes, and run it; what a dry run finds is None.

    Raises ``InputError`` where the estimate was not accepted.
    """
    async with open_lab(terms.store, tables=tuning.study.models, wait=terms.wait) as lab:
        check_cluster(lab, terms.ray, terms.workers)
        prepared = prepare_search(lab, tuning, trials=trials, limit=terms.limit)
        estimate = await prepared.expect(lab)
        if terms.dry_run:
            return prepared.key, estimate, None
        if not terms.as_json:
            told = make_visible(f"{prepared.key}: {summarise_estimate(estimate)}")
            console(err=True).print(told, markup=False)
        if not terms.yes:
            await confirm_estimate(prepared.tuning.study, estimate)
        async with (
            use_cluster(lab, terms.ray, terms.workers),
            show_progress(quiet=terms.as_json) as display,
        ):
            tuned = await run_search(prepared, lab, watch=display.watch)
            return prepared.key, estimate, tuned


def _code(tuned: Tuned) -> int:
    """Return the exit code: budget reached in search or test; else something failed; else done."""
    states = [trial.state for trial in tuned.trials]
    if "unfinished" in states or (tuned.best is not None and tuned.test is None):
        return BUDGET
    lost = tuned.test is not None and any(arm.failed for arm in tuned.test.results.arms)
    return FAILED if "failed" in states or lost else DONE


def _print(tuned: Tuned) -> None:
    from rich.table import Table
    from rich.text import Text

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
    for trial in _rank_trials(tuned)[:SHOWN]:
        state = "" if trial.state == "done" else f" {trial.state}"
        settings = ", ".join(f"{key} = {each}" for key, each in trial.settings.items())
        figures = (
            format_percent(trial.accuracy),
            *([format_percent(trial.value)] * priced),
            format_count(trial.calls),
        )
        cells = (f"{trial.arm}{state}", *figures, settings or "the baseline")
        table.add_row(*(Text(make_visible(cell)) for cell in cells))
    out.print(table)
    states = [trial.state for trial in tuned.trials]
    ended = ", ".join(f"{states.count(s)} {s}" for s in dict.fromkeys(states))
    out.print(
        f"{format_things(tuned.development, 'development question')}; trials: {ended}", style="dim"
    )
    if tuned.test is not None:
        _print_test(tuned, tuned.test)
    spent = tuned.spent
    cost = format_dollars(spent.cost) + (" and unknown" if spent.unknown_cost_calls else "")
    out.print(
        f"Paid: {format_things(spent.calls, 'call')}, {format_things(spent.tokens, 'token')}, "
        f"{cost}."
    )
    if tuned.stopped:
        out.print(make_visible(f"Stopped: {tuned.stopped}"), markup=False, style="yellow")
    if tuned.arm:
        out.print(f"\n{make_visible(tuned.arm)}", markup=False, soft_wrap=True)


def _rank_trials(tuned: Tuned) -> list[Trial]:
    """Return the trials, the best first; pruned, failed and unfinished ones follow."""

    def rank(trial: Trial) -> tuple[bool, float]:
        return trial.state != "done", -(trial.value if trial.value is not None else -1e9)

    return sorted(tuned.trials, key=rank)


def _print_test(tuned: Tuned, test: HeldOut) -> None:

    out = console()
    out.print(f"\n[bold]On {format_things(test.questions, 'held-out question')}[/bold]")
    for name, mean in (("tuned", test.tuned), ("baseline", test.untuned)):
        if name == "tuned" and test.difference is None:
            continue
        figures = f"{format_percent(mean.mean)} ({format_interval(mean.low, mean.high)})"
        out.print(f"{name:<12}{figures}", markup=False)
    if (gap := test.difference) is None:
        out.print("No configuration was better than the baseline on the development questions.")
        return
    figures = (
        f"{format_percent(gap.mean, sign=True)} ({format_interval(gap.low, gap.high, sign=True)})"
    )
    out.print(f"{'difference':<12}{figures}, p {format_p_equals(gap.p)}", markup=False)
    first, best = tuned.trials[0], tuned.best
    if best and best.accuracy is not None and first.accuracy is not None:
        gain = format_percent(best.accuracy - first.accuracy, sign=True)
        out.print(
            f"{'optimism':<12}{format_percent(test.optimism, sign=True)}: the gain on the "
            "development "
            f"questions was {gain}",
            markup=False,
        )
    if test.before:
        times = format_things(test.before, "time")
        out.print(f"These questions were asked {times} before, with other settings found here.")
    print_more(tuned.store, report=test.run, show=tuned.run)
