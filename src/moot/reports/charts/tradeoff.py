"""Accuracy against what a debate takes: money, time, tokens (arXiv:2311.17371, figures 1, 10-16).

The size of a dot is the number of calls; a line joins the Pareto front, the arms that no other
beats both in accuracy and in price.
"""

from collections.abc import Callable, Iterator, Sequence
from math import pi, sqrt
from typing import TYPE_CHECKING, NamedTuple

from moot.core.display_text import format_things
from moot.core.results import ArmResult
from moot.reports.charting import chart_layout, look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug

if TYPE_CHECKING:
    import altair as alt


class PriceAxis(NamedTuple):
    """One thing that debates take."""

    name: str
    words: str
    format: str
    of: Callable[[ArmResult], float | None]


PRICES = (
    PriceAxis("cost", "US dollars per debate", "$,.3~g", lambda arm: arm.cost.mean),
    PriceAxis(
        "seconds", "seconds per debate (critical path)", ",.3~g", lambda arm: arm.seconds.mean
    ),
    PriceAxis("tokens", "tokens per debate", ",.3~s", lambda arm: arm.tokens),
)

AREA = (45, 420)
"""Square pixels of a mark: for no calls, and for the most."""


@chart_kind("tradeoff", place=1)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """A figure for each price and dataset with two arms whose price is known and not all zero."""
    for dataset, own in by_dataset(arms).items():
        for price in PRICES:
            taken = {arm.label: price.of(arm.result) for arm in own}
            known = [arm for arm in own if taken[arm.label] is not None]
            prices = [taken[arm.label] or 0.0 for arm in known]
            if len(known) > 1 and any(prices):
                yield _chart(dataset, price, known, prices, missing=len(own) - len(known))


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places in ``points`` of the best (price, accuracy), from the cheapest up.

    A point is left out where another is at most as dear and at least as accurate. Of equal points
    the first stays.
    """
    order = sorted(range(len(points)), key=lambda k: (points[k][0], -points[k][1]))
    best, kept = float("-inf"), []
    for k in order:
        if points[k][1] > best:
            best = points[k][1]
            kept.append(k)
    return kept


def _chart(
    dataset: str,
    price: PriceAxis,
    arms: Sequence[ChartArm],
    prices: Sequence[float],
    *,
    missing: int,
) -> Chart:
    title = f"Accuracy against {price.name} on {arms[0].dataset}"
    caption = (
        f"Each mark is an arm: its accuracy with the 95 % interval over questions, and "
        f"{price.words}, a mean over the debates in which that is known. The larger the mark, the "
        "more calls. The line joins the arms that no other beats in both."
    )
    notes = [look.questions(arms)]
    if missing:
        notes.append(f"{format_things(missing, 'arm')} not shown: {price.name} unknown")
    rows = [
        look.accuracy_of(arm) | {"price": x, "calls": arm.result.calls / arm.result.n}
        for arm, x in zip(arms, prices, strict=True)
    ]
    spec = look.finish_figure(_layers(price, rows, arms), title, *notes)
    return Chart(make_slug(price.name, dataset), title, caption, spec)


def _layers(
    price: PriceAxis, rows: Sequence[look.DataRow], arms: Sequence[ChartArm]
) -> "alt.LayerChart":
    import altair as alt

    height = max(look.HEIGHT, look.ROW * len(arms))
    axis = chart_layout.Axis.around([row["price"] for row in rows])
    ends = look.share(*look.extremes(rows))
    across = alt.X("price:Q", title=price.words).axis(format=price.format, tickCount=6)
    across = across.scale(type=axis.kind, domain=list(axis.ends), nice=False)
    up = look.share_axis("accuracy", ends)
    colour, shape = look.encode_arms(arms)
    picked = alt.selection_point(name="picked", fields=["label"], bind="legend")
    shown = alt.when(picked).then(alt.value(1.0)).otherwise(alt.value(0.15))
    base = look.data(rows)
    joined = look.data([rows[k] for k in front([(row["price"], row["accuracy"]) for row in rows])])
    line = joined.mark_line(color=look.FAINT, strokeDash=[5, 3]).encode(x=across, y=up)
    whiskers = base.mark_rule(strokeWidth=1, strokeOpacity=0.5).encode(
        x=across, y=look.share_axis("low", ends), y2=alt.Y2("high:Q"), color=colour, opacity=shown
    )
    calls = [row["calls"] for row in rows]
    most = max(10.0, *calls)
    dots = base.mark_point(filled=True, stroke="white", strokeWidth=0.7).encode(
        x=across,
        y=up,
        color=colour,
        shape=shape,
        opacity=shown,
        size=alt.Size("calls:Q", title="calls per debate")
        .scale(type="linear", domain=[0, most], range=list(AREA))
        .legend(values=sorted({min(calls), max(calls)}), format=",.3~g"),
        tooltip=[
            *look.mark_tooltip(),
            alt.Tooltip("price:Q", title=price.words, format=",.4~g"),
            alt.Tooltip("calls:Q", title="calls per debate", format=",.2~f"),
        ],
    )
    written = [(row["price"], row["accuracy"], row["number"]) for row in rows]
    radii = [sqrt((AREA[0] + (AREA[1] - AREA[0]) * each / most) / pi) for each in calls]
    leaders, *numbers = look.label_marks(written, axis, ends, (look.WIDTH, height), radii)
    layers = [line, whiskers, leaders, dots.add_params(picked), *numbers]
    return look.panel(layers, look.WIDTH, height)
