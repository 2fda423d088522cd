"""``moot tune``: the best settings of a protocol, found on some questions, tested on others."""

from collections.abc import Mapping
from functools import partial

import click
import msgspec

from moot.contrib.tuning.fitting_run import THRESHOLD, FittedGate, GateTest, PreparedFit, run_fit
from moot.contrib.tuning.prepared_search import PreparedSearch
from moot.contrib.tuning.search import Trial
from moot.contrib.tuning.tuning_file import Tuning, load
from moot.contrib.tuning.tuning_run import HeldOut, Tuned, prepare_search, run_search
from moot.extend.analyses import Difference, Mean
from moot.extend.calls import collect_seldom
from moot.extend.records import Spent
from moot.extend.studies import Estimate, open_lab
from moot.extend.terminal import (
    ExitCode,
    StudyOptions,
    confirm_estimate,
    console,
    run_async,
    show_estimate,
    show_progress,
    summarise_estimate,
)
from moot.extend.words import (
    format_count,
    format_dollars,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    make_visible,
)

SIMULATED = "Simulated agents, no language model."
SHOWN = 10
"""Trials listed, the best first."""


@click.command()
@StudyOptions.study
@click.option("--trials", type=int, help="Configurations to try; more of them go on.")
@StudyOptions.flags(limit="The most questions of each dataset, before the split.")
def tune(study: str, trials: int | None, terms: StudyOptions) -> None:
    """Tune the protocol that the table [tune] of STUDY names.

    Settings are searched on one part of the questions; the best are compared with
    the baseline on the rest. With the key "fit" the threshold of a gate, or its
    classifier, is fitted on the one part, written to a file, and tested on the
    rest. Ctrl-C stops it at any time: the same command goes on.
    """
    read = load(study, model=terms.usual_model)
    read = msgspec.structs.replace(read, study=terms.apply(read.study))
    terms.report_kept_models(read.study.arms)
    with collect_seldom():
        key, estimate, found = run_async(_run(terms, read, trials))
    if found is None:
        show_estimate(estimate, as_json=terms.as_json, run=key)
        return
    show = partial(_print_fit, found) if isinstance(found, FittedGate) else partial(_print, found)
    terms.end(found, show, _find_code(found))


async def _run(
    terms: StudyOptions, tuning: Tuning, trials: int | None
) -> tuple[str, Estimate, Tuned | FittedGate | None]:
    """Prepare once, say what it takes, and search or fit; what a dry run finds is None.

    Raises ``InputError`` where the estimate was not accepted.
    """
    async with open_lab(terms.store, tables=tuning.study.models, wait=terms.wait) as lab:
        lab.check_workers(terms.ray, terms.workers, tuning.study.models_that_speak)
        prepared: PreparedFit | PreparedSearch
        if tuning.table.fit:
            prepared = PreparedFit(lab, tuning, terms.limit)
        else:
            prepared = prepare_search(lab, tuning, trials=trials, limit=terms.limit)
        key, estimate = prepared.key, await prepared.expect(lab)
        if terms.dry_run:
            return key, estimate, None
        if not terms.as_json:
            told = make_visible(f"{key}: {summarise_estimate(estimate)}")
            console(err=True).print(told, markup=False)
        if not terms.yes:
            await confirm_estimate(tuning.study, estimate)
        async with (
            lab.use_workers(terms.ray, terms.workers),
            show_progress(quiet=terms.as_json) as display,
        ):
            if isinstance(prepared, PreparedFit):
                return key, estimate, await run_fit(prepared, lab, watch=display.watch)
            return key, estimate, await run_search(prepared, lab, watch=display.watch)


def _find_code(found: Tuned | FittedGate) -> int:
    """Return the exit code: budget reached; else something failed or was refused; else done."""
    if isinstance(found, FittedGate):
        return (
            ExitCode.BUDGET
            if found.stopped
            else ExitCode.DONE
            if found.threshold
            else ExitCode.FAILED
        )
    states = [trial.state for trial in found.trials]
    if "unfinished" in states or (found.best is not None and found.test is None):
        return ExitCode.BUDGET
    lost = found.test is not None and any(arm.failed for arm in found.test.results.arms)
    return ExitCode.FAILED if "failed" in states or lost else ExitCode.DONE


def _print(tuned: Tuned) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    if tuned.simulated:
        out.print(SIMULATED, style="bold yellow")
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
    _print_end(tuned.spent, tuned.stopped)
    if tuned.arm:
        out.print(f"\n{make_visible(tuned.arm)}", markup=False, soft_wrap=True)


