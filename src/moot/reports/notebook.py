"""Answers, debates, results, reports and charts as a notebook shows them.

Each is a piece of HTML that needs nothing outside it and runs no script. Its colours are those of
the page around it, so that it can be read in a light and in a dark notebook.
"""

import re
from collections.abc import Sequence
from functools import cache, singledispatch
from typing import TYPE_CHECKING

from moot.analyses.arm_accuracy import report_accuracy
from moot.core.answer import Answer, sum_known
from moot.core.chart import Chart
from moot.core.errors import InputError
from moot.core.events import Transcript, Turn
from moot.core.notebook_display import displays
from moot.core.results import Results
from moot.core.table import Report, ResultTable
from moot.core.table_text import SIMULATED
from moot.debate.recorded import list_dissents
from moot.debate.unread import list_unread
from moot.reports.chart_style import FAINT, GRID, INK, PALE
from moot.reports.drawings import draw_chart
from moot.reports.reply_html import read_static
from moot.reports.templating import environment
from moot.studies.study_run import Outcome

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

NEUTRAL = {
    **dict.fromkeys((INK, "#000000", "black"), "currentColor"),
    **dict.fromkeys((FAINT, PALE), "#808080"),
    **dict.fromkeys((GRID, "#ddd", "#cccccc", "#bbbbbb"), "#88888855"),
    "white": "none",
}
"""What colours of a chart become where the colour of the paper is unknown."""
_COLOUR = re.compile(r'((?:fill|stroke)=")([^"]+)(?=")')
_PAPER = re.compile(r"background-color: ?white;?|background: ?white;?")


@singledispatch
def render_html(value: object) -> str:
    """Return a result as HTML that needs nothing outside it."""
    raise TypeError(f"{type(value).__name__}: notebooks show it as text")


displays.add("html", render_html)


@render_html.register
def _(value: Answer) -> str:
    return _render(
        "debate",
        answer=value,
        transcript=value.transcript,
        rounds=_group_rounds(value.turns),
        models=list(dict.fromkeys(turn.model for turn in value.turns)),
        tokens=sum_known((value.usage.prompt_tokens, value.usage.completion_tokens)),
    )


@render_html.register
def _(value: Transcript) -> str:
    return render_html(
        Answer(transcript=value, dissents=list_dissents(value), unread=list_unread(value))
    )


@render_html.register
def _(value: Outcome) -> str:
    return _render(
        "outcome",
        outcome=value,
        report=(report := report_accuracy(value.results)),
        charts=_draw_all(report.charts),
    )


@render_html.register
def _(value: Results) -> str:
    return render_html(report_accuracy(value))


@render_html.register(Report)
def _(value: Report) -> str:
    return _render("report", report=value, charts=_draw_all(value.charts))


@render_html.register(ResultTable)
def _(value: ResultTable) -> str:
    return _render("table", table=value)


@render_html.register(Chart)
def _(value: Chart) -> str:
    return _render("chart", chart=value, charts=_draw_all([value]))


def render_text(
    text: str,
    *,
    title: str,
    about: Sequence[str],
    calls: int,
    cost: float | None,
    failed: str | None,
    simulated: bool,
    turns: Sequence[Turn],
) -> str:
    """Return a text that agents wrote as HTML, with how it came about.

    Args:
        text: what was written; empty for nothing.
        title: what it is about.
        about: the protocol and the models.
        calls: the number of replies.
        cost: in US dollars; None if unknown.
        failed: why there is none.
        simulated: whether an agent is no language model.
        turns: what was said on the way.
    """
    given = {"title": title, "about": about, "calls": calls, "cost": cost, "failed": failed}
    return _render("text", text=text, simulated=simulated, rounds=_group_rounds(turns), **given)


def _group_rounds(turns: Sequence[Turn]) -> list[tuple[int, list[Turn]]]:
    rounds: dict[int, list[Turn]] = {}
    for turn in turns:
        rounds.setdefault(turn.round, []).append(turn)
    return list(rounds.items())


def _draw_all(charts: Sequence[Chart]) -> "list[Markup]":
    """Return charts as pictures that take the text's colour; empty without what draws them."""
    from markupsafe import Markup

    try:
        drawn = [draw_chart(chart, "svg").decode() for chart in charts]
    except InputError:
        return []
    return [Markup(_neutralise_colours(each)) for each in drawn]  # noqa: S704  texts are escaped in it


def _neutralise_colours(svg: str) -> str:
    """Return a picture without paper, whose ink is the colour of the text around it."""
    turned = _COLOUR.sub(lambda found: found[1] + NEUTRAL.get(found[2], found[2]), svg)
    return _PAPER.sub("", turned)


def _render(what: str, **values: object) -> str:
    """Return a part of the template ``notebook.html``."""
    return _environment().get_template("notebook.html").render(what=what, **values)


@cache
def _environment() -> "Environment":
    from markupsafe import Markup

    made = environment()
    style = "\n".join(map(read_static, ("notebook.css", "prose.css"))).replace("\n\n", "\n")
    made.globals.update(
        style=Markup(style),  # noqa: S704  our own files
        simulated_words=SIMULATED,
    )
    return made
