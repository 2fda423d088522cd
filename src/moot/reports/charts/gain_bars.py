"""What a debate adds to the first agent's first answer (arXiv:2311.17371, figure 4)."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from moot.core.results import ArmResult
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind

if TYPE_CHECKING:
    import altair as alt

STEPS = {"gain-to-last": "its last answer", "gain-to-verdict": "the verdict"}
"""What is compared with the first agent's first answer, by metric."""


@chart_kind("gains", place=5)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield one figure, where a protocol's agents spoke more than once."""
    spoke = [arm for arm in arms if arm.protocol and arm.result.flips is not None]
    rows = [row for kind, own in by_kind(spoke).items() for row in _rows(kind, own)]
    if not rows:
        return
    title = "What debating adds to the first agent's first answer"
    caption = (
        "The gain in accuracy from the first agent's first answer to its last, and to the verdict, "
        "divided by the first answer's accuracy: the mean of a protocol's arms, averaged over "
        "datasets that count alike. Only protocols whose agents speak more than once."
    )
    yield Chart("gains", title, caption, _spec(title, rows))


def relative(arm: ArmResult, metric: str) -> float | None:
    """A gain in parts of the first answer's accuracy; None where either is unknown, or it is 0."""
    gain = arm.others[metric].mean if metric in arm.others else None
    return gain / arm.first_accuracy if gain is not None and arm.first_accuracy else None


def _rows(kind: str, arms: Sequence[ChartArm]) -> Iterator[look.DataRow]:
    for metric, words in STEPS.items():
        datasets = []
        for own in by_dataset(arms).values():
            known = [gain for arm in own if (gain := relative(arm.result, metric)) is not None]
            if known:
                datasets.append(fmean(known))
        if datasets:
            yield {
                "protocol": kind,
                "to": words,
                "gain": fmean(datasets),
                "datasets": len(datasets),
            }


def _spec(title: str, rows: Sequence[look.DataRow]) -> "alt.LayerChart":
    import altair as alt

    gains = {row["protocol"]: row["gain"] for row in rows}  # of each, that to the verdict
    order = sorted(gains, key=lambda kind: -gains[kind])
    base = look.data(rows)
    across = alt.X("gain:Q", title="gain, relative to the first answer's accuracy")
    across = across.axis(format="+%", tickCount=8)
    up = alt.Y("protocol:N", title=None, sort=order)
    words = list(STEPS.values())
    bars = base.mark_bar(height=10).encode(
        x=across,
        y=up,
        yOffset=alt.YOffset("to:N", sort=words),
        color=alt.Color("to:N", title="from its first answer to", sort=words)
        .scale(domain=words, range=[look.COLOURS[5], look.COLOURS[0]])
        .legend(orient="top", direction="horizontal"),
        tooltip=[
            alt.Tooltip("protocol:N"),
            alt.Tooltip("to:N", title="from the first answer to"),
            alt.Tooltip("gain:Q", format="+.1%"),
            alt.Tooltip("datasets:Q"),
        ],
    )
    zero = look.data([{"gain": 0}]).mark_rule(color=look.INK).encode(x=across)
    return look.finish_figure(look.panel([bars, zero], look.WIDTH, 34 * len(order)), title)
