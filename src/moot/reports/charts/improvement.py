"""How much better than the baseline, in parts of the baseline's accuracy."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug

if TYPE_CHECKING:
    import altair as alt


@chart_kind("improvement", place=4)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each dataset on which an arm was compared with a baseline above 0."""
    for dataset, own in by_dataset(arms).items():
        rows = [row for arm in own if (row := _row(arm))]
        if not rows:
            continue
        bases = {short: None for arm in own if arm.baseline for short in [arm.baseline.label]}
        title = f"Relative improvement over the baseline on {own[0].dataset}"
        caption = (
            "The difference of accuracies on the questions that both have, with its 95 % "
            "interval, divided by the baseline's accuracy, which is taken as given. "
            f"Baseline: {', '.join(bases)}. A filled dot has an interval without 0; it is not "
            "corrected for the number of arms."
        )
        yield Chart(make_slug("improvement", dataset), title, caption, _spec(title, rows))


def _row(arm: ChartArm) -> look.DataRow | None:
    """Return an arm's row of the figure: its gain over the baseline, as a share of the baseline's.

    None where either accuracy is unknown, or the baseline's is 0.
    """
    gap, base = arm.result.difference, arm.baseline
    if gap is None or gap.mean is None or base is None or not base.accuracy.mean:
        return None
    of = base.accuracy.mean
    low, high = (None if end is None else end / of for end in (gap.low, gap.high))
    sure = low is not None and high is not None and (low > 0 or high < 0)
    relative = gap.mean / of
    return {
        "label": arm.label,
        "relative": relative,
        "low": low,
        "high": high,
        "sure": sure,
        "difference": gap.mean,
        "questions": gap.questions,
    }


def _spec(title: str, rows: Sequence[look.DataRow]) -> "alt.LayerChart":
    import altair as alt

    base = look.data(rows)
    across = alt.X("relative:Q", title="relative to the baseline's accuracy")
    across = across.axis(format="+%", tickCount=8)
    up = alt.Y("label:N", title=None, sort=[row["label"] for row in rows])
    zero = look.data([{"relative": 0}]).mark_rule(color=look.FAINT)
    whiskers = base.mark_rule(color=look.COLOURS[0], strokeWidth=1.5).encode(
        x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=up
    )
    dots = base.mark_point(size=60, color=look.COLOURS[0], opacity=1, strokeWidth=1.5).encode(
        x=across,
        y=up,
        fill=alt.when("datum.sure").then(alt.value(look.COLOURS[0])).otherwise(alt.value("white")),
        tooltip=[
            alt.Tooltip("label:N", title="arm"),
            alt.Tooltip("relative:Q", title="relative", format="+.1%"),
            alt.Tooltip("low:Q", title="from", format="+.1%"),
            alt.Tooltip("high:Q", title="to", format="+.1%"),
            alt.Tooltip("difference:Q", title="difference of accuracies", format="+.1%"),
            alt.Tooltip("questions:Q"),
        ],
    )
    layers = [zero.encode(x=across), whiskers, dots]
    return look.finish_figure(look.panel(layers, look.WIDTH, max(60, look.ROW * len(rows))), title)
