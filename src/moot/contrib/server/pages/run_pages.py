"""The pages of a run: its results, its debates, its settings, its figures."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from functools import partial
from time import time
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from moot.contrib.server.pages import run_progress
from moot.contrib.server.pages.analysis_page import explain_undrawn, send_chart
from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.contrib.server.pages.index import SHOWN, DebateFilter, match_name
from moot.contrib.server.pages.listing import (
    MOST,
    WORDS,
    DebatePage,
    list_page,
    read_search,
    search_page,
)
from moot.contrib.server.pages.matrix import view_matrix
from moot.contrib.server.pages.page_rendering import (
    PARTS,
    render,
    render_text,
    run_url,
    stream_page,
)
from moot.contrib.server.pages.run_list import RULE, label_origin
from moot.contrib.server.pages.run_progress import run_state
from moot.contrib.server.pages.survey import SHOWN_ARMS, RunAnswer, RunSurvey
from moot.extend.analyses import Analysis, analyses, report_briefly
from moot.extend.records import RunRow, decode_study, describe_settings
from moot.extend.stores import RecordedProgress, StoreReader
from moot.extend.words import format_things

FIRST = 15
"""Debates on the page of a run itself."""
ROWS = 36
"""Rows of the matrix on that page: those in sight, and as many beyond as the script keeps."""
EARLY = 0.4
"""Seconds that a run's page waits for all of it before its beginning is sent."""


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


async def page(request: Request) -> Response:
    """Show the results of a run, and the first of its debates.

    Where it takes longer than ``EARLY``, the name of the run is sent before its results, and these
    before its debates.
    """
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    standing = await known.read(StoreReader.progress, row.id)
    kept = await known.get_run(row, patient=EARLY)
    if kept is None:
        head = _render_head(row, standing, None, Markup(PARTS))  # noqa: S704  our own mark
        return stream_page(head, _yield_parts(request, known, row, standing))
    at = RunRequest(known, row, kept)
    debates = await _list_first(at)
    parts = [
        _render_answer(row, kept.answer, len(kept.index)),
        await _render_debates(request, at, debates),
        _render_rest(at),
    ]
    if _is_written(debates) and _count_methods(kept.answer) < 2:  # then a text is what was found
        parts[:2] = parts[1::-1]
    return HTMLResponse(
        _render_head(row, standing, kept, Markup("".join(parts))),  # noqa: S704  of templates
        headers={"cache-control": "no-store"},
    )


async def _yield_parts(
    request: Request, known: RunArchive, row: RunRow, standing: RecordedProgress
) -> AsyncGenerator[str]:
    """Yield the parts of a run's page as soon as each is computed."""
    yield _say(f"Counting {format_things(standing.debates, 'debate')} …")
    if (answer := await known.get_answer(row, patient=None)) is not None:
        yield _render_answer(row, answer, standing.debates)
    yield _say("Listing the debates …")
    if (kept := await known.get_run(row, patient=None)) is not None:
        at = RunRequest(known, row, kept)
        yield await _render_debates(request, at, await _list_first(at))
        yield _render_rest(at)


def _say(text: str) -> str:
    """Return a line that is shown until something follows it."""
    return f'<p class="coming" role="status">{text}</p>'


def _render_head(
    row: RunRow, standing: RecordedProgress, kept: RunSurvey | None, parts: Markup
) -> str:
    """Return the page of a run with these parts; ``kept`` is None where it is still computed."""
    study = decode_study(row)
    arms = [arm for arm in study.arms if arm.kind != RULE]
    rules, held = len(study.arms) - len(arms), standing.debates
    if kept is not None:
        held += sum(arm.n for arm in kept.results.arms) - len(kept.index)
    return render_text(
        "run.html",
        row=row,
        begun=f"{datetime.fromtimestamp(row.created, UTC):%Y-%m-%d %H:%M} UTC",
        stands=run_state(row, standing, time()),
        standing=standing,
        failed=kept.index.failed if kept else 0,
        behind=len(kept.index) if kept and len(kept.index) != standing.debates else 0,
        origin=label_origin(study),
        simulated=study.simulated,
        methods=len({arm.arm for arm in kept.results.arms} if kept else arms),
        held_debates=None if kept is None and rules else held,
        parts=parts,
    )


