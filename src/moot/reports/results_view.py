"""The results of a run for the terminal: one table for each dataset and each network."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moot.analyses.summary import (
    describe_savings,
    name_price,
    simulation_warning,
    summarise_dataset,
)
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    make_visible,
)
from moot.core.results import ArmResult, Measure, Results
from moot.core.table import Cell, Column, ResultTable, TableRow, Value, make_columns
from moot.reports.node_groups import PARTS, SWEEPS, list_parts
from moot.reports.terminal import show_table

if TYPE_CHECKING:
    from rich.console import RenderableType


def show_results(results: Results) -> "RenderableType":
    """Show one table for each dataset, and below it one for each network; 80 columns are enough.

    Accuracies and differences are in percent and percentage points with their 95 % intervals;
    calls, tokens, cost and seconds are means over debates.
    """
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = []
    if said := simulation_warning(results):
        shown.append(Text(f"{said[0].upper()} {said[1]}", style="bold yellow"))
    for dataset, arms in results.datasets.items():
        shown += [show_table(_dataset(dataset, arms, results)), Text()]
        for arm in arms:
            if arm.nodes:
                shown += [show_table(_network(arm)), Text()]
    if not results.arms:
        shown.append(Text("No debate has ended yet."))
    shown.extend(Text(note, style="dim") for note in _notes(results))
    return Group(*shown)


def _dataset(dataset: str, arms: list[ArmResult], results: Results) -> ResultTable:
    """Make the table of a dataset: two figures to a column, so that it fits 80 columns."""
    findings = [_changes(arm) for arm in arms if arm.flips]
    findings += [
        f"{budget.arm} against self-consistency {name_price(arm)}: {budget.text}."
        for budget, arm in zip(
            summarise_dataset(arms, results.baseline).budgets,
            [arm for arm in arms if arm.budget],
            strict=True,
        )
    ]
    return ResultTable(
        dataset + " (simulated)" * all(arm.simulated for arm in arms),
        (
            Column("arm"),
            Column("accuracy %", "percent"),
            Column("difference", "points"),
            *make_columns("count", "debates", "calls\ntokens", "cost\ntime"),
        ),
        [TableRow(_cells(arm, results.baseline)) for arm in arms],
        findings=tuple(findings),
    )


def _cells(arm: ArmResult, baseline: str | None) -> list[Cell | Value]:
    got, gap = arm.accuracy, arm.difference
    versus = "baseline" if arm.arm == baseline else "–"
    if gap is not None:
        versus = (
            f"{format_percent(gap.mean, sign=True)}\n"
            f"{format_interval(gap.low, gap.high, sign=True)}"
        )
        p = gap.p if gap.p_holm is None else gap.p_holm
        versus += f"\np {format_p_equals(p)}" if p is not None else ""
    lost = [f"{arm.failed} failed"] * bool(arm.failed)
    lost += [f"{arm.unparsed} unparsed"] * bool(arm.unparsed)
    return [
        arm.label,
        f"{format_percent(got.mean)}\n{format_interval(got.low, got.high)}",
        versus,
        "\n".join([format_count(arm.n), *lost]),
        f"{format_count(arm.calls / arm.n)}\n{format_count(arm.tokens)}",
        f"{_money(arm.cost, arm.n)}\n{format_duration(arm.seconds.mean)}",
    ]


def _network(arm: ArmResult) -> ResultTable:
    """Make the table of a network: its layers or sweeps, and its nodes, one a line."""
    return ResultTable(
        arm.label,
        (
            Column("part"),
            Column("accuracy %", "percent"),
            Column("95 % interval", "percent"),
            Column("debates", "count"),
        ),
        [
            TableRow(
                [part.name, got.mean, format_interval(got.low, got.high), got.n],
                marked=part.kind != "node",
            )
            for part in list_parts(arm)
            if (got := part.accuracy)
        ],
    )


def _money(cost: Measure, n: int) -> str:
    """Return in words the mean cost of a debate, and the number of debates of unknown cost."""
    if cost.known == 0:
        return "unknown"
    return format_dollars(cost.mean) + (
        "" if cost.known == n else f"\n{format_count(n - cost.known)} unknown"
    )


def _changes(arm: ArmResult) -> str:
    """Return how many debaters changed sides between their first and their last answer."""
    flips = arm.flips
    if flips is None:
        return ""
    return (
        f"{make_visible(arm.label)}: {format_things(flips.wrong_to_right, 'debater')} went from "
        "wrong to right, "
        f"{format_count(flips.right_to_wrong)} from right to wrong, "
        f"{format_count(flips.kept_right)} stayed right, {format_count(flips.kept_wrong)} stayed "
        "wrong."
    )


def _notes(results: Results) -> Iterator[str]:
    """Yield what a reader must know to read the figures of these results."""
    yield "Second lines: 95 % intervals over questions. Calls to time: the mean of a debate."
    if results.baseline is not None:
        gaps = [arm.difference for arm in results.arms if arm.difference]
        bases = results.baseline
        if len(results.baselines) > 1:
            bases = f"the baseline of the same model ({', '.join(results.baselines)})"
        replicated = any(gap.pairs > gap.questions for gap in gaps)
        test = "an exact test by change of signs" if replicated else "McNemar's exact test"
        yield (
            f"Difference: percentage points above {make_visible(bases)} on the same questions; "
            f"p: {test}, corrected by Holm for all arms of the dataset."
        )
    if saved := describe_savings(results):
        yield saved
    if any(arm.nodes for arm in results.arms):
        yield PARTS
    if any(len(arm.sweeps) > 1 for arm in results.arms):
        yield SWEEPS
    if any(arm.failed or arm.unparsed for arm in results.arms):
        yield "Failed and unparsed debates count as not correct."
    if any(arm.cost.known < arm.n for arm in results.arms):
        yield "Cost unknown: the price of a model is not known; it is not zero."
