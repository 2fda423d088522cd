"""Protocols on medical datasets beside the same on others (arXiv:2311.17371, figure 3)."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from moot.analyses.domains import MEDICAL, is_medical
from moot.protocols import SINGLE
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind

if TYPE_CHECKING:
    import altair as alt


@chart_kind("medical", place=3)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """One figure with two panels, where there are datasets of both sorts and two protocols."""
    import altair as alt

    known = [arm for arm in arms if arm.protocol]
    sides = {
        "medical": [arm for arm in known if is_medical(arm.result.dataset)],
        "other": [arm for arm in known if not is_medical(arm.result.dataset)],
    }
    means = {side: averages(own) for side, own in sides.items()}
    if any(len(each) < 2 for each in means.values()):
        return
    shares = [share for each in means.values() for share in each.values()]
    ends = look.share(min(0.0, *shares), max(shares))
    panels = [
        _panel(f"{side}: {', '.join(datasets(sides[side]))}", each, ends)
        for side, each in means.items()
    ]
    title = "Medical datasets and others"
    caption = (
        "The accuracy of each protocol, the mean of its arms, averaged over datasets that count "
        "alike; a protocol is in a panel if it was held on every dataset of it. The line is "
        f"the protocol {SINGLE}. Medical are datasets whose names begin with "
        f"{', '.join(MEDICAL[:-1])} or {MEDICAL[-1]}."
    )
    spec = alt.hconcat(*panels, spacing=30)
    yield Chart("medical", title, caption, look.finish_figure(spec, title))


def datasets(arms: Sequence[ChartArm]) -> list[str]:
    """Return the names of their datasets, as they are shown."""
    return list(dict.fromkeys(arm.dataset for arm in arms))


def averages(arms: Sequence[ChartArm]) -> dict[str, float]:
    """By protocol the mean over all datasets of the mean of its arms; not where it lacks one."""
    every = len(by_dataset(arms))
    found = {}
    for kind, own in by_kind(arms).items():
        on = by_dataset(own)
        if len(on) == every:
            found[kind] = fmean(
                fmean(arm.result.accuracy.mean or 0.0 for arm in each) for each in on.values()
            )
    return found


def _panel(title: str, means: dict[str, float], ends: tuple[float, float]) -> "alt.LayerChart":
    import altair as alt

    order = sorted(means, key=lambda kind: -means[kind])
    rows = [{"protocol": kind, "accuracy": mean} for kind, mean in means.items()]
    base = look.data(rows)
    across = alt.X("accuracy:Q", title="accuracy").axis(format="%", tickCount=6)
    across = across.scale(domain=list(ends))
    up = alt.Y("protocol:N", title=None, sort=order)
    bars = base.mark_bar(color=look.COLOURS[0], height=15).encode(
        x=across,
        y=up,
        tooltip=[alt.Tooltip("protocol:N"), alt.Tooltip("accuracy:Q", format=".1%")],
    )
    numbers = base.mark_text(align="left", dx=6, fontSize=11, color=look.INK).encode(
        x=alt.value(320), y=up, text=alt.Text("accuracy:Q", format=".1%")
    )
    lines = [row for row in rows if str(row["protocol"]).split()[0] == SINGLE]
    rule = look.data(lines).mark_rule(color=look.BASE, strokeWidth=2)
    return look.panel([bars, rule.encode(x=across), numbers], 320, 24 * len(means), title)
