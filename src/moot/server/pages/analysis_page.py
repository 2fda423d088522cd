"""The page of an analysis of runs: its findings, tables and charts. It knows no analysis."""

from typing import Any, NamedTuple

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.analyses.analysis import Analysis, registry
from moot.core.errors import UnknownName
from moot.core.stored import RunRow
from moot.core.table import Report
from moot.server.pages.archive import RunArchive, archive_of
from moot.server.pages.page_rendering import NoPage, render, run_url

BESIDE = "with"
"""The parameter with the key of a further run; it may be repeated."""
PARTS = ("arms", "datasets")
"""The parameters with a name or a pattern of what is looked at; they may be repeated."""


class AnalysisRequest(NamedTuple):
    """An analysis, the runs that it is given, and its options."""

    known: RunArchive
    analysis: Analysis
    rows: list[RunRow]
    chosen: dict[str, Any]

    async def report(self) -> Report:
        """Return its report. Raises ``InputError`` where there is nothing to analyse."""
        return await self.known.get_report(self.analysis.name, self.rows, self.chosen)

    def url(self, chart: str = "", **more: object) -> str:
        """Return the URL of its page, or of one of its charts."""
        parts = (f"{chart}.svg",) if chart else ()
        query = self.chosen | {BESIDE: [each.key for each in self.rows[1:]]} | more
        return run_url(self.rows[0].key, "analyses", self.analysis.name, *parts, **query)


async def analysis_of(request: Request) -> AnalysisRequest:
    """Return what the address asks for. Raises ``NoPage`` if there is no such analysis or run."""
    known, query = archive_of(request), request.query_params
    try:
        found = registry.get(request.path_params["name"])
    except UnknownName as error:
        raise NoPage("There is no such analysis.", str(error)) from None
    keys = dict.fromkeys([request.path_params["run"], *filter(None, query.getlist(BESIDE))])
    return AnalysisRequest(
        known, found, [await known.get_row(key) for key in keys], _choose(found, query)
    )


def _choose(found: Analysis, query: QueryParams) -> dict[str, Any]:
    """Return the options that are not empty, and the arms and datasets; lists have a line each."""
    listed = {each.name for each in found.settings if isinstance(each.default, list)} | {*PARTS}
    chosen: dict[str, Any] = {}
    for name in {each.name for each in found.settings} | listed:
        texts = [line.strip() for text in query.getlist(name) for line in text.splitlines()]
        if given := list(filter(None, texts)):
            chosen[name] = given if name in listed else given[-1]
    return chosen


async def page(request: Request) -> Response:
    """Show the report of an analysis, and the form of its options."""
    at = await analysis_of(request)
    return render("analysis.html", at=at, row=at.rows[0], report=await at.report())


ROUTES = [Route("/runs/{run}/analyses/{name}", page, methods=["GET"])]
