"""A run in progress, sent to its page as it goes on: the store is asked every second."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic, time

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from moot.core.errors import MootError
from moot.core.plain import count, many
from moot.core.stored import RunRow
from moot.ledger.reader import Reader, Standing
from moot.server.pages.archive import Archive, archive
from moot.server.pages.aside import read
from moot.server.pages.state import State, state

EVERY = 1.0
"""Seconds between two looks at the store."""
SILENCE = 15.0
"""Seconds after which something is sent though nothing happened, to find who has gone."""


async def events(request: Request) -> Response:
    """How far a run is, again and again, and at last that it has ended."""
    known = archive(request)
    try:
        row = await known.run(request.path_params["run"])
    except MootError:
        return Response(status_code=503)
    if row is None or row.status != "running":
        return Response(status_code=204)  # tells an event source not to ask again
    return StreamingResponse(
        _stream(known, row, request.app.state.debates.closing),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _stream(known: Archive, row: RunRow, closing: asyncio.Event) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    kept = await known.kept(row, patient=0.0)
    newest, failed = (kept.survey.index.newest, kept.survey.index.failed) if kept else (0, 0)
    began, first, sent, told = monotonic(), None, "", monotonic()
    while not closing.is_set():
        try:
            now = await known.run(row.key)
            standing = await known.standing(row)
            more = await read(known.file, Reader.failed_since, row.id, newest)
        except MootError:
            return  # the browser tries again
        if now is None:
            return
        first = standing.debates if first is None else first
        pace = (standing.debates - first) / max(EVERY, monotonic() - began)
        data = _data(state(now, standing, time()), standing, failed + more, pace)
        if data != sent:
            sent, told = data, monotonic()
            yield f"event: progress\ndata: {data}\n\n"
        elif monotonic() - told > SILENCE:
            told = monotonic()
            yield ": still there\n\n"
        if now.status != "running":
            yield "event: end\ndata: {}\n\n"
            return
        try:
            await asyncio.wait_for(closing.wait(), EVERY)
        except TimeoutError:
            continue


def _data(stands: State, standing: Standing, failed: int, pace: float) -> str:
    left = ""
    if stands.total and pace:
        seconds = max(0, stands.total - standing.debates) / pace
        left = (
            f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"
        )
    told = {
        "state": stands.words,
        "more": stands.more,
        "debates": standing.debates,
        "held": many(standing.debates, "debate"),
        "failed": f"{count(failed)} failed" if failed else "",
        "pace": f"{pace:.1f} a second" if pace else "",
        "left": left,
    }
    return msgspec.json.encode(told).decode()


ROUTES = [Route("/runs/{run}/events", events, methods=["GET"])]
