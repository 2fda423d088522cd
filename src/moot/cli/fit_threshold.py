"""``moot tune`` where it fits the threshold of a gate and writes its file."""

from moot.cli.console import BUDGET, DONE, FAILED, console, exit_after, print_json, run_async
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.progress_line import show_progress
from moot.cli.run import print_more
from moot.cli.study_options import StudyOptions
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    make_visible,
)
from moot.core.results import Mean
from moot.runtime.collector import collect_seldom
from moot.studies.cluster.driver import check_cluster, use_cluster
from moot.studies.estimate import Estimate
from moot.studies.lab import open_lab
from moot.studies.tuning.fitting_run import FittedGate, GateTest, PreparedFit, run_fit
from moot.studies.tuning.tuning_file import Tuning


def fit_and_print(tuning: Tuning, terms: StudyOptions) -> None:
    """Fit the threshold that the table ``[tune]`` asks for, and print what came of it."""
    with collect_seldom():
        key, estimate, fitted = run_async(_fit(tuning, terms))
    if fitted is None:
        show_estimate(estimate, as_json=terms.as_json, run=key)
        return
    with exit_after(_code(fitted)):
        if terms.as_json:
            print_json(fitted)
        else:
            _print(fitted)


async def _fit(tuning: Tuning, terms: StudyOptions) -> tuple[str, Estimate, FittedGate | None]:
    """Prepare the fit, say what it takes, and run it; what a dry run finds is None.

    Raises ``InputError`` where the estimate was not accepted.
    """
    async with open_lab(terms.store, tables=tuning.study.models, wait=terms.wait) as lab:
        check_cluster(lab, terms.ray, terms.workers)
        prepared = PreparedFit(lab, tuning, terms.limit)
        estimate = await prepared.expect(lab)
        if terms.dry_run:
            return prepared.key, estimate, None
        if not terms.as_json:
            told = make_visible(f"{prepared.key}: {summarise_estimate(estimate)}")
            console(err=True).print(told, markup=False)
        if not terms.yes:
            await confirm_estimate(tuning.study, estimate)
        async with (
            use_cluster(lab, terms.ray, terms.workers),
            show_progress(quiet=terms.as_json) as display,
        ):
            return prepared.key, estimate, await run_fit(prepared, lab, watch=display.watch)


def _code(fitted: FittedGate) -> int:
    """Return the exit code: budget reached; else refused; else done."""
    if fitted.stopped:
        return BUDGET
    return DONE if fitted.threshold else FAILED


def _print(fitted: FittedGate) -> None:
    out = console()
    if fitted.simulated:
        out.print("Simulated agents, no language model.", style="bold yellow")
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
        gap = chosen.difference
        out.print(f"{'threshold':<12}{fitted.signal} above {chosen.threshold:g}", markup=False)
        out.print(
            f"{'spared':<12}{format_percent(chosen.accepted)} % of the debates, "
            f"{format_percent(1 - chosen.share)} % of the tokens; accuracy "
            f"{format_percent(gap.mean, sign=True)} "
            f"({format_interval(gap.low, gap.high, sign=True)})",
            markup=False,
        )
    if fitted.why:
        style = "" if chosen else "yellow"
        why = fitted.why[:1].upper() + fitted.why[1:]
        out.print(make_visible(f"{why}."), markup=False, style=style)
    if fitted.test is not None:
        _print_test(fitted, fitted.test)
    spent = fitted.spent
    cost = format_dollars(spent.cost) + (" and unknown" if spent.unknown_cost_calls else "")
    out.print(
        f"Paid: {format_things(spent.calls, 'call')}, {format_things(spent.tokens, 'token')}, "
        f"{cost}."
    )
    if fitted.stopped:
        out.print(make_visible(f"Stopped: {fitted.stopped}"), markup=False, style="yellow")
    if chosen is not None:
        told = f'\n{fitted.file}: threshold = "{fitted.file}" in a study of other questions'
        out.print(make_visible(told), markup=False, soft_wrap=True)


def _describe_auroc(auroc: Mean) -> str:
    ends = "" if auroc.low is None else f" ({auroc.low:.3f} to {auroc.high:.3f})"
    return f"{auroc.mean:.3f}{ends}: how well it tells right first rounds from wrong ones"


def _print_test(fitted: FittedGate, test: GateTest) -> None:
    out = console()
    out.print(f"\n[bold]On {format_things(test.questions, 'held-out question')}[/bold]")
    for name, mean in (("gated", test.gated), ("always", test.always)):
        figures = f"{format_percent(mean.mean)} ({format_interval(mean.low, mean.high)})"
        out.print(f"{name:<12}{figures}", markup=False)
    gap = test.difference
    figures = (
        f"{format_percent(gap.mean, sign=True)} ({format_interval(gap.low, gap.high, sign=True)})"
    )
    out.print(f"{'difference':<12}{figures}, p {format_p_equals(gap.p)}", markup=False)
    if test.share is not None:
        out.print(f"{'tokens':<12}{format_percent(1 - test.share)} % spared", markup=False)
    print_more(fitted.store, report=test.run, show=fitted.run)
