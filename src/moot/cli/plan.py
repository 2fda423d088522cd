"""``moot plan``: how many questions it takes to tell a debate from a vote."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import click
from msgspec import to_builtins
from msgspec.structs import replace

from moot.analyses.recorded_runs import RecordedRuns
from moot.cli.console import (
    complete_run,
    console,
    json_option,
    print_json,
    run_async,
    store_option,
)
from moot.core.display_text import format_count, format_things
from moot.core.entry_points import find_entry_points
from moot.core.errors import InputError, StoreError, UnknownName
from moot.core.results import Mean
from moot.core.table import Column, Report, ResultTable, TableRow, Value
from moot.core.worth import Estimate, MethodVerdict
from moot.reports.terminal import show_report
from moot.statistics.intervals import clopper_pearson
from moot.statistics.planning import MOST, PROMISED, Needed, QuestionPlan
from moot.statistics.planning import plan as make_plan
from moot.studies.lab import Lab, open_lab

READERS = "moot.recordings"
"""The entry points of packages that make runs of logs."""
ReadLog = Callable[[Lab, Path], Awaitable[str]]
"""Imports a log into the store and returns the key of its run."""


class _Wanted(NamedTuple):
    """The numbers to plan for: shares, not points.

    Attributes:
        methods: None for those of the run.
    """

    difference: float
    margin: float
    power: float
    methods: int | None


@click.command()
@click.argument("runs", metavar="[RUN|LOG]...", nargs=-1, shell_complete=complete_run)
@click.option(
    "--difference",
    type=float,
    default=5.0,
    show_default=True,
    metavar="POINTS",
    help="The difference to show.",
)
@click.option(
    "--discordance",
    type=float,
    metavar="SHARE",
    help="The share of questions on which just one of both is right, such as 0.2; that of RUN, if "
    "not given.",
)
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="The share of studies that show it.",
)
@click.option(
    "--methods",
    type=click.IntRange(min=1),
    metavar="K",
    help="Debates that are compared together; those of RUN, else 1, if not given.",
)
@click.option(
    "--margin",
    type=float,
    default=5.0,
    show_default=True,
    metavar="POINTS",
    help="The greatest difference that counts as equal.",
)
@store_option
@json_option
def plan(
    runs: tuple[str, ...],
    difference: float,
    discordance: float | None,
    power: float,
    methods: int | None,
    margin: float,
    store: str | None,
    *,
    as_json: bool,
) -> None:
    """Say how many questions it takes to show a difference.

    Two designs stand side by side: looked at after each question, as moot worth does, and once,
    when all questions are in. How many either takes depends on how often a debate and its vote
    differ: state that, or name a RUN, such as a pilot, or a LOG of debates that others recorded, in
    which it is counted; a LOG becomes a run of the store. Nothing is asked.
    """
    wanted = _Wanted(difference / 100, margin / 100, power, methods)
    _check(wanted, runs, discordance)
    if discordance is not None:
        plans, simulated = [_plan(wanted, discordance, methods or 1)], False
        report = _report_stated(plans[0])
    else:
        logs = {name for name in runs if Path(name).exists()}
        verdicts, simulated = run_async(_read(runs, logs, store))
        plans = [_plan_verdict(wanted, each, methods or len(verdicts)) for each in verdicts]
        report = _report_measured(plans, wanted, simulated=simulated)
    if as_json:
        told = {"simulated": simulated, "plans": to_builtins(plans)}
        print_json({"format": "moot-plan/1", **told})
    else:
        console().print(show_report(report))


def _check(wanted: _Wanted, runs: Sequence[str], discordance: float | None) -> None:
    for name, share in (("difference", wanted.difference), ("margin", wanted.margin)):
        if not 0 < share <= 1:
            raise InputError(f"{name} {100 * share:g} points: it is above 0, to 100, such as 5")
    if bool(runs) == (discordance is not None):
        raise InputError(
            "state how often a debate and its vote differ, such as --discordance 0.2, or name a "
            "RUN or a LOG of debates in which that is counted: one of both"
        )


async def _read(
    names: Sequence[str], logs: Collection[str], store: str | None
) -> tuple[list[MethodVerdict], bool]:
    """Return the verdicts of runs on debates that were compared, and whether any is simulated.

    Args:
        names: of runs, or paths.
        logs: those of them that are a file or folder; one that is no run becomes one.
        store: where the runs are.
    """
    async with open_lab(store, readonly=not logs) as lab:
        runs = [await _find_run(lab, name, is_log=name in logs) for name in names]
        results = RecordedRuns(lab, runs).whole
    compared = [each for each in results.verdicts if each.questions]
    if not compared:
        raise InputError(
            f"{', '.join(names)}: no debate there was compared with a vote or a single reply on "
            "questions with right answers; state --discordance instead"
        )
    return compared, bool(results.simulated)


async def _find_run(lab: Lab, name: str, *, is_log: bool) -> str:
    """Return the run that a name or a log stands for; a log is imported by the part that reads it.

    Raises:
        InputError: no part reads logs, or it cannot be read.
        StoreError: there is no such run.
    """
    try:
        return lab.store.find_run(name).key
    except (StoreError, UnknownName):
        if not is_log:
            raise
    reader = next(iter(find_entry_points(READERS)), None)
    if reader is None:
        raise InputError(f"{name}: it is no run, and no part that reads logs is installed")
    return await cast("ReadLog", reader.load())(lab, Path(name))


def _plan(wanted: _Wanted, discordance: float, methods: int) -> QuestionPlan:
    return make_plan(
        wanted.difference,
        discordance,
        power=wanted.power,
        methods=methods,
        margin=wanted.margin,
    )


def _plan_verdict(wanted: _Wanted, verdict: MethodVerdict, methods: int) -> QuestionPlan:
    """Plan with what one debate of a run showed; of none that differ, with half a question."""
    n, differing = verdict.questions, verdict.won + verdict.lost
    low, high = clopper_pearson(differing, n)
    return replace(
        _plan(wanted, max(differing, 0.5) / n, methods),
        dataset=verdict.dataset,
        arm=verdict.arm,
        opponent=verdict.opponent,
        questions=n,
        discordance=Estimate(estimate=differing / n, low=low, high=high),
    )


def _report_stated(plan: QuestionPlan) -> Report:
    """Return the plan for a stated discordance."""
    each = f"{_percent(plan.power)} of studies"
    columns = (
        Column("to show"),
        Column("half of studies", "count", group="after each question"),
        Column(each, "count", group="after each question"),
        Column(each, "count", group="at the end"),
    )
    rows = [
        TableRow([f"a difference of {_points(plan.difference)}", *_count(plan.shown)]),
        TableRow([f"none of more than {_points(plan.margin)}", *_count(plan.equal)]),
    ]
    discordance = _percent(plan.discordance.estimate or 0.0)
    table = ResultTable(
        f"Questions it takes, where a debate and its vote differ on {discordance} of them",
        columns,
        rows,
        note="Looked at after each question, half of studies are over by the first number, the "
        "others later. Looked at once, at the end, none is over before. The second line is for a "
        "debate and a vote that are alike.",
    )
    return _report([plan], table)


def _report_measured(plans: Sequence[QuestionPlan], wanted: _Wanted, *, simulated: bool) -> Report:
    """Return the plans for the debates of runs."""
    better, equal = _points(wanted.difference), f"within {round(100 * wanted.margin, 6):g}"
    columns = (
        Column("debate"),
        Column("n", "count"),
        Column("differ", "percent"),
        Column("each", "count", group=better),
        Column("end", "count", group=better),
        Column("each", "count", group=equal),
        Column("end", "count", group=equal),
    )
    rows = [
        TableRow([plan.arm, plan.questions, _show_discordance(plan), *counts], band=plan.dataset)
        for plan in plans
        for counts in [_count(plan.shown)[1:] + _count(plan.equal)[1:]]
    ]
    opponents = " or ".join(dict.fromkeys(plan.opponent for plan in plans))
    note = (
        f"Questions with which {_percent(wanted.power)} of studies show a difference of "
        f"{_points(wanted.difference)}, or none of more than {_points(wanted.margin)}: looked at "
        "after each question, or once, at the end. Differ: the share of n questions, in %, on "
        f"which just one of the debate and {opponents} was right, with its 95 % interval; at "
        "the upper end it takes as many more."
    )
    table = ResultTable("Questions that it takes", columns, rows, note=note)
    return _report(plans, table, simulated=simulated)


def _report(
    plans: Sequence[QuestionPlan], table: ResultTable, *, simulated: bool = False
) -> Report:
    methods = format_things(plans[0].methods, "method")
    about = f"{methods} compared; at most 5 % of studies say something false of any method"
    findings = tuple(_warn(plans))
    return Report("Plan", about, [table], simulated=simulated, findings=findings)


def _show_discordance(plan: QuestionPlan) -> Mean:
    found = plan.discordance
    return Mean(
        mean=found.estimate,
        low=found.low,
        high=found.high,
        n=plan.questions or 0,
        questions=plan.questions or 0,
    )


def _count(needed: Needed) -> list[Value]:
    """Return half, each and once, as a table shows them."""
    counts = (needed.half, needed.each, needed.once)
    return [f"> {format_count(MOST)}" if each is None else each for each in counts]


def _points(share: float) -> str:
    return format_things(round(100 * share, 6), "point")


def _percent(share: float) -> str:
    return f"{round(100 * share, 1):g} %"


def _warn(plans: Sequence[QuestionPlan]) -> Iterator[str]:
    """Yield warnings: of samples that nobody can pay for, and of differences that cannot be."""
    difference, margin = plans[0].difference, plans[0].margin
    targets = {
        f"a difference of {_points(difference)}": [each.shown for each in plans],
        f"that both are within {_points(margin)}": [each.equal for each in plans],
    }
    for target, every in targets.items():
        many = [each.each for each in every if each.each is None or each.each > PROMISED]
        if many:
            known = [each for each in many if each is not None]
            least = f"some {format_count(min(known))}" if known else f"over {format_count(MOST)}"
            yield f"To show {target} takes {least} questions: no sample that one can pay for will."
    less = [found for each in plans if (found := each.discordance.estimate or 0.0) < difference]
    if less:
        yield (
            f"A difference of {_points(difference)} needs that many questions on which both "
            f"differ: {_percent(max(less))} is taken as {_percent(difference)} there."
        )
