"""The pages of runs: the list of them, and the results and the debates of one."""

import asyncio
from functools import partial
from time import time
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.analyses.analysis import registry
from moot.analyses.arm_accuracy import report_accuracy
from moot.core.stored import RunRow
from moot.ledger.reader import StoreReader
from moot.reports.setup import describe_setup
from moot.server.pages import run_progress
from moot.server.pages.analysis_page import explain_undrawn, send_chart
from moot.server.pages.archive import RunArchive, archive_of
from moot.server.pages.index import SHOWN, DebateFilter, match_name
from moot.server.pages.listing import MOST, WORDS, DebatePage, list_page, search_page
from moot.server.pages.page_rendering import (
    parse_number,
    render,
    run_url,
)
from moot.server.pages.run_progress import run_state, simulated_label
from moot.server.pages.survey import SHOWN_ARMS, RunSurvey
from moot.studies.study import ASKED

FIRST = 15
"""Debates on the page of a run itself."""
RUNS = 100
"""Runs on a page."""


class RunRequest(NamedTuple):
    """A request for a page of a run, and the run's computed results and debates."""

    known: RunArchive
    row: RunRow
    kept: RunSurvey


async def run_of(request: Request) -> RunRequest:
    """Return the run of the address. Raises ``NoPage`` if it is not there, or not yet computed."""
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    return RunRequest(known, row, await known.need_run(row))


async def every(request: Request) -> Response:
    """Show all runs, the newest first."""
    asked = request.query_params.get("kind") == "asked"
    before = parse_number(request.query_params.get("before")) or None
    found = await archive_of(request).read(
        StoreReader.list_runs, ASKED, other=not asked, before=before, most=RUNS + 1
    )
    shown = [
        (
            each.row,
            run_state(each.row, each.standing, time()),
            each.standing,
            simulated_label(each.row),
        )
        for each in found[:RUNS]
    ]
    return render(
        "runs.html",
        asked=asked,
        runs=shown,
        begun={each.row.id: describe_setup(each.row).begun for each in found},
        further=found[RUNS - 1].row.id if len(found) > RUNS else None,
        first=before is None,
    )


async def page(request: Request) -> Response:
    """Show the results of a run, and the first of its debates."""
    at = await run_of(request)
    standing = await at.known.read(StoreReader.progress, at.row.id)
    index = at.kept.index
    debates = await at.known.read(list_page, index, DebateFilter(), "", most=FIRST)
    return render(
        "run.html",
        row=at.row,
        begun=describe_setup(at.row).begun,
        stands=run_state(at.row, standing, time()),
        standing=standing,
        failed=index.failed,
        known=len(index),
        simulated=simulated_label(at.row),
        analyses=[registry.get(name) for name in at.kept.analyses],
        reports=at.kept.reports,
        arms=max(map(len, at.kept.results.datasets.values()), default=0),
        shown_arms=SHOWN_ARMS,
        **_list(at, DebateFilter(), "", debates),
    )


async def results(request: Request) -> Response:
    """Show the results of a run with every arm."""
    at = await run_of(request)
    reports = [await asyncio.to_thread(report_accuracy, at.kept.results)]
    return render("whole.html", row=at.row, reports=reports)


async def debates(request: Request) -> Response:
    """Show the debates of a run that the address chooses."""
    at = await run_of(request)
    query, index = request.query_params, at.kept.index
    show, cursor = query.get("show", ""), query.get("after", "")
    choice = DebateFilter(
        show=show if show in SHOWN else "all",
        arm=match_name(index.arms, query.get("arm", "")),
        dataset=match_name(index.datasets, query.get("dataset", "")),
        dearest=query.get("order") == "dearest",
    )
    text = " ".join(query.get("q", "")[:WORDS].split())
    if text:
        async with at.known.searches:
            found = await at.known.read(search_page, index, choice, cursor, text)
    else:
        found = await at.known.read(list_page, index, choice, cursor)
    return render("debates.html", row=at.row, most=MOST, **_list(at, choice, text, found))


async def settings(request: Request) -> Response:
    """Show every setting of every arm, without the paths of the owner's files."""
    at = await run_of(request)
    return render("settings.html", row=at.row, arms=describe_setup(at.row, paths=False).arms)


def _list(at: RunRequest, choice: DebateFilter, text: str, found: DebatePage) -> dict[str, Any]:
    """Return the variables of a template that shows a list of debates."""
    index = at.kept.index
    return {
        "run": at.row.key,
        "page": found,
        "choice": choice,
        "text": text,
        "words": WORDS,
        "index": index,
        "labels": {arm.arm: arm.label for arm in at.kept.results.arms},
        "counts": index.counts(choice),
        "url": partial(debates_url, at.row.key),
        "shows": SHOWN,
    }


def debates_url(run: str, choice: DebateFilter, text: str = "", after: str = "") -> str:
    """Return the URL of a list of debates."""
    show, order = "" if choice.show == "all" else choice.show, "dearest" * choice.dearest
    given = {"show": show, "arm": choice.arm, "dataset": choice.dataset, "order": order}
    return run_url(run, "debates", **given, q=text, after=after)


async def figures(request: Request) -> Response:
    """Show the charts of all analyses of a run."""
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    charts = await known.get_charts(row)
    return render("drawn.html", row=row, charts=charts, why=explain_undrawn())


async def figure(request: Request) -> Response:
    """Return the response with one chart as a picture."""
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    return await send_chart(request, await known.get_charts(row))


ROUTES = [
    *run_progress.ROUTES,
    Route("/runs", every, methods=["GET"]),
    Route("/runs/{run}", page, methods=["GET"]),
    Route("/runs/{run}/results", results, methods=["GET"]),
    Route("/runs/{run}/debates", debates, methods=["GET"]),
    Route("/runs/{run}/settings", settings, methods=["GET"]),
    Route("/runs/{run}/figures", figures, methods=["GET"]),
    Route("/runs/{run}/figures/{chart}.svg", figure, methods=["GET"]),
]
