"""Accuracy as debates grow: by agents, samples, rounds, and what they take (APF-Bench, fig. 5-6).

Arms that differ in the size alone are a curve; the same arms stand over the calls, the tokens and
the money that they took.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from moot.analyses.ladders import SIZES, StepSetting, find_ladders
from moot.core.results import ArmResult
from moot.core.stored import Arm
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug, shorten
from moot.reports.charting.chart_layout import Axis

if TYPE_CHECKING:
    import altair as alt

SIZE = (270, 230)
"""Pixels of a panel."""


class GrowingPrice(NamedTuple):
    """One thing that debates take more of as they grow."""

    words: str
    format: str
    of: Callable[[ArmResult], float | None]


PRICES = (
    GrowingPrice("calls per debate", ",.3~g", lambda arm: arm.calls / arm.n),
    GrowingPrice("tokens per debate", ",.3~s", lambda arm: arm.tokens),
    GrowingPrice("US dollars per debate", "$,.3~g", lambda arm: arm.cost.mean),
)


class ArmCurve(NamedTuple):
    """Arms that differ in one setting, on one dataset.

    Attributes:
        kind: its protocol.
        label: what tells it from other curves of its protocol; empty if it is alone.
        steps: each arm with the value of the setting, the least first.
    """

    setting: StepSetting
    dataset: str
    kind: str
    label: str
    steps: list[tuple[float, ChartArm]]


@chart_kind("scaling", place=8)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each size and dataset with arms that differ in it alone."""
    found = curves(arms)
    for dataset, own in by_dataset(arms).items():
        for setting in SIZES:
            here = [each for each in found if (each.setting, each.dataset) == (setting, dataset)]
            if here:
                yield _chart(setting, dataset, own[0].dataset, here)


def curves(arms: Sequence[ChartArm]) -> list[ArmCurve]:
    """Return the curves that the arms of each run make, of every setting."""
    found: list[ArmCurve] = []
    for run in dict.fromkeys(arm.run for arm in arms):
        own = {str(arm.number): arm for arm in arms if arm.run == run and arm.protocol}
        known = [
            Arm(name=n, protocol=a.protocol, settings=dict(a.settings)) for n, a in own.items()
        ]
        placed = {(str(arm.number), arm.result.dataset): arm for arm in arms if arm.run == run}
        for ladder in find_ladders(known):
            for dataset in dict.fromkeys(dataset for _, dataset in placed):
                steps = [
                    (rung.size, placed[rung.arm, dataset])
                    for rung in ladder.rungs
                    if (rung.arm, dataset) in placed
                ]
                if len(steps) > 1:
                    kind = ladder.protocol
                    found.append(ArmCurve(ladder.setting, dataset, kind, ladder.label, steps))
    return found


def names(found: Sequence[ArmCurve], words: Callable[[ArmCurve], str]) -> list[str]:
    """A name for each curve; those that would be the same get the number of their first arm."""
    every = [shorten(words(each)) for each in found]
    return [
        name if every.count(name) == 1 else f"{name} · {each.steps[0][1].number}"
        for name, each in zip(every, found, strict=True)
    ]


def rows(found: Sequence[ArmCurve], words: Sequence[str]) -> list[look.DataRow]:
    """Return a row of data for each arm of each curve."""
    return [
        {**look.accuracy_of(arm), "curve": name, "size": size, "prices": arm.result}
        for each, name in zip(found, words, strict=True)
        for size, arm in each.steps
    ]


def _chart(setting: StepSetting, dataset: str, called: str, found: Sequence[ArmCurve]) -> Chart:
    kinds = {each.kind for each in found}
    title = f"Accuracy by {setting} on {called}" + f": {min(kinds)}" * (len(kinds) == 1)
    caption = (
        f"Arms that differ in {setting} alone are joined; over the calls, tokens and dollars of a "
        "debate they are the same arms. Bars are 95 % intervals over questions."
    )
    words = names(found, lambda each: f"{each.kind} {each.label}".strip())
    if len(kinds) == 1:
        words = names(found, lambda each: each.label or each.kind)
    data = rows(found, words)
    colour, shape = look.encode_names("curve", words)
    ends = look.share(*look.extremes(data))
    panels = [panel(data, "size", setting, ends, colour, shape)]
    missing = []
    for price in PRICES:
        own = [row | {"price": price.of(row["prices"])} for row in data]
        taken = [row["price"] for row in own]
        if None in taken:
            missing.append(price.words)
        elif any(taken):
            panels.append(panel(own, "price", price.words, ends, colour, shape, price.format))
    notes = [look.questions([arm for each in found for _, arm in each.steps])]
    notes += [f"not shown, as not known of every arm: {', '.join(missing)}"] * bool(missing)
    import altair as alt

    spec = look.finish_figure(alt.concat(*panels, columns=2, spacing=30), title, *notes)
    return Chart(make_slug("scaling", setting, dataset), title, caption, spec)


def panel(
    data: Sequence[look.DataRow],
    field: str,
    words: str,
    ends: tuple[float, float],
    colour: "alt.Color",
    shape: "alt.Shape",
    form: str = ",.3~g",
) -> "alt.LayerChart":
    """Return accuracy against a field: marks with their intervals, those of a curve joined."""
    import altair as alt

    values = [row[field] for row in data]
    axis = Axis.around(values) if field == "price" else Axis("linear", _around(values))
    across = alt.X(f"{field}:Q", title=words).axis(format=form, tickCount=6)
    if field == "size":
        across = across.axis(format=form, values=sorted(set(values)))
    across = across.scale(type=axis.kind, domain=list(axis.ends), nice=False)
    up = look.share_axis("accuracy", ends)
    base = look.data([{key: row[key] for key in row if key != "prices"} for row in data])
    layers = [
        base.mark_rule(strokeOpacity=0.35).encode(
            x=across, y=look.share_axis("low", ends), y2=alt.Y2("high:Q"), color=colour
        ),
        base.mark_line(strokeWidth=1.5).encode(
            x=across, y=up, color=colour, order=alt.Order("size:Q")
        ),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            x=across,
            y=up,
            color=colour,
            shape=shape,
            tooltip=[*look.mark_tooltip(), alt.Tooltip(f"{field}:Q", title=words, format=form)],
        ),
    ]
    return look.panel(layers, *SIZE)


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis with a little room beside its first and last mark."""
    room = 0.06 * (max(values) - min(values))
    return min(values) - room, max(values) + room
