"""Whom judges favour: shares of verdicts, and effects (Prejudice and Fidelity, figures 3, 4)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.analyses.judge_bias import JudgeBias, Share
from moot.core.display_text import format_things, on_one_line
from moot.core.results import Mean
from moot.reports.charting import look
from moot.reports.charting.chart import Chart, chart_kind
from moot.reports.charting.chart_arms import make_slug, shorten

if TYPE_CHECKING:
    import altair as alt

FIRST, SECOND = look.COLOURS[0], look.COLOURS[1]
BAND = 42  # pixels that a pair of bars takes
HIGH = 220


@chart_kind("sides", place=15, of="biases")
def draw(biases: Sequence[JudgeBias]) -> Iterator[Chart]:
    """For each dataset of each run the shares of verdicts (figures 3 and 4), and the effects.

    Titles say of which run, where there are several.
    """
    for found in biases:
        yield from _draw_run(found, names_run=len(biases) > 1)


def _draw_run(found: JudgeBias, *, names_run: bool) -> Iterator[Chart]:
    mark = f" · {on_one_line(found.run, 24)}" * names_run + " (simulated)" * found.simulated
    for dataset in dict.fromkeys(each.dataset for each in found.shares):
        shares = [each for each in found.shares if each.dataset == dataset]
        title = f"Whom judges favour on {shorten(dataset)}{mark}"
        caption = (
            "The share of verdicts for each of two kinds of sides, over all seatings; whiskers are "
            "95 % intervals over questions. What is missing to 100 % supports neither side. "
            "Prejudice and Fidelity, figures 3 and 4."
        )
        yield Chart(make_slug("sides", dataset), title, caption, _shares(title, shares))
        rows = list(_effects(found, dataset))
        if rows:
            title = f"What it is worth before judges on {shorten(dataset)}{mark}"
            caption = (
                "The share of verdicts for the first of two names minus 1/2, all else balanced "
                "over the seatings; names that no seating parts stand together. Hollow dots are "
                "controls: names that mean nothing. Whiskers are 95 % intervals over questions."
            )
            yield Chart(make_slug("side-effects", dataset), title, caption, _worth(title, rows))


def _shares(title: str, shares: Sequence[Share]) -> "alt.ConcatChart":
    """Return a panel for each group and pair of names; in it two bars for each opening."""
    import altair as alt

    pairs = dict.fromkeys((each.group, each.names, each.control) for each in shares)
    panels = []
    for group, names, control in pairs:
        own = [each for each in shares if (each.group, each.names) == (group, names)]
        least, most = min(each.debates for each in own), max(each.debates for each in own)
        held = (
            format_things(most, "debate")
            if least == most
            else f"{least} to {format_things(most, 'debate')}"
        )
        rows = [
            _bar(each.opening, name, share)
            for each in own
            for name, share in zip(names, (each.first, each.second), strict=True)
        ]
        words = f"{shorten(group)}: {names[0]}, {names[1]}{' (control)' * control}, {held}"
        panels.append(_panel(rows, names, words))
    made = alt.concat(*panels, columns=3, spacing=28)
    made.resolve = alt.Resolve(
        scale=alt.ScaleResolveMap(color="independent", xOffset="independent")
    )
    return look.finish_figure(made, title)


def _bar(opening: str, name: str, share: Mean) -> look.DataRow:
    return {
        "opening": opening,
        "name": name,
        "share": share.mean,
        "low": share.low,
        "high": share.high,
        "questions": share.questions,
    }


def _panel(rows: Sequence[look.DataRow], names: tuple[str, str], title: str) -> "alt.LayerChart":
    import altair as alt

    openings = list(dict.fromkeys(row["opening"] for row in rows))
    base = look.data(rows)
    across = alt.X("opening:N", title=None, sort=openings).axis(labelAngle=0)
    beside = alt.XOffset("name:N", sort=list(names))
    colour = alt.Color("name:N", legend=alt.Legend(title=None, orient="bottom"))
    colour = colour.scale(domain=list(names), range=[FIRST, SECOND])
    up = look.share_axis("share", (0, 1), "verdicts")
    bars = base.mark_bar(opacity=0.85).encode(
        x=across,
        xOffset=beside,
        y=up,
        color=colour,
        tooltip=[
            alt.Tooltip("name:N", title="for"),
            alt.Tooltip("share:Q", format=".1%"),
            alt.Tooltip("low:Q", title="from", format=".1%"),
            alt.Tooltip("high:Q", title="to", format=".1%"),
            alt.Tooltip("questions:Q"),
        ],
    )
    whiskers = base.transform_filter("isValid(datum.low)").mark_rule(color=look.INK)
    whiskers = whiskers.encode(x=across, xOffset=beside, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
    width = max(240, 2 * BAND * len(openings))
    return look.panel([bars, whiskers], width, HIGH, title)


def _effects(found: JudgeBias, dataset: str) -> Iterator[look.DataRow]:
    for number, each in enumerate(found.effects):
        if each.dataset != dataset:
            continue
        first = " / ".join(one for one, _ in each.names)
        second = " / ".join(other for _, other in each.names)
        yield {
            "number": number,
            "label": f"{shorten(each.group)}, {each.opening}: {first}, not {second}",
            "control": each.control,
            "effect": each.size.mean,
            "low": each.size.low,
            "high": each.size.high,
            "questions": each.size.questions,
        }


def _worth(title: str, rows: Sequence[look.DataRow]) -> "alt.LayerChart":
    import altair as alt

    base = look.data(rows)
    up = alt.Y("label:N", title=None, sort=[row["label"] for row in rows])
    ends = [row[name] or 0.0 for row in rows for name in ("low", "high", "effect")]
    reach = min(0.55, 1.1 * max(map(abs, ends)) or 0.1)
    across = alt.X("effect:Q", title="verdicts for the first name, beyond 50 %")
    across = across.axis(format="+%", tickCount=6).scale(domain=[-reach, reach])
    zero = look.data([{"effect": 0}]).mark_rule(color=look.FAINT)
    whiskers = base.transform_filter("isValid(datum.low)").mark_rule(color=FIRST, strokeWidth=1.5)
    dots = base.mark_point(size=60, color=FIRST, opacity=1, strokeWidth=1.5).encode(
        x=across,
        y=up,
        fill=alt.when("datum.control").then(alt.value("white")).otherwise(alt.value(FIRST)),
        tooltip=[
            alt.Tooltip("label:N", title="being"),
            alt.Tooltip("effect:Q", format="+.1%"),
            alt.Tooltip("low:Q", title="from", format="+.1%"),
            alt.Tooltip("high:Q", title="to", format="+.1%"),
            alt.Tooltip("questions:Q"),
        ],
    )
    layers = [
        zero.encode(x=across),
        whiskers.encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=up),
        dots,
    ]
    return look.finish_figure(look.panel(layers, look.WIDTH, max(60, look.ROW * len(rows))), title)
