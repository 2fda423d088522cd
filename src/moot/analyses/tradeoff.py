"""Accuracy against what a debate takes: money, time, tokens."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    make_slug,
    note_arms,
    panel_of_models,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, Plot
from moot.core.results import ArmResult
from moot.core.table import Column, Report

PriceName = Literal["cost", "seconds", "tokens"]

WHISKERS = " with the 95 % interval over questions"
FEW = 9
"""The most arms that have a colour each; of more, each protocol has one."""


class PriceAxis(NamedTuple):
    """One thing that debates take."""

    axis: Axis
    of: Callable[[ArmResult], float | None]


PRICES: dict[str, PriceAxis] = {
    "cost": PriceAxis(
        Axis("cost", "US dollars per debate", "money"), lambda result: result.cost.mean
    ),
    "seconds": PriceAxis(
        Axis("seconds", "seconds per debate (critical path)", "log"),
        lambda result: result.seconds.mean,
    ),
    "tokens": PriceAxis(
        Axis("tokens", "tokens per debate", "tokens"), lambda result: result.tokens
    ),
}
ACCURACY = Axis("accuracy", "accuracy", "share")


@analysis(
    source="arXiv:2311.17371, figures 1 and 8 to 16",
    group="price",
    needs=("accuracy",),
    place=1,
    name="tradeoff",
    draws=True,
    tried=True,
)
def analyse_tradeoff(
    runs: RecordedRuns,
    *,
    price: tuple[PriceName, ...] = (),
) -> Report:
    """Show accuracy against what a debate takes: US dollars, seconds, tokens.

    A chart for each dataset, with a panel for each price that is known and for each model.
    """
    arms = gather_arms(runs)
    charts = [
        chart
        for dataset, own in by_dataset(arms).items()
        for chart in _draw(dataset, own, price or list(PRICES))
    ]
    columns = ("arm", "model", "accuracy", "cost", "seconds", "tokens", "calls")
    own = {"seconds": Column("time", "time")}
    lacking = "no price is known of two methods, or all are zero"
    return report_charts(runs, "Accuracy and price", charts, columns, own, lacking=lacking)


def _draw(dataset: str, arms: Sequence[MeasuredArm], prices: Sequence[str]) -> Iterator[Chart]:
    rows = [
        arm.row
        | {name: PRICES[name].of(arm.result) for name in prices}
        | {"calls": arm.result.calls / arm.result.n}
        for arm in arms
    ]
    known = {name: sum(row[name] is not None for row in rows) for name in prices}
    shown = [name for name in prices if known[name] > 1 and any(row[name] for row in rows)]
    if not shown:
        return
    missing = [
        f"{len(rows) - known[name]} of {len(rows)} methods not shown: {name} unknown"
        for name in shown
        if known[name] < len(rows)
    ]
    many = len({arm.label for arm in arms}) > FEW
    yield Chart(
        make_slug("tradeoff", dataset),
        f"Accuracy and price on {dataset}",
        f"Each mark is a method: its accuracy{'' if many else WHISKERS}, against what a debate "
        "takes, a mean over the debates in which that is known. The larger the mark, the "
        "more calls. The line joins the methods that no other beats in both"
        + (", which are numbered; their names stand above." if many else ".")
        + " After arXiv:2311.17371, figures 1 and 8 to 16.",
        rows,
        Plot(
            "dots",
            tuple(PRICES[name].axis for name in shown),
            ACCURACY,
            colour="protocol" if many else "arm",
            panel=panel_of_models(arms),
            label="arm" if many else "",
            size=Axis("calls", "calls per debate"),
            front=True,
            whiskers=not many,
            tooltip=(Axis("arm", kind="text"), Axis("questions")),
        ),
        (*note_arms(arms), *missing),
    )
