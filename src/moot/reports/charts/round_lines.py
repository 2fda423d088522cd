"""Accuracy by round of the debate: whether later rounds are worth it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.reports.charting import chart_layout, look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import ChartArm, by_dataset, make_slug

if TYPE_CHECKING:
    import altair as alt

_SPREAD = 0.3  # of the way from one round to the next


@chart_kind("rounds", place=12)
def draw(arms: Sequence[ChartArm]) -> Iterator[Chart]:
    """Yield a figure for each dataset with an arm of two rounds."""
    for dataset, every in by_dataset(arms).items():
        own = [arm for arm in every if len(arm.result.rounds) > 1]
        if not own:
            continue
        title = f"Accuracy by round on {own[0].dataset}"
        caption = (
            "The share of debaters that are right in each round, with its 95 % interval over "
            "questions. Where debates end early, fewer and harder questions come to the later "
            "rounds: then marks are smaller, and a line compares different questions."
        )
        yield Chart(make_slug("rounds", dataset), title, caption, _spec(title, own))


def _rows(arms: Sequence[ChartArm]) -> Iterator[look.DataRow]:
    """Yield a row for each arm and round; arms stand a little apart, to show their intervals."""
    step = _SPREAD / len(arms)
    for k, arm in enumerate(arms):
        for number, got in sorted(arm.result.rounds.items()):
            if got.mean is not None:
                yield {
                    "label": arm.label,
                    "number": str(arm.number),
                    "arm": arm.name,
                    "round": number,
                    "place": number + step * (k - (len(arms) - 1) / 2),
                    "accuracy": got.mean,
                    "low": got.low,
                    "high": got.high,
                    "debates": got.n,
                    "questions": got.questions,
                }


def _spec(title: str, arms: Sequence[ChartArm]) -> "alt.LayerChart":
    import altair as alt

    rows = list(_rows(arms))
    ends = look.share(*look.extremes(rows))
    height = max(look.HEIGHT, look.ROW * len(arms))
    most = max(row["round"] for row in rows)
    across = alt.X("place:Q", title="round").scale(domain=[0.7, most + 0.4], nice=False)
    across = across.axis(values=list(range(1, most + 1)), format="d", grid=False)
    words = "debaters that are right"
    up = look.share_axis("accuracy", ends, words)
    colour, shape = look.encode_arms(arms)
    picked = alt.selection_point(name="picked", fields=["label"], bind="legend")
    shown = alt.when(picked).then(alt.value(1.0)).otherwise(alt.value(0.12))
    base = look.data(rows)
    whiskers = base.mark_rule(strokeOpacity=0.35).encode(
        x=across,
        y=look.share_axis("low", ends, words),
        y2=alt.Y2("high:Q"),
        color=colour,
        opacity=shown,
    )
    lines = base.mark_line(strokeWidth=1.5).encode(
        x=across, y=up, color=colour, detail=alt.Detail("label:N"), opacity=shown
    )
    dots = base.mark_point(filled=True).encode(
        x=across,
        y=up,
        color=colour,
        shape=shape,
        opacity=shown,
        size=alt.Size("debates:Q", legend=None).scale(
            type="linear", domain=[0, max(row["debates"] for row in rows)], range=[6, 60]
        ),
        tooltip=[
            *look.mark_tooltip(words),
            alt.Tooltip("round:Q"),
            alt.Tooltip("debates:Q"),
        ],
    )
    layers = [whiskers, lines, dots.add_params(picked), *_numbers(rows, ends, height)]
    return look.finish_figure(look.panel(layers, look.WIDTH, height), title, look.questions(arms))


def _numbers(
    rows: Sequence[look.DataRow], ends: tuple[float, float], height: float
) -> Iterator["alt.Chart"]:
    """Yield chart layers with each arm's number right of its last mark, and a line to it.

    The numbers do not overlap.
    """
    import altair as alt

    last = {row["label"]: row for row in rows}
    gap = 12 * (ends[1] - ends[0]) / height
    found: list[look.DataRow] = []
    for number in {row["round"] for row in last.values()}:
        here = [row for row in last.values() if row["round"] == number]
        right = number + _SPREAD / 2 + 0.12
        spread = chart_layout.spread_apart([row["accuracy"] for row in here], gap)
        found += [row | {"at": at, "right": right} for row, at in zip(here, spread, strict=True)]
    base = look.data(found)
    x, y = alt.X("right:Q"), alt.Y("at:Q")
    lines = base.mark_rule(color="#999999", strokeWidth=0.6)
    yield lines.encode(
        x=alt.X("place:Q"), y=alt.Y("accuracy:Q"), x2=alt.X2("right:Q"), y2=alt.Y2("at:Q")
    )
    for text in (
        base.mark_text(fontSize=10, align="left", dx=2, stroke="white", strokeWidth=3),
        base.mark_text(fontSize=10, align="left", dx=2, color=look.INK),
    ):
        yield text.encode(x=x, y=y, text=alt.Text("number:N"))
