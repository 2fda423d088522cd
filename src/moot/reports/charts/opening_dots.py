"""Accuracy by how the first agent was asked (APF-Bench, tables 1 and 2 as a figure).

Arms that differ in nothing but ``opening`` and ``distance`` belong together.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.analyses.anchoring import describe_values, group_by_opening, model_names, name_groups
from moot.core.display_text import on_one_line
from moot.core.stored import Arm
from moot.debate.opening_values import OPENINGS
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug, shorten

if TYPE_CHECKING:
    import altair as alt

HEIGHT, STEP, LETTER = 260, 17, 8
"""Pixels: how high a panel is, and how wide are a mark's place and a letter beneath it."""
SHORT = {opening: opening.removeprefix("control-") for opening in OPENINGS}
GAP = 1.6  # places left free between two openings
ACROSS = 2  # panels beside each other


@chart_kind("openings", place=7)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each dataset on which arms differ in their opening alone."""
    for dataset, own in by_dataset(arms).items():
        rows = list(_rows(own))
        if rows:
            title = f"Accuracy by opening on {own[0].dataset}"
            caption = (
                "How often verdicts are right when the first agent, or each sample, is asked "
                "openly, or whether a value is the right answer: the right one, a wrong one, or "
                "one of either kind. Bars are 95 % intervals over questions, "
                f"{look.questions(own)}. APF-Bench, tables 1 and 2."
            )
            yield Chart(make_slug("openings", dataset), title, caption, _spec(title, rows))


def _rows(arms: Sequence[ChartArm]) -> Iterator[look.DataRow]:
    """Yield every arm that has been opened in several ways, run by run."""
    told = {describe_values(arm.settings) for arm in arms} - {""} != {"near"}
    runs = dict.fromkeys(arm.run for arm in arms)
    for run in runs:
        of = f" · {on_one_line(run, 24)}" * (len(runs) > 1)
        here = {arm.result.arm: arm for arm in arms if arm.run == run and arm.settings}
        grouped = group_by_opening(
            [Arm(name=n, protocol=a.kind, settings=dict(a.settings)) for n, a in here.items()]
        )
        for group, name in zip(grouped, name_groups(grouped), strict=True):
            shown = [here[arm.name] for arm in group]
            for arm in shown:
                opening = SHORT[arm.settings.get("opening", "open")]
                far = (
                    f" ({describe_values(arm.settings)})"
                    if told and describe_values(arm.settings)
                    else ""
                )
                yield {
                    **look.accuracy_of(arm),
                    "opening": opening + far,
                    "group": shorten(name) + of,
                    "model": shorten(model_names(group[0])),
                }


def _spec(title: str, rows: Sequence[look.DataRow]) -> "alt.ConcatChart":
    import altair as alt

    protocols = list(dict.fromkeys(row["group"] for row in rows))
    models = list(dict.fromkeys(row["model"] for row in rows))
    openings = sorted({row["opening"] for row in rows}, key=_order)
    ends = look.share(*look.extremes(rows))
    colour, shape = look.encode_names("group", protocols)
    panels = [
        _panel(
            [row for row in rows if row["model"] == model],
            model if len(models) > 1 else "",
            (openings, protocols),
            ends,
            (colour, shape),
        )
        for model in models
    ]
    return look.finish_figure(alt.concat(*panels, columns=ACROSS, spacing=26), title)


def _order(opening: str) -> tuple[int, bool, str]:
    name, _, distance = opening.partition(" ")
    return list(SHORT.values()).index(name), distance != "(near)", distance


def _panel(
    rows: Sequence[look.DataRow],
    title: str,
    places: tuple[Sequence[str], Sequence[str]],
    ends: tuple[float, float],
    looks: tuple["alt.Color", "alt.Shape"],
) -> "alt.LayerChart":
    """Return one model: openings across, the protocols beside each other within each."""
    import altair as alt

    openings, protocols = places
    colour, shape = looks
    across = alt.X("opening:N", title="opening", sort=list(openings)).axis(
        labelAngle=0, grid=False, ticks=False
    )
    across = across.scale(domain=list(openings), paddingInner=0.25, paddingOuter=0.15)
    within = alt.XOffset("group:N").scale(domain=list(protocols), padding=0.5)
    base = look.data(rows)
    layers = [
        base.mark_rule(strokeWidth=1.5, strokeOpacity=0.45).encode(
            x=across,
            xOffset=within,
            y=look.share_axis("low", ends),
            y2=alt.Y2("high:Q"),
            color=colour,
        ),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=across,
            xOffset=within,
            y=look.share_axis("accuracy", ends),
            color=colour,
            shape=shape,
            tooltip=[alt.Tooltip("group:N"), alt.Tooltip("opening:N"), *look.mark_tooltip()],
        ),
    ]
    words = max(map(len, openings)) * LETTER
    width = len(openings) * max(words, STEP * (len(protocols) + GAP))
    return look.panel(layers, width, HEIGHT, title)
