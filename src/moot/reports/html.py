"""Reports as HTML: a part of a page, and a page that needs nothing but itself.

Everything that comes from questions and models is text: each value is neutralised by
``make_visible`` and escaped as it is written, whichever template writes it, and the page's content
security policy allows no script and no style but the page's own, by hash.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from moot.core.chart import Chart
from moot.core.errors import InputError
from moot.core.table import Report
from moot.core.table_text import SIMULATED
from moot.reports.chart_page import DARK, draw_figures, script
from moot.reports.chart_style import ChartStyle
from moot.reports.reply_html import read_static
from moot.reports.setup import Setup
from moot.reports.shown_questions import Fetch, KnownDebate, choose_questions
from moot.reports.templating import environment

if TYPE_CHECKING:
    from jinja2 import Environment


class ReportedRun(NamedTuple):
    """A run whose set-up and transcripts stand in a page.

    Attributes:
        key: of the run.
        setup: how it was made.
        debates: every debate, in any order; read once.
        fetch: gives the transcripts of an arm's debates on a question.
        labels: what each arm is called, by its name, in order.
    """

    key: str
    setup: Setup | None = None
    debates: Iterable[KnownDebate] = ()
    fetch: Fetch = lambda *_: ()
    labels: Mapping[str, str] = {}


def html_page(
    reports: Sequence[Report],
    *,
    title: str = "",
    runs: Sequence[ReportedRun] = (),
    left_out: Mapping[str, str] | None = None,
    transcripts: int = 0,
    figures: bool = True,
    style: ChartStyle = ChartStyle(),  # noqa: B008 -- it cannot change
) -> Iterator[str]:
    """Write a page, in pieces: what the first report finds, all reports, transcripts and set-ups.

    Args:
        reports: in the order in which they are shown; at least one.
        title: of the page; that of the first report, if not given.
        runs: those whose set-up and transcripts are shown.
        left_out: analyses that are not shown, by name, with the reason.
        transcripts: how many debates are shown in full at most, of all runs together. If there are
            more, whole questions are drawn by a hash of their ids.
        figures: whether the charts of reports are drawn.
        style: how they are drawn.
    """
    from markupsafe import Markup

    css = _own("report.css") + read_static("prose.css") + read_static("tables.css")
    scripts, copying, missing = [_own("report.js")], read_static("copy.js"), ""
    drawn: list[list[Markup]] = [[] for _ in reports]
    if figures and any(each.charts for each in reports):
        try:
            drawn = [draw_figures(_say_once(each.charts), style) for each in reports]
            css += DARK
            scripts.append(script())
        except InputError as error:
            missing = f"No figures: {error}"
    most = transcripts // max(1, len(runs))
    stream = (
        _environment()
        .get_template("report.html")
        .stream(
            title=title or reports[0].title,
            first=reports[0],
            reports=reports,
            left_out=left_out or {},
            runs=(_run(run, most, number) for number, run in enumerate(runs, 1)),
            about=runs,
            charts=drawn,
            missing=missing,
            style=Markup(css),  # noqa: S704  our own file
            copying=Markup(copying),  # noqa: S704  our own file
            scripts=[Markup(each) for each in scripts],  # noqa: S704  our own files
            policy=f"default-src 'none'; style-src {_hash(css)}; "
            f"script-src {' '.join(map(_hash, (*scripts, copying)))}; "
            "base-uri 'none'; form-action 'none'",
        )
    )
    stream.enable_buffering(64)
    return iter(stream)


def _say_once(charts: Iterable[Chart]) -> list[Chart]:
    """Return charts without the note that all of a page is simulated: the page itself has it."""
    return [
        each._replace(notes=tuple(note for note in each.notes if note != SIMULATED))
        for each in charts
    ]


@cache
def _environment() -> "Environment":
    """Return what reports are rendered in, with the functions their templates use."""
    made = environment()
    made.globals["simulated"] = SIMULATED
    return made


def _own(name: str) -> str:
    return files("moot.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _run(run: ReportedRun, transcripts: int, number: int) -> dict[str, Any]:
    """Return the values that the template fills in for one run, by their names in it."""
    drawn = choose_questions(run.debates, run.fetch, list(run.labels), most=transcripts)
    return run._asdict() | {"number": number, "drawn": drawn}
