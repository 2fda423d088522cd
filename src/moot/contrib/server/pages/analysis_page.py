"""The page of an analysis of runs: its findings, tables and charts. It knows no analysis."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot import Chart, InputError, Report, UnknownName
from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.contrib.server.pages.page_rendering import NoPage, mark_chart, render, run_url
from moot.contrib.server.pages.statics import YEAR
from moot.extend.analyses import Analysis, ChartStyle, analyses
from moot.extend.records import RunRow

BESIDE = "with"
"""The parameter with the key of a further run; it may be repeated."""
PARTS = ("arms", "datasets")
"""The parameters with a name or a pattern of what is looked at; they may be repeated."""
SMALL = 340
"""The width of charts that a phone has room for, in pixels."""
MEDIUM = 440
"""The width of charts that stand beside a table, in pixels."""
LARGE = 720
"""The width of charts where there is room, in pixels."""


class AnalysisRequest(NamedTuple):
    """An analysis, the runs that it is given, and its options."""

    known: RunArchive
    analysis: Analysis
    rows: list[RunRow]
    chosen: dict[str, Any]

    async def report(self) -> Report:
        """Return its report. Raises ``InputError`` where there is nothing to analyse."""
        return await self.known.get_report(self.analysis.name, self.rows, self.chosen)

    def url(self, *parts: str, **more: object) -> str:
        """Return the URL of its page, or of a part of it."""
        query = self.chosen | {BESIDE: [each.key for each in self.rows[1:]]} | more
        return run_url(self.rows[0].key, "analyses", self.analysis.name, *parts, **query)


async def analysis_of(request: Request) -> AnalysisRequest:
    """Return the analysis of the address. Raises ``NoPage`` if there is no such one, or no run."""
    known, query = archive_of(request), request.query_params
    try:
        found = analyses.get(request.path_params["name"])
    except UnknownName as error:
        raise NoPage("There is no such analysis.", str(error)) from None
    keys = dict.fromkeys([request.path_params["run"], *filter(None, query.getlist(BESIDE))])
    return AnalysisRequest(
        known, found, [await known.get_row(key) for key in keys], _choose(found, query)
    )


def _choose(found: Analysis, query: QueryParams) -> dict[str, Any]:
    """Return the options that are not empty, and the arms and datasets; lists have a line each."""
    listed = {each.name for each in found.settings if isinstance(each.default, list | tuple)} | {
        *PARTS
    }
    chosen: dict[str, Any] = {}
    for name in {each.name for each in found.settings} | listed:
        texts = [line.strip() for text in query.getlist(name) for line in text.splitlines()]
        if given := list(filter(None, texts)):
            chosen[name] = given if name in listed else given[-1]
    return chosen


async def page(request: Request) -> Response:
    """Show the report of an analysis, and the form of its options."""
    at = await analysis_of(request)
    report = await at.report()
    why = explain_undrawn() if report.charts else ""
    return render("analysis.html", at=at, row=at.rows[0], report=report, why=why)


async def chart(request: Request) -> Response:
    """Return the response with a chart of an analysis as a picture."""
    at = await analysis_of(request)
    return await send_chart(request, (await at.report()).charts)


def explain_undrawn() -> str:
    """Return the reason why no chart can be drawn; an empty text if charts can be."""
    try:
        ChartStyle.check_installed()
    except InputError as error:
        return str(error)
    return ""


async def send_chart(request: Request, charts: Iterable[Chart]) -> Response:
    """Return the response with the chart that the address names, as a picture.

    It is light or, with ``theme=dark``, for a dark page; with ``size=small`` it fits a phone,
    with ``size=medium`` it stands beside a table.
    Browsers keep it if ``of`` is its hash.
    """
    query, name = request.query_params, request.path_params["chart"]
    found = next((each for each in charts if each.name == name), None)
    if found is None:
        raise NoPage("There is no such figure.")
    style = ChartStyle(
        theme="dark" if query.get("theme") == "dark" else "light",
        width={"small": SMALL, "medium": MEDIUM}.get(query.get("size", ""), LARGE),
    )
    content = await archive_of(request).get_picture(found, style)
    same = query.get("of") == mark_chart(found)
    cache = f"private, max-age={YEAR}, immutable" if same else "no-store"
    return Response(content, media_type="image/svg+xml", headers={"cache-control": cache})


ROUTES = [
    Route("/runs/{run}/analyses/{name}", page, methods=["GET"]),
    Route("/runs/{run}/analyses/{name}/{chart}.svg", chart, methods=["GET"]),
]
