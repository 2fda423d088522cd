"""Accuracy by protocol: how far its settings move it (arXiv:2311.17371, figures 1 and 2)."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind

if TYPE_CHECKING:
    import altair as alt


@chart_kind("protocols", place=2)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield one figure with a panel for each dataset on which a protocol has several arms."""
    import altair as alt

    panels = []
    for own in by_dataset(arms).values():
        kinds = by_kind([arm for arm in own if arm.protocol])
        if len(kinds) > 1 and max(map(len, kinds.values())) > 1:
            panels.append(_panel(own[0].dataset, kinds))
    if not panels:
        return
    title = "Accuracy by protocol"
    caption = (
        "Each small mark is an arm of the protocol; a cross, one whose agents are told how far to "
        "agree. The box has the middle half of them and their median, the whiskers the rest, the "
        "filled diamond is their mean; protocols are in the order of it."
    )
    spec = alt.concat(*panels, columns=min(2, len(panels)), spacing=30)
    yield Chart("protocols", title, caption, look.finish_figure(spec, title))


def _panel(dataset: str, kinds: dict[str, list[ChartArm]]) -> "alt.LayerChart":
    import altair as alt

    means = {
        kind: fmean(arm.result.accuracy.mean or 0.0 for arm in own) for kind, own in kinds.items()
    }
    order = sorted(means, key=lambda kind: -means[kind])
    rows = [
        {
            "protocol": kind,
            **look.accuracy_of(arm),
            "told": arm.settings.get("agreement") is not None,
        }
        for kind, own in kinds.items()
        for arm in own
    ]
    centres = [{"protocol": kind, "mean": mean} for kind, mean in means.items()]
    shares = [row["accuracy"] for row in rows]
    ends = look.share(min(shares), max(shares))
    across = alt.X("accuracy:Q", title="accuracy").axis(format="%", tickCount=6)
    across = across.scale(domain=list(ends))
    up = alt.Y("protocol:N", title=None, sort=order)
    base = look.data(rows)
    boxes = base.mark_boxplot(
        extent="min-max",
        size=16,
        box=alt.MarkConfig(fill="#cfe3f2", stroke="#0072B2"),
        median=alt.MarkConfig(color="#0072B2", strokeWidth=2),
        rule=alt.MarkConfig(color="#0072B2"),
    ).encode(x=across, y=up)
    dots = base.mark_point(size=26, strokeWidth=1.2, color=look.BASE, opacity=0.9).encode(
        x=across,
        y=up,
        shape=alt.Shape("told:N", legend=None).scale(
            domain=[False, True], range=["circle", "M-1-1L1 1M1-1L-1 1"]
        ),
        tooltip=[
            alt.Tooltip("arm:N"),
            alt.Tooltip("accuracy:Q", format=".1%"),
            alt.Tooltip("low:Q", title="from", format=".1%"),
            alt.Tooltip("high:Q", title="to", format=".1%"),
        ],
    )
    middle = (
        look.data(centres)
        .mark_point(shape="diamond", filled=True, size=60, color="black", opacity=1)
        .encode(x=alt.X("mean:Q"), y=up, tooltip=[alt.Tooltip("mean:Q", format=".1%")])
    )
    return look.panel([boxes, dots, middle], 330, 26 * len(kinds), dataset)
