"""The pages of runs: the list of them, and the results and the debates of one."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from time import time
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.contrib.server.pages import run_progress
from moot.contrib.server.pages.analysis_page import explain_undrawn, send_chart
from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.contrib.server.pages.index import SHOWN, DebateFilter, match_name
from moot.contrib.server.pages.listing import MOST, WORDS, DebatePage, list_page, search_page
from moot.contrib.server.pages.matrix import view_matrix
from moot.contrib.server.pages.page_rendering import make_url, parse_number, render, run_url
from moot.contrib.server.pages.run_list import (
    ORDERS,
    STATES,
    RunChoice,
    RunLine,
    RunList,
    label_origin,
)
from moot.contrib.server.pages.run_progress import RunState, run_state
from moot.contrib.server.pages.survey import SHOWN_ARMS, RunSurvey
from moot.extend.analyses import analyses, report_briefly
from moot.extend.records import RunRow, decode_study, describe_settings
from moot.extend.stores import RecordedProgress, StoreReader

FIRST = 15
"""Debates on the page of a run itself."""
RUNS = 50
"""Runs on a page."""
NOTHING = RecordedProgress(0, 0, None)
"""The progress of a run that has none, or whose progress is not asked for."""


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
    """Show the runs that the address chooses."""
    query, known = request.query_params, archive_of(request)
    state, order = query.get("state", ""), query.get("order", "")
    choice = RunChoice(
        single=query.get("kind") == "asked",
        state=state if state in STATES else "all",
        text=" ".join(query.get("q", "")[:WORDS].split()),
        order=order if order in ORDERS else "newest",
    )
    listed = await known.get_list()
    found = listed.choose(choice)
    start = min(parse_number(query.get("start")), max(0, len(found) - 1))
    shown = await known.read(_describe_runs, listed, found[start : start + RUNS], time())
    asked = {each.run: each.plan.question.text for each in request.app.state.debates.live}
    return render(
        "runs.html",
        choice=choice,
        runs=shown,
        start=start,
        total=len(found),
        most=RUNS,
        counts=listed.counts(choice),
        orders=ORDERS,
        words=WORDS,
        asked=asked,
        url=runs_url,
    )


class ShownRun(NamedTuple):
    """A run as the list shows it: its line, its state, its most accurate arm, and its time."""

    line: RunLine
    stands: RunState
    best: str
    begun: str


def _describe_runs(
    reader: StoreReader, listed: RunList, lines: Sequence[RunLine], now: float
) -> list[ShownRun]:
    rows = {row.id: row for row in reader.runs_of([line.id for line in lines])}
    shown = []
    for line in lines:
        row = rows[line.id]
        # Only a run that goes on has a progress that its state depends on.
        standing = reader.progress(row.id) if row.status == "running" else NOTHING
        begun = f"{datetime.fromtimestamp(line.created, UTC):%Y-%m-%d %H:%M} UTC"
        state = run_state(row, standing, now)
        shown.append(ShownRun(line, state, listed.describe_best(reader, line), begun))
    return shown


def runs_url(choice: RunChoice, start: int = 0) -> str:
    """Return the URL of a list of runs."""
    return make_url(
        "/runs",
        kind="asked" * choice.single,
        state="" if choice.state == "all" else choice.state,
        order="" if choice.order == "newest" else choice.order,
        q=choice.text,
        start=start,
    )


async def page(request: Request) -> Response:
    """Show the results of a run, and the first of its debates."""
    at = await run_of(request)
    standing = await at.known.read(StoreReader.progress, at.row.id)
    index = at.kept.index
    debates = await at.known.read(list_page, index, DebateFilter(), "", most=FIRST)
    study, results = decode_study(at.row), at.kept.results
    written = any(entry.is_long and entry.line.outcome == "open" for entry in debates.entries)
    return render(
        "run.html",
        row=at.row,
        begun=f"{datetime.fromtimestamp(at.row.created, UTC):%Y-%m-%d %H:%M} UTC",
        stands=run_state(at.row, standing, time()),
        standing=standing,
        failed=index.failed,
        known=len(index),
        origin=label_origin(study),
        simulated=study.simulated,
        analyses=[analyses.get(name) for name in at.kept.analyses],
        reports=at.kept.reports,
        written=written,
        view=await view_matrix(request, at.known, [at.row]) if len(index) and not written else None,
        why=explain_undrawn(),
        arms=max(map(len, results.datasets.values()), default=0),
        methods=len({arm.arm for arm in results.arms}),
        held_debates=standing.debates - len(index) + sum(arm.n for arm in results.arms),
        shown_arms=SHOWN_ARMS,
        **_list(at, DebateFilter(), "", debates),
    )


async def results(request: Request) -> Response:
    """Show the results of a run with every arm."""
    at = await run_of(request)
    reports = await asyncio.to_thread(report_briefly, None, at.kept.results)
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
    """Show the settings in which methods differ, then the others, without the owner's paths."""
    at = await run_of(request)
    arms = decode_study(at.row).arms
    told = {arm.name: describe_settings(arm.factors, paths=False) for arm in arms}
    shared = set[str]().union(*told.values()).intersection(*told.values())
    common = [each for each in next(iter(told.values()), ()) if each in shared]
    own = {
        arm.name: (arm.protocol, [each for each in told[arm.name] if each not in common])
        for arm in arms
    }
    return render("settings.html", row=at.row, arms=own, common=common)


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
    groups = await known.get_charts(row)
    return render("drawn.html", row=row, groups=groups, why=explain_undrawn())


async def figure(request: Request) -> Response:
    """Return the response with one chart as a picture."""
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    kept = await known.need_run(row)
    shown = [chart for report in kept.reports for chart in report.charts]
    if request.path_params["chart"] in {chart.name for chart in shown}:  # that of its own page
        return await send_chart(request, shown)
    groups = await known.get_charts(row)
    return await send_chart(request, [chart for group in groups for chart in group.charts])


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
