"""The state of a run, and how far it has come, streamed to its page every second."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from time import monotonic, time
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot import MootError
from moot.contrib.server.event_stream import EventStream, encode_event
from moot.contrib.server.pages.archive import RunArchive, archive_of
from moot.extend.records import RunRow, decode_study
from moot.extend.stores import RecordedProgress, StoreReader
from moot.extend.studies import QuestionPlan
from moot.extend.words import format_count, format_things

EVERY = 1.0
"""Seconds between two reads of the store."""
QUIET = 120.0
"""Seconds without a reply after which the process of a running run may have ended."""


class RunState(NamedTuple):
    """The state of a run.

    Attributes:
        name: ``running``, ``quiet``, ``stopped`` or ``done``.
        words: the same for people.
        more: a hint; empty for none.
        total: the number of debates it will have; None if unknown.
    """

    name: str
    words: str
    more: str
    total: int | None

    @property
    def going(self) -> bool:
        """Whether more debates may be recorded."""
        return self.name in {"running", "quiet"}


def run_state(row: RunRow, standing: RecordedProgress, now: float) -> RunState:
    """Return the state of a run at a time, in Unix seconds."""
    study = decode_study(row)
    total = study.debates
    if row.status != "running":
        if row.status == "done":
            return RunState("done", "done", "", total)
        again = "asking the same again" if row.name == QuestionPlan.STUDY else "moot run"
        words, higher = "interrupted before its end", ""
        if study.cap:
            words, higher = row.described_status, " with a higher cap"
        more = f"Replies that were paid for are kept: {again}{higher} goes on where it stopped."
        return RunState("stopped", words, more, total)
    who = f"It is run by {row.session.process}." if row.session else ""
    silent = now - max(row.created, standing.replied or 0.0)
    if silent < QUIET:
        return RunState("running", "running", who, total)
    words = f"running, no reply for {_span(silent)}"
    if row.session is None:  # an older moot began it, and left no sign of whether it lives
        words = f"interrupted, as it seems: no reply for {_span(silent)}"
        unknown = "If its process has ended, moot run goes on with it where it stopped."
        return RunState("stopped", words, unknown, total)
    return RunState("quiet", words, who, total)


def _span(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("min", 60)):
        if seconds >= (90 if unit == "min" else 2 * length):
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} s"


async def events(request: Request) -> Response:
    """Stream how far a run has come, until it ends."""
    known = archive_of(request)
    try:
        row = await known.find_row(request.path_params["run"])
    except MootError:
        return Response(status_code=503)
    if row is None:
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
            standing = await known.read(StoreReader.progress, row.id)
            more = await known.read(StoreReader.count_failures, row.id, newest)
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
            yield encode_event({"name": run_state(now, standing, time()).name}, name="end")
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(closing.wait(), EVERY)


def _describe(
    stands: RunState, standing: RecordedProgress, failed: int, pace: float
) -> dict[str, str | int]:
    """Return the progress of a run in words."""
    left = ""
    if stands.total and pace:
        left = f"about {_span(max(0, stands.total - standing.debates) / pace)} left"
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
