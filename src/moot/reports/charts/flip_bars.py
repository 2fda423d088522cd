"""How debaters change from one round to the next: into right answers, or out of them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.core.results import Flips
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug

if TYPE_CHECKING:
    import altair as alt

WORDS = {
    "kept_right": ("stayed right", "#0072B2"),
    "wrong_to_right": ("wrong to right", "#56B4E9"),
    "right_to_wrong": ("right to wrong", "#D55E00"),
    "kept_wrong": ("stayed wrong", "#bbbbbb"),
}


@chart_kind("flips", place=13)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each dataset with an arm whose debaters spoke in two rounds."""
    for dataset, own in by_dataset(arms).items():
        rows = [row for arm in own for row in _rows(arm)]
        if not rows:
            continue
        title = f"How debaters change on {own[0].dataset}"
        caption = (
            "Of the debaters that spoke in a round and before, how many came from a right or a "
            "wrong answer to a right or a wrong one. Answers that could not be read are wrong. The "
            "small number is that of these debaters."
        )
        yield Chart(make_slug("flips", dataset), title, caption, _spec(title, rows))


def _rows(arm: ChartArm) -> Iterator[look.DataRow]:
    for number, flips in sorted(arm.result.round_flips.items()):
        whole = sum(_counts(flips).values())
        for place, (name, count) in enumerate(_counts(flips).items()):
            if whole:
                yield {
                    "label": arm.label,
                    "round": f"round {number}",
                    "place": place,
                    "flip": WORDS[name][0],
                    "share": count / whole,
                    "debaters": count,
                    "whole": whole,
                }


def _counts(flips: Flips) -> dict[str, int]:
    return {name: getattr(flips, name) for name in WORDS}


def _spec(title: str, rows: Sequence[look.DataRow]) -> "alt.HConcatChart":
    import altair as alt

    labels = list(dict.fromkeys(row["label"] for row in rows))
    every = sorted({row["round"] for row in rows}, key=lambda words: int(words.split()[1]))
    width = max(90, 480 // len(every))
    colour = alt.Color("flip:N", title=None, sort=None).scale(
        domain=[words for words, _ in WORDS.values()], range=[tint for _, tint in WORDS.values()]
    )
    panels = []
    for number, words in enumerate(every):
        axis = alt.Axis(labels=number == 0, ticks=number == 0, title=None)
        bars = look.data([row for row in rows if row["round"] == words]).mark_bar()
        bars = bars.encode(
            x=alt.X("share:Q", title=None).axis(format="%", tickCount=2, grid=False),
            y=alt.Y("label:N", axis=axis).scale(domain=labels, paddingInner=0.25),
            color=colour.legend(orient="bottom", direction="horizontal"),
            order=alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("label:N", title="arm"),
                alt.Tooltip("flip:N", title="change"),
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("debaters:Q"),
            ],
        )
        wholes = [row for row in rows if row["round"] == words and row["place"] == 0]
        counts = look.data(wholes).mark_text(align="left", dx=4, fontSize=9, color=look.FAINT)
        counts = counts.encode(x=alt.value(width), y=alt.Y("label:N"), text=alt.Text("whole:Q"))
        layers = [bars, counts]
        panels.append(look.panel(layers, width, look.ROW * len(labels), words, "group"))
    return look.finish_figure(alt.hconcat(*panels, spacing=34), title)