def _rank_trials(tuned: Tuned) -> list[Trial]:
    """Return the trials, the best first; pruned, failed and unfinished ones follow."""

    def rank(trial: Trial) -> tuple[bool, float]:
        return trial.state != "done", -(trial.value if trial.value is not None else -1e9)

    return sorted(tuned.trials, key=rank)


def _print_end(spent: Spent, stopped: str | None) -> None:
    out = console()
    cost = format_dollars(spent.cost) + (" and unknown" if spent.unknown_cost_calls else "")
    out.print(
        f"Paid: {format_things(spent.calls, 'call')}, {format_things(spent.tokens, 'token')}, "
        f"{cost}."
    )
    if stopped:
        out.print(make_visible(f"Stopped: {stopped}"), markup=False, style="yellow")


def _print_held_out(questions: int, means: Mapping[str, Mean], gap: Difference | None) -> None:
    """Print accuracies on the questions that were held out, and their difference."""
    out = console()
    out.print(f"\n[bold]On {format_things(questions, 'held-out question')}[/bold]")
    for name, mean in means.items():
        figures = f"{format_percent(mean.mean)} ({format_interval(mean.low, mean.high)})"
        out.print(f"{name:<12}{figures}", markup=False)
    if gap is not None:
        out.print(f"{'difference':<12}{_show_gap(gap)}, p {format_p_equals(gap.p)}", markup=False)


def _show_gap(gap: Difference) -> str:
    ends = format_interval(gap.low, gap.high, sign=True)
    return f"{format_percent(gap.mean, sign=True)} ({ends})"


def _print_test(tuned: Tuned, test: HeldOut) -> None:
    out, gap = console(), test.difference
    means = {"baseline": test.untuned}
    _print_held_out(test.questions, {"tuned": test.tuned} | means if gap else means, gap)
    if gap is None:
        out.print("No configuration was better than the baseline on the development questions.")
        return
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
    StudyOptions.print_more(report=test.run, show=tuned.run)


def _print_fit(fitted: FittedGate) -> None:
    out = console()
    if fitted.simulated:
        out.print(SIMULATED, style="bold yellow")
    if fitted.n:
        wrong = fitted.n - fitted.unread - fitted.right
        out.print(
            f"{format_things(fitted.n, 'debate')}; first rounds: {format_count(fitted.right)} "
            f"right, {format_count(wrong)} wrong, {format_count(fitted.unread)} without a "
            f"{fitted.signal} that can be read",
            style="dim",
        )
    if fitted.auroc.mean is not None:
        out.print(f"{'AUROC':<12}{_describe_auroc(fitted.auroc)}", markup=False)
    chosen = fitted.threshold
    if chosen is not None:
        above = "above" if fitted.setting == THRESHOLD else "of at least"
        out.print(f"{'threshold':<12}{fitted.signal} {above} {chosen.threshold:g}", markup=False)
        out.print(
            f"{'spared':<12}{format_percent(chosen.accepted)} % of the debates, "
            f"{format_percent(1 - chosen.share)} % of the tokens; accuracy "
            f"{_show_gap(chosen.difference)}",
            markup=False,
        )
    if fitted.why:
        style = "" if chosen else "yellow"
        why = fitted.why[:1].upper() + fitted.why[1:]
        out.print(make_visible(f"{why}."), markup=False, style=style)
    if fitted.test is not None:
        _print_gate_test(fitted, fitted.test)
    _print_end(fitted.spent, fitted.stopped)
    if chosen is not None:
        told = f'\n{fitted.file}: {fitted.setting} = "{fitted.file}" in a study of other questions'
        out.print(make_visible(told), markup=False, soft_wrap=True)


def _describe_auroc(auroc: Mean) -> str:
    ends = "" if auroc.low is None else f" ({auroc.low:.3f} to {auroc.high:.3f})"
    return f"{auroc.mean:.3f}{ends}: how well it tells right first rounds from wrong ones"


def _print_gate_test(fitted: FittedGate, test: GateTest) -> None:
    means = {"gated": test.gated, "always": test.always}
    _print_held_out(test.questions, means, test.difference)
    if test.share is not None:
        console().print(f"{'tokens':<12}{format_percent(1 - test.share)} % spared", markup=False)
    StudyOptions.print_more(report=test.run, show=fitted.run)
