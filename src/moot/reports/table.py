"""The results of a run as a table for the terminal."""

from typing import TYPE_CHECKING

from moot.core.plain import count, dollars, duration, equals, many, percent, plain, span
from moot.core.results import ArmResult, Measure, Results
from moot.reports.nodes import PARTS, SWEEPS, parts
from moot.reports.summary import caution, saving, summary

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def results_table(results: Results) -> "RenderableType":
    """One table for each dataset, and below it one for each network; 80 columns are enough.

    Accuracies and differences are in percent and percentage points with their 95 % intervals;
    calls, tokens, cost and seconds are means over debates.
    """
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = []
    if said := caution(results):
        shown.append(Text(f"{said[0].upper()} {said[1]}", style="bold yellow"))
    for dataset, arms in results.datasets.items():
        shown.append(_table(dataset, arms, results))
        shown.extend(Text(changes(arm), style="dim") for arm in arms if arm.flips)
        for finding in summary(arms, results.baseline).budgets:
            told = f"{finding.arm} against self-consistency at the same price: {finding.text}."
            shown.append(Text(plain(told), style="dim"))
        shown.append(Text())
        for arm in arms:
            if arm.nodes:
                shown.extend([_parts(arm), Text()])
    if not results.arms:
        shown.append(Text("No debate has ended yet."))
    shown.extend(Text(note, style="dim") for note in notes(results))
    return Group(*shown)


def _table(dataset: str, arms: list[ArmResult], results: Results) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    label = " (simulated)" if all(arm.simulated for arm in arms) else ""
    table = Table(
        title=Text(plain(dataset) + label, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column("arm", overflow="fold")  # gets what the figures leave: they are never cut
    for heading in ("accuracy %", "difference", "debates", "calls\ntokens", "cost\ntime"):
        table.add_column(heading, justify="right", no_wrap=True)
    for arm in arms:
        table.add_row(*(Text(cell) for cell in _cells(arm, results.baseline)))
    return table


def _cells(arm: ArmResult, baseline: str | None) -> list[str]:
    got, gap = arm.accuracy, arm.difference
    versus = "baseline" if arm.arm == baseline else "–"
    if gap is not None:
        versus = f"{percent(gap.mean, sign=True)}\n{span(gap.low, gap.high, sign=True)}"
        p = gap.p if gap.p_holm is None else gap.p_holm
        versus += f"\np {equals(p)}" if p is not None else ""
    lost = [f"{arm.failed} failed"] * bool(arm.failed)
    lost += [f"{arm.unparsed} unparsed"] * bool(arm.unparsed)
    return [
        plain(arm.label),
        f"{percent(got.mean)}\n{span(got.low, got.high)}",
        versus,
        "\n".join([count(arm.n), *lost]),
        f"{count(arm.calls / arm.n)}\n{count(arm.tokens)}",
        f"{money(arm.cost, arm.n)}\n{duration(arm.seconds.mean)}",
    ]


def _parts(arm: ArmResult) -> "Table":
    """A network, its layers or sweeps, and its nodes, one a line."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(plain(arm.label), style="bold"),
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
    )
    table.add_column("part", overflow="fold")
    for heading in ("accuracy %", "95 % interval", "debates"):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in parts(arm):
        got = part.accuracy
        cells = (part.name, percent(got.mean), span(got.low, got.high), count(got.n))
        style = None if part.kind == "node" else "bold"
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def money(cost: Measure, n: int) -> str:
    """What a debate costs on average, and of how many that is not known."""
    if cost.known == 0:
        return "unknown"
    return dollars(cost.mean) + ("" if cost.known == n else f"\n{count(n - cost.known)} unknown")


def changes(arm: ArmResult) -> str:
    """How many debaters changed sides between their first and their last answer."""
    flips = arm.flips
    if flips is None:
        return ""
    return (
        f"{plain(arm.label)}: {many(flips.wrong_to_right, 'debater')} went from wrong to right, "
        f"{count(flips.right_to_wrong)} from right to wrong, "
        f"{count(flips.kept_right)} stayed right, {count(flips.kept_wrong)} stayed wrong."
    )


def notes(results: Results) -> list[str]:
    """What a reader must know to read the figures of these results."""
    said = ["Second lines: 95 % intervals over questions. Calls to time: the mean of a debate."]
    if results.baseline is not None:
        gaps = [arm.difference for arm in results.arms if arm.difference]
        replicated = any(gap.pairs > gap.questions for gap in gaps)
        test = "an exact test by change of signs" if replicated else "McNemar's exact test"
        said.append(
            f"Difference: percentage points above {plain(results.baseline)} on the same questions; "
            f"p: {test}, corrected by Holm for all arms of the dataset."
        )
    if told := saving(results):
        said.append(told)
    if any(arm.nodes for arm in results.arms):
        said.append(PARTS)
    if any(len(arm.sweeps) > 1 for arm in results.arms):
        said.append(SWEEPS)
    if any(arm.failed or arm.unparsed for arm in results.arms):
        said.append("Failed and unparsed debates count as not correct.")
    if any(arm.cost.known < arm.n for arm in results.arms):
        said.append("Cost unknown: the price of a model is not known; it is not zero.")
    return said
