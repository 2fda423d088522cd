"""A run in progress, streamed to its page: the store is read every second."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from time import monotonic, time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.core.display_text import format_count, format_things
from moot.core.errors import MootError
from moot.core.stored import RunRow
from moot.ledger.reader import RunProgress, StoreReader
from moot.server.event_stream import EventStream, encode_event
from moot.server.pages.archive import RunArchive, archive_of
from moot.server.pages.aside import read_in_thread
from moot.server.pages.state import RunState, run_state

EVERY = 1.0
"""Seconds between two reads of the store."""


async def events(request: Request) -> Response:
    """Stream how far a run has come, until it ends."""
    known = archive_of(request)
    try:
        row = await known.find_row(request.path_params["run"])
    except MootError:
        return Response(status_code=503)
    if row is None or row.status != "running":
        return Response(status_code=204)  # tells an event source not to ask again
    return EventStream(_stream(known, row, request.app.state.debates.closing))


async def _stream(known: RunArchive, row: RunRow, closing: asyncio.Event) -> AsyncGenerator[bytes]:
    yield b"retry: 3000\n\n"
    kept = await known.get_run(row, patient=0.0)
    newest, failed = (kept.index.newest, kept.index.failed) if kept else (0, 0)
    began, first, last = monotonic(), None, None
    while not closing.is_set():
        try:
            now = await known.find_row(row.key)
            standing = await known.read_standing(row)
            more = await read_in_thread(known.file, StoreReader.count_failures, row.id, newest)
        except MootError:
            return  # the browser tries again
        if now is None:
            return
        first = standing.debates if first is None else first
        pace = (standing.debates - first) / max(EVERY, monotonic() - began)
        words = _describe(run_state(now, standing, time()), standing, failed + more, pace)
        if words != last:
            last = words
            yield encode_event(words, name="progress")
        if now.status != "running":
            yield encode_event({}, name="end")
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(closing.wait(), EVERY)


def _describe(
    stands: RunState, standing: RunProgress, failed: int, pace: float
) -> dict[str, str | int]:
    """Return the progress of a run in words."""
    left = ""
    if stands.total and pace:
        seconds = max(0, stands.total - standing.debates) / pace
        minutes = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
        left = f"about {minutes} left"
    return {
        "state": stands.words,
        "more": stands.more,
        "debates": standing.debates,
        "held": format_things(standing.debates, "debate"),
        "failed": f"{format_count(failed)} failed" if failed else "",
        "pace": f"{pace:.1f} a second" if pace else "",
        "left": left,
    }


ROUTES = [Route("/runs/{run}/events", events, methods=["GET"])]
