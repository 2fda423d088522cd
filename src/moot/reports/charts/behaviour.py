"""How arms debate: four measures of behaviour on a wheel (arXiv:2311.17371, figure 7)."""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING

from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind, make_slug

if TYPE_CHECKING:
    import altair as alt

AXES = {
    "consensus-accuracy": "the majority is right",
    "any-correct": "any agent ever right",
    "change-rate": "agents that change",
    "first-diversity": "diversity of first answers",
    "unanimous": "all agree in the end",
}
"""What is shown, by metric: the four of the paper, and how often debaters end of one mind."""
INNER = 0.18
"""How far from the middle the least value is, so that a wheel has an area where one is least."""
TOP = 3
"""Arms of a protocol that are compared with each other."""

BehaviourValues = Mapping[str, float]
Best = Mapping[str, Sequence[ChartArm]]


@chart_kind("behaviour", place=11)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """A figure for each dataset on which agents debate: the best arms, then those of a protocol."""
    for dataset, every in by_dataset(arms).items():
        own = {arm.label: values for arm in every if (values := _values(arm))}
        kinds = by_kind([arm for arm in every if arm.label in own])
        best: Best = {kind: sorted(each, key=_worse)[:TOP] for kind, each in kinds.items()}
        if best:
            yield _chart(dataset, best, own)


def _values(arm: ChartArm) -> BehaviourValues | None:
    """Return an arm's value on every axis; None where one is unknown, as without a debate."""
    others = arm.result.others
    means = {name: others[name].mean if name in others else None for name in AXES}
    known = {name: mean for name, mean in means.items() if mean is not None}
    return known if len(known) == len(AXES) else None


def _worse(arm: ChartArm) -> float:
    return -(arm.result.accuracy.mean or 0.0)


def _chart(dataset: str, best: Best, own: Mapping[str, BehaviourValues]) -> Chart:
    import altair as alt

    shown = [arm for arms in best.values() for arm in arms]
    columns = {name: [own[arm.label][name] for arm in shown] for name in AXES}
    spans = {name: (min(column), max(column)) for name, column in columns.items()}
    panels: dict[str, Sequence[ChartArm]] = {
        "the best arm of each protocol": [arms[0] for arms in best.values()]
    }
    panels |= {kind: arms for kind, arms in best.items() if len(arms) > 1}
    if len(best) == 1:
        panels = dict(best)
    drawn = [_wheel(title, arms, own, spans) for title, arms in panels.items()]
    title = f"How they debate on {shown[0].dataset}"
    caption = (
        f"The most accurate arm of each protocol, then the {TOP} most accurate of each that has "
        "several. Every spoke goes from the least to the greatest mean of the arms in the figure, "
        "as written at its end: the share of debates in which the majority's last answer is right, "
        "of those with a majority; in which any agent was ever right; of debaters that changed "
        "their answer; of pairs of debaters whose first answers differ; and of debates that end "
        "with all of one mind."
    )
    spec = alt.concat(*drawn, columns=2, spacing=20).resolve_scale(
        color="independent", shape="independent"
    )
    return Chart(make_slug("behaviour", dataset), title, caption, look.finish_figure(spec, title))


def _wheel(
    title: str,
    arms: Sequence[ChartArm],
    own: Mapping[str, BehaviourValues],
    spans: Mapping[str, tuple[float, float]],
) -> "alt.LayerChart":
    import altair as alt

    labels = [arm.label for arm in arms]
    rows = [row for arm in arms for row in _corners(arm, own[arm.label], spans)]
    colour, shape = look.encode_names("label", labels)
    x = alt.X("x:Q", axis=None).scale(domain=[-1.75, 1.75])
    y = alt.Y("y:Q", axis=None).scale(domain=[-1.2, 1.4])
    base = look.data(rows)
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, order=alt.Order("place:Q"))
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            alt.Tooltip("label:N", title="arm"),
            alt.Tooltip("axis:N", title="measure"),
            alt.Tooltip("value:Q", format=".1%"),
        ],
    )
    return look.panel([*_frame(spans, x, y), lines, dots], 380, 282, title)


def _corners(
    arm: ChartArm, values: BehaviourValues, spans: Mapping[str, tuple[float, float]]
) -> Iterator[look.DataRow]:
    """Yield the points of an arm's line, the first again at the end."""
    for place, name in enumerate([*AXES, next(iter(AXES))]):
        low, high = spans[name]
        part = (values[name] - low) / (high - low) if high > low else 0.5
        x, y = _spoke_point(place, INNER + (1 - INNER) * part)
        yield {
            "label": arm.label,
            "place": place,
            "x": x,
            "y": y,
            "axis": AXES[name],
            "value": values[name],
        }


def _spoke_point(place: int, reach: float) -> tuple[float, float]:
    """Return x and y of the point on spoke ``place``, at distance ``reach`` from the centre.

    Spoke 0 points up; the others follow clockwise.
    """
    angle = 2 * pi * place / len(AXES)
    return round(reach * sin(angle), 4), round(reach * cos(angle), 4)


def _frame(
    spans: Mapping[str, tuple[float, float]], x: "alt.X", y: "alt.Y"
) -> Iterator["alt.Chart"]:
    """Yield the chart layers of the frame: rings, spokes, and their labels."""
    import altair as alt

    rings, spokes, words = [], [], []
    for ring in (INNER, INNER + (1 - INNER) / 2, 1.0):
        for place in range(len(AXES) + 1):
            at = _spoke_point(place, ring)
            rings.append({"ring": str(ring), "place": place, "x": at[0], "y": at[1]})
    for place, (name, shown) in enumerate(AXES.items()):
        inner, outer, text = (
            _spoke_point(place, INNER),
            _spoke_point(place, 1.0),
            _spoke_point(place, 1.13),
        )
        spokes.append({"x": inner[0], "y": inner[1], "x2": outer[0], "y2": outer[1]})
        low, high = spans[name]
        text_y = text[1] + (0.1 if place == 0 else 0.0)
        words.append(
            {
                "x": text[0],
                "y": text_y,
                "text": [shown, f"{100 * low:.0f} to {100 * high:.0f} %"],
                "side": "left" if text[0] > 0.1 else "right" if text[0] < -0.1 else "center",
            }
        )
    yield (
        look.data(rings)
        .mark_line(color="#cccccc", strokeWidth=1)
        .encode(x=x, y=y, detail=alt.Detail("ring:N"), order=alt.Order("place:Q"))
    )
    yield (
        look.data(spokes)
        .mark_rule(color="#cccccc", strokeWidth=1)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"))
    )
    for side in ("left", "center", "right"):
        here = [word for word in words if word["side"] == side]
        yield (
            look.data(here)
            .mark_text(align=side, fontSize=11, lineHeight=13, color=look.INK)
            .encode(x=x, y=y, text=alt.Text("text:N"))
        )
