"""What all figures look like: light, with colours that colour-blind readers tell apart."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from moot.core.display_text import format_things
from moot.reports.charting.chart_arms import ChartArm
from moot.reports.charting.chart_layout import Axis, place_labels

if TYPE_CHECKING:
    import altair as alt

DataRow = dict[str, Any]
"""What is drawn as one mark, by field."""
C = TypeVar("C", "alt.LayerChart", "alt.ConcatChart", "alt.HConcatChart")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's; without their yellow, which is hard to see on white."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
INK, FAINT, BASE = "#222222", "#757575", "#D55E00"
INSIDE = "#111111"
"""Text within what is filled with a light colour: in dark pages as well."""
WIDTH, HEIGHT = 460, 340
ROW = 17  # pixels that a line of a list takes
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


def finish_figure(chart: C, title: str, *notes: str) -> C:
    """Finish a figure: add its title and, beneath it, what must not be missed."""
    import altair as alt

    chart.title = alt.TitleParams(
        wrap(title, 75),
        subtitle=[part for note in notes for part in wrap(note, 100)] or alt.Undefined,
        anchor="start",
        fontSize=15,
        subtitleColor=FAINT,
        subtitleFontSize=11,
        offset=12,
    )
    chart.description, chart.background, chart.padding = title, "white", 12
    chart.config = alt.Config(
        font=FONT,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=INK,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor="#e4e4e4",
            domainColor="#999999",
            tickColor="#999999",
            labelLimit=0,
        ),
        legend=alt.LegendConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=0,
            symbolStrokeWidth=1.5,
        ),
    )
    return chart


def colours(kinds: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return a colour and a shape for each kind, in order; no two the same up to 49 of them."""
    size = len(COLOURS)
    return {
        kind: (COLOURS[k % size], SHAPES[(k + k // size) % len(SHAPES)])
        for k, kind in enumerate(dict.fromkeys(kinds))
    }


def encode_arms(arms: Sequence[ChartArm]) -> tuple["alt.Color", "alt.Shape"]:
    """Colour and shape by protocol, with a list of all arms and their numbers beside the figure.

    By arm, where all are of one protocol.
    """
    import altair as alt

    kinds = [arm.kind for arm in arms]
    if len(set(kinds)) == 1:
        kinds = [arm.label for arm in arms]
    looks = colours(kinds)
    legend = alt.Legend(title=None, symbolLimit=0, columns=1 + len(arms) // 60, symbolSize=70)
    return encode_values(
        "label", {arm.label: looks[kind] for arm, kind in zip(arms, kinds, strict=True)}, legend
    )


def encode_names(field: str, names: Sequence[str]) -> tuple["alt.Color", "alt.Shape"]:
    """Return a colour and a shape for each name, listed beneath the figure."""
    import altair as alt

    columns = 1 if max(map(len, names)) > 24 else 3
    legend = alt.Legend(title=None, orient="bottom", columns=columns, symbolLimit=0, symbolSize=70)
    return encode_values(field, colours(names), legend)


def encode_values(
    field: str, looks: Mapping[str, tuple[str, str]], legend: "alt.Legend"
) -> tuple["alt.Color", "alt.Shape"]:
    """Return the colours and the shapes of the values of a field."""
    import altair as alt

    names, tints, shapes = list(looks), *map(list, zip(*looks.values(), strict=True))
    return (
        alt.Color(f"{field}:N", legend=legend).scale(domain=names, range=tints),
        alt.Shape(f"{field}:N", legend=legend).scale(domain=names, range=shapes),
    )


def share(low: float, high: float) -> tuple[float, float]:
    """Return the part of an axis of shares around these, in whole tenths, two of them or more."""
    first, last = max(0, floor(low * 10 + 1e-9)), min(10, ceil(high * 10 - 1e-9))
    if last - first < 2:
        first, last = (first, first + 2) if first <= 8 else (8, 10)
    return first / 10, last / 10


def extremes(rows: Sequence[DataRow]) -> tuple[float, float]:
    """Return the least and the greatest of the accuracies and ends of intervals in rows of data."""
    every = [row[name] for row in rows for name in ("low", "accuracy", "high")]
    known = [end for end in every if end is not None]
    return min(known), max(known)


def accuracy_of(arm: ChartArm) -> DataRow:
    """Return the accuracy of an arm as a row of data, with what is told at its mark."""
    got = arm.result.accuracy
    return {
        "label": arm.label,
        "number": str(arm.number),
        "arm": arm.name,
        "accuracy": got.mean,
        "low": got.low,
        "high": got.high,
        "questions": got.questions,
    }


def mark_tooltip(words: str = "accuracy") -> list["alt.Tooltip"]:
    """Return the tooltip of a mark of such a row."""
    import altair as alt

    return [
        alt.Tooltip("arm:N"),
        alt.Tooltip("accuracy:Q", title=words, format=".1%"),
        alt.Tooltip("low:Q", title="from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
        alt.Tooltip("questions:Q"),
    ]


def share_axis(field: str, ends: tuple[float, float], title: str = "accuracy") -> "alt.Y":
    """Put a field on the axis of shares; without it in the lowest layer, the axis begins at 0."""
    import altair as alt

    axis = alt.Axis(format="%", tickCount=6, title=title)
    return alt.Y(f"{field}:Q", axis=axis).scale(domain=list(ends))


def questions(arms: Sequence[ChartArm]) -> str:
    """Return on how many questions these arms were measured, in words."""
    counts = {arm.result.accuracy.questions for arm in arms}
    least, most = min(counts), max(counts)
    return (
        format_things(most, "question")
        if least == most
        else f"{least} to {format_things(most, 'question')}"
    )


def data(rows: Sequence[DataRow]) -> "alt.Chart":
    """Return a chart of rows of data, still without marks."""
    import altair as alt

    # Altair copies lists and what is in them at every step, but not tuples.
    return alt.Chart(alt.InlineData(values=tuple(rows)))


def panel(
    layers: Iterable["alt.Chart"],
    width: float,
    height: float,
    title: str = "",
    frame: Literal["bounds", "group"] = "bounds",
) -> "alt.LayerChart":
    """Put charts over each other, in an area of this size in pixels.

    Args:
        layers: the lowest first.
        width: of the area between the axes.
        height: of the same.
        title: over it, from the left edge of ``frame``.
        frame: of all that is drawn, or of the area alone.
    """
    import altair as alt

    made = alt.LayerChart(layer=list(layers), width=width, height=height)
    if title:
        made.title = alt.TitleParams(
            wrap(title, max(30, int(width / 6.5))),
            anchor="start",
            frame=frame,
            fontSize=13,
            fontWeight="normal",
        )
    return made


def label_marks(
    spots: Sequence[tuple[float, float, str]],
    axis: Axis,
    ends: tuple[float, float],
    size: tuple[float, float],
    radii: Sequence[float] = (),
) -> list["alt.Chart"]:
    """Put short texts beside marks, each with a line to its mark, where they cover the least.

    Args:
        spots: the value across, the accuracy, and the text.
        axis: across.
        ends: of the accuracies.
        size: width and height of the figure, in pixels.
        radii: of the marks, in pixels; those of small ones if not given.
    """
    import altair as alt

    (low, high), (width, height) = ends, size
    pixels = [(width * axis.at(x), height * (high - y) / (high - low)) for x, y, _ in spots]
    texts = [text for *_, text in spots]
    placed = place_labels(pixels, texts, radii or [5.0] * len(spots), size)
    base = data(
        [
            {
                "x": x,
                "y": y,
                "text": text,
                "text_x": axis.back(at_x / width),
                "text_y": high - (high - low) * at_y / height,
            }
            for (x, y, text), (at_x, at_y) in zip(spots, placed, strict=True)
        ]
    )
    x, y = alt.X("text_x:Q"), alt.Y("text_y:Q")
    lines = base.mark_rule(color="#999999", strokeWidth=0.6)
    halo = base.mark_text(fontSize=10, stroke="white", strokeWidth=3)
    return [
        lines.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), x2=alt.X2("text_x:Q"), y2=alt.Y2("text_y:Q")),
        halo.encode(x=x, y=y, text=alt.Text("text:N")),
        base.mark_text(fontSize=10, color=INK).encode(x=x, y=y, text=alt.Text("text:N")),
    ]
