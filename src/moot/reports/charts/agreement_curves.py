"""Accuracy against how far agents are told to agree (arXiv:2311.17371, figures 5 and 6).

Arms of one protocol that differ in nothing but ``agreement`` are a curve.
"""

from collections.abc import Callable, Iterator, Sequence
from json import dumps
from typing import TYPE_CHECKING

from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, by_kind, make_slug
from moot.reports.charting.chart_layout import Axis

if TYPE_CHECKING:
    import altair as alt

FIRST, LAST = "first-consensus", "unanimous"
OBSERVED = {
    FIRST: "agreement in the first round (share of debaters with the commonest answer)",
    LAST: "debates in which all agree in the end",
}
"""What agreement came of it, by metric."""
SIZE = (330, 300)
"""Pixels of a panel."""


@chart_kind("agreement", place=6)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """A figure for each dataset with a curve, and for each protocol with curves on two datasets."""
    found = curves([arm for arm in arms if "agreement" in arm.settings])
    told = [arm for curve in found for arm in curve]
    for dataset, own in by_dataset(told).items():
        here = [curve for curve in found if curve[0].result.dataset == dataset]
        names = _names(here, lambda arm: arm.kind)
        yield _chart(make_slug("agreement", dataset), f"on {own[0].dataset}", here, names, LAST)
    for kind, own in by_kind(told).items():
        here = [curve for curve in found if curve[0].kind == kind]
        if len(by_dataset(own)) > 1:
            names = _names(here, lambda arm: arm.dataset)
            yield _chart(make_slug("agreement", kind), f"of {kind}", here, names, FIRST)


def curves(arms: Sequence[ChartArm]) -> list[list[ChartArm]]:
    """Arms that differ in their agreement alone, from the least up; those not told come first."""
    found: dict[tuple[str, str, str, str], list[ChartArm]] = {}
    for arm in arms:
        rest = {key: value for key, value in arm.settings.items() if key != "agreement"}
        same = dumps(_strip_agreement(rest), sort_keys=True, default=str)
        found.setdefault((arm.run, arm.result.dataset, arm.kind, same), []).append(arm)
    return [
        sorted(curve, key=_agreement_of)
        for curve in found.values()
        if len({_agreement_of(arm) for arm in curve} - {-1}) > 1
    ]


def _strip_agreement(value: object) -> object:
    """Settings without any agreement, that of nodes neither."""
    if isinstance(value, dict):
        return {key: _strip_agreement(each) for key, each in value.items() if key != "agreement"}
    return [_strip_agreement(each) for each in value] if isinstance(value, list) else value


def _agreement_of(arm: ChartArm) -> int:
    told = arm.settings["agreement"]
    return told if isinstance(told, int) else -1


def _names(found: Sequence[Sequence[ChartArm]], of: Callable[[ChartArm], str]) -> list[str]:
    """Return a name for each curve: its protocol or dataset, with the arm where two are alike."""
    names = [of(curve[-1]) for curve in found]
    return [
        name if names.count(name) == 1 else f"{name}: {curve[-1].label}"
        for name, curve in zip(names, found, strict=True)
    ]


def _chart(
    name: str, of: str, found: Sequence[Sequence[ChartArm]], names: Sequence[str], metric: str
) -> Chart:
    title = f"Accuracy by agreement {of}"
    caption = (
        "Left: against how far agents are told to agree; the dashed line is the same arm told "
        f"nothing. Right: against the agreement observed: {OBSERVED[metric]}. "
        "Bars are 95 % intervals over questions; a number is the agreement told, in %."
    )
    rows = [
        row
        for curve, words in zip(found, names, strict=True)
        for row in _rows(curve, words, metric)
    ]
    return Chart(name, title, caption, _spec(title, rows, names, metric))


def _rows(curve: Sequence[ChartArm], words: str, metric: str) -> Iterator[look.DataRow]:
    for arm in curve:
        told, seen = _agreement_of(arm), arm.result.others.get(metric)
        yield {
            **look.accuracy_of(arm),
            "curve": words,
            "told": None if told < 0 else told,
            "observed": seen.mean if seen else None,
        }


def _spec(
    title: str, rows: Sequence[look.DataRow], names: Sequence[str], metric: str
) -> "alt.HConcatChart":
    import altair as alt

    ends = look.share(*look.extremes(rows))
    colour, shape = look.encode_names("curve", names)
    panels = [_panel_by_instruction(rows, ends, colour, shape)]
    seen = [row for row in rows if row["told"] is not None and row["observed"] is not None]
    if seen:
        panels.append(
            _panel_by_observation(seen, ends, colour, shape, OBSERVED[metric].split(" (")[0])
        )
    return look.finish_figure(alt.hconcat(*panels, spacing=30), title)


def _panel_by_instruction(
    rows: Sequence[look.DataRow], ends: tuple[float, float], colour: "alt.Color", shape: "alt.Shape"
) -> "alt.LayerChart":
    """Return accuracy against what agents are told."""
    import altair as alt

    told = look.data([row for row in rows if row["told"] is not None])
    untold = look.data([row for row in rows if row["told"] is None])
    across = alt.X("told:Q", title="agreement told, %").scale(domain=[0, 100])
    up = look.share_axis("accuracy", ends)
    layers = [
        untold.mark_rule(strokeDash=[4, 4]).encode(y=up, color=colour),
        told.mark_rule(strokeOpacity=0.35).encode(
            x=across, y=look.share_axis("low", ends), y2=alt.Y2("high:Q"), color=colour
        ),
        told.mark_line().encode(x=across, y=up, color=colour, order=alt.Order("told:Q")),
        told.mark_point(filled=True, size=55, opacity=1).encode(
            x=across, y=up, color=colour, shape=shape, tooltip=_tooltip()
        ),
    ]
    return look.panel(layers, *SIZE)


def _panel_by_observation(
    rows: Sequence[look.DataRow],
    ends: tuple[float, float],
    colour: "alt.Color",
    shape: "alt.Shape",
    words: str,
) -> "alt.LayerChart":
    """Return accuracy against what came of it, with what agents were told beside each mark."""
    import altair as alt

    axis = Axis("linear", look.share(*(f(row["observed"] for row in rows) for f in (min, max))))
    across = alt.X("observed:Q", title=words).axis(format="%", tickCount=6)
    across = across.scale(domain=list(axis.ends))
    up = look.share_axis("accuracy", ends)
    base = look.data(rows)
    written = [(row["observed"], row["accuracy"], str(row["told"])) for row in rows]
    leader, *texts = look.label_marks(written, axis, ends, SIZE)
    layers = [
        base.mark_line(strokeWidth=1, strokeOpacity=0.4).encode(
            x=across, y=up, color=colour, order=alt.Order("told:Q")
        ),
        leader,
        base.mark_point(filled=True, size=55, opacity=1).encode(
            x=across, y=up, color=colour, shape=shape, tooltip=_tooltip()
        ),
        *texts,
    ]
    return look.panel(layers, *SIZE)


def _tooltip() -> list["alt.Tooltip"]:
    import altair as alt

    return [
        *look.mark_tooltip(),
        alt.Tooltip("told:Q", title="agreement told, %"),
        alt.Tooltip("observed:Q", title="observed", format=".1%"),
    ]
