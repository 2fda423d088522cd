"""The page with the list of runs."""

from collections.abc import Sequence
from datetime import UTC, datetime
from time import time
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from moot.contrib.server.pages.archive import PATIENT, archive_of
from moot.contrib.server.pages.listing import WORDS, read_search
from moot.contrib.server.pages.page_rendering import make_url, parse_number, render
from moot.contrib.server.pages.run_list import ORDERS, STATES, RunChoice, RunLine
from moot.contrib.server.pages.run_progress import RunState, run_state
from moot.contrib.server.pages.run_sentences import RunSentences
from moot.extend.stores import RecordedProgress, StoreReader
from moot.extend.words import on_one_line

RUNS = 50
"""Runs on a page."""
EARLY = 0.3
"""Seconds that the list waits for sentences; the others follow by a script."""
LONG = 300
"""The most characters of a sentence."""
NOTHING = RecordedProgress(0, 0, None)
"""The progress of a run that has none, or whose progress is not asked for."""


async def every(request: Request) -> Response:
    """Show the runs that the address chooses."""
    query, known = request.query_params, archive_of(request)
    state, order = query.get("state", ""), query.get("order", "")
    choice = RunChoice(
        single=query.get("kind") == "asked",
        state=state if state in STATES else "all",
        text=read_search(query.get("q", "")),
        order=order if order in ORDERS else "newest",
    )
    listed = await known.get_list()
    found = listed.choose(choice)
    start = min(parse_number(query.get("start")), max(0, len(found) - 1))
    lines = found[start : start + RUNS]
    shown = await known.read(_describe_runs, lines, time())
    said = await _sentences(request).read(lines, patient=EARLY)
    asked = {each.run: each.plan.question.text for each in request.app.state.debates.live}
    return render(
        "runs.html",
        choice=choice,
        runs=shown,
        said=said,
        long=LONG,
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
    """A run as the list shows it: its line, its state and its time."""

    line: RunLine
    stands: RunState
    begun: str


def _describe_runs(reader: StoreReader, lines: Sequence[RunLine], now: float) -> list[ShownRun]:
    rows = {row.id: row for row in reader.runs_of([line.id for line in lines])}
    shown = []
    for line in lines:
        row = rows[line.id]
        # Only a run that goes on has a progress that its state depends on.
        standing = reader.progress(row.id) if row.status == "running" else NOTHING
        begun = f"{datetime.fromtimestamp(line.created, UTC):%Y-%m-%d %H:%M} UTC"
        shown.append(ShownRun(line, run_state(row, standing, now), begun))
    return shown


async def say(request: Request) -> Response:
    """Return the sentences of the named runs as JSON: as many as are computed in some seconds.

    That of a run that is not there any more is empty.
    """
    keys, listed = {*request.query_params.getlist("run")}, await archive_of(request).get_list()
    lines = [line for line in listed.choose(RunChoice()) if line.key in keys]
    found = await _sentences(request).read(lines[:RUNS], patient=PATIENT)
    ready = dict.fromkeys(keys.difference(line.key for line in lines), "")
    ready |= {key: on_one_line(said, LONG) for key, said in found.items() if said is not None}
    return JSONResponse(ready, headers={"cache-control": "no-store"})


def _sentences(request: Request) -> RunSentences:
    """Return the sentences of the runs of the server's store."""
    known, state = archive_of(request), request.app.state
    if getattr(state, "sentences", None) is None or state.sentences.known is not known:
        state.sentences = RunSentences(known)
    found: RunSentences = state.sentences
    return found


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


ROUTES = [
    Route("/runs", every, methods=["GET"]),
    Route("/sentences", say, methods=["GET"]),
]