def _render_answer(row: RunRow, answer: RunAnswer, debates: int) -> str:
    """Return the first part of a run's page: the sentence, the table, the chart."""
    return render_text(
        "run_answer.html",
        row=row,
        known=debates,
        reports=answer.reports,
        why=explain_undrawn(),
        arms=_count_methods(answer),
        shown_arms=SHOWN_ARMS,
    )


async def _list_first(at: RunRequest) -> DebatePage:
    return await at.known.read(list_page, at.kept.index, DebateFilter(), "", most=FIRST)


def _is_written(debates: DebatePage) -> bool:
    """Return whether long texts were written, whose right answer is not known."""
    return any(entry.is_long and entry.line.outcome == "open" for entry in debates.entries)


def _count_methods(answer: RunAnswer) -> int:
    """Return the most methods of a dataset."""
    return max(map(len, answer.results.datasets.values()), default=0)


async def _render_debates(request: Request, at: RunRequest, debates: DebatePage) -> str:
    """Return the matrix and the first debates."""
    written = _is_written(debates)
    matrix = len(at.kept.index) and not written
    return render_text(
        "run_debates.html",
        row=at.row,
        written=written,
        view=await view_matrix(request, at.known, [at.row], most=ROWS) if matrix else None,
        **_list(at, DebateFilter(), "", debates),
    )


def _render_rest(at: RunRequest) -> str:
    """Return the figures, the analyses and the further pages."""
    return render_text(
        "run_rest.html",
        row=at.row,
        groups=Analysis.by_topic(map(analyses.get, at.kept.listing.analyses)),
        methods=len({arm.arm for arm in at.kept.results.arms}),
    )


async def results(request: Request) -> Response:
    """Show the results of a run with every arm."""
    known = archive_of(request)
    row = await known.get_row(request.path_params["run"])
    answer = await known.need_answer(row)
    reports = await asyncio.to_thread(report_briefly, None, answer.results)
    return render("whole.html", row=row, reports=reports)


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
    text = read_search(query.get("q", ""))
    if text:
        async with at.known.searches:
            found = await at.known.read(search_page, index, choice, cursor, text)
    else:
        found = await at.known.read(list_page, index, choice, cursor)
    return render("debates.html", row=at.row, most=MOST, **_list(at, choice, text, found))


async def settings(request: Request) -> Response:
    """Show the settings in which methods differ, then the others, without the owner's paths."""
    row = await archive_of(request).get_row(request.path_params["run"])
    arms = decode_study(row).arms
    told = {arm.name: describe_settings(arm.factors, paths=False) for arm in arms}
    shared = set[str]().union(*told.values()).intersection(*told.values())
    common = [each for each in next(iter(told.values()), ()) if each in shared]
    own = {
        arm.name: (arm.protocol, [each for each in told[arm.name] if each not in common])
        for arm in arms
    }
    return render("settings.html", row=row, arms=own, common=common)


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
    answer = await known.need_answer(row)
    shown = [chart for report in answer.reports for chart in report.charts]
    if request.path_params["chart"] in {chart.name for chart in shown}:  # that of its own page
        return await send_chart(request, shown)
    groups = await known.get_charts(row)
    return await send_chart(request, [chart for group in groups for chart in group.charts])


ROUTES = [
    *run_progress.ROUTES,
    Route("/runs/{run}", page, methods=["GET"]),
    Route("/runs/{run}/results", results, methods=["GET"]),
    Route("/runs/{run}/debates", debates, methods=["GET"]),
    Route("/runs/{run}/settings", settings, methods=["GET"]),
    Route("/runs/{run}/figures", figures, methods=["GET"]),
    Route("/runs/{run}/figures/{chart}.svg", figure, methods=["GET"]),
]
