"""A debate in progress, sent to its page as it goes on: server-sent events with parts of the page.

The number of an event is the number of the debate's events that it covers. So whoever lost the
connection says with ``Last-Event-ID`` where to go on.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from moot.core.events import Closed, Event, Failed, NodeFinished, Opened, Searched, Turn
from moot.core.plain import line, many
from moot.server.held import LiveDebate
from moot.server.pages.board import MOST, Board
from moot.server.pages.debate import found, number, place
from moot.server.pages.page import Place, written

CALM = 0.05
"""Seconds in which what happens is sent together."""
SILENCE = 15.0
"""Seconds after which something is sent though nothing happened, to find who has gone."""
AGAIN = 1000
"""Milliseconds after which a browser tries again."""


async def events(request: Request) -> Response:
    """The events of a debate from the one the client names, or its end."""
    where = place(request)
    held = found(request, where)
    if held is None:
        return Response(status_code=204)  # tells an event source not to ask again
    last = request.headers.get("last-event-id") or request.query_params.get("after")
    return StreamingResponse(
        stream(held, where, number(last)),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def stream(held: LiveDebate, where: Place, seen: int) -> AsyncIterator[str]:
    """What changed on the page since so many events, again and again, and at last that it ended."""
    yield f"retry: {AGAIN}\n\n"
    async with aclosing(_batches(held)) as batches:
        async for so_far in batches:
            if so_far is None:
                yield ": still there\n\n"
                continue
            if len(so_far) > seen and isinstance(so_far[0], Opened):
                changes = list(_changes(so_far, seen, where))
                seen = len(so_far)
                yield _sent("change", seen, {"parts": changes, "told": _told(so_far[-1])})
    yield _sent("end", seen, {})


def _sent(name: str, number: int, data: dict[str, Any]) -> str:
    return f"id: {number}\nevent: {name}\ndata: {msgspec.json.encode(data).decode()}\n\n"


async def _batches(held: LiveDebate) -> AsyncGenerator[Sequence[Event] | None, None]:
    """All events so far, each time that there are more; None where there were none for long."""
    so_far: list[Event] = []
    news, over = asyncio.Event(), asyncio.Event()

    async def listen() -> None:
        try:
            async with aclosing(held.events()) as source:
                async for event in source:
                    so_far.append(event)
                    news.set()
        finally:
            over.set()
            news.set()

    listening = asyncio.create_task(listen())
    try:
        while True:
            try:
                async with asyncio.timeout(SILENCE):
                    await news.wait()
            except TimeoutError:
                yield None
                continue
            news.clear()
            ended = over.is_set()
            yield tuple(so_far)
            if ended:
                return
            await asyncio.sleep(CALM)
    finally:
        listening.cancel()


def _changes(events: Sequence[Event], seen: int, where: Place) -> Iterator[dict[str, Any]]:
    """The parts of the page that are others than before: where each goes, and what it is.

    Those that the page does not have yet go into the part ``into``, in the order of ``order``.
    """
    board = Board(events)
    fresh = {event.id for event in events[seen:] if isinstance(event, Turn)}
    nodes = {event.node for event in events[seen:] if isinstance(event, NodeFinished)}
    searched = {event for event in events[seen:] if isinstance(event, Searched)}
    values = {"board": board, "place": where}
    yield {"id": "outcome", "html": written("patch.html", what="outcome", **values)}
    yield {"id": "figure", "html": written("patch.html", what="figure", **values)}
    if board.said > MOST + len(fresh):
        return
    for part in board.parts:
        touched = [
            held
            for held in part.rounds
            if any(said.turn.id in fresh for said in held.messages)
            or not searched.isdisjoint(held.searches)
        ]
        whole = part.group.name or all(turn.id in fresh for turn in part.group.turns)
        if whole and (touched or part.group.turns[0].node in nodes):
            html = written("patch.html", what="part", part=part, **values)
            order = part.group.turns[0].id
            yield {"id": part.key, "into": "parts", "order": order, "html": html}
            continue
        for held in touched:
            html = written("patch.html", what="round", part=part, held=held, **values)
            into = f"{part.key}-rounds"
            yield {"id": held.key, "into": into, "order": held.stage.place, "html": html}


def _told(event: Event) -> str:
    """The newest event in words, for who cannot see the page change."""
    if isinstance(event, Turn):
        answer = "no answer" if event.answer is None else line(event.answer, 60)
        return line(f"Round {event.round}, {event.agent}: {answer}", 160)
    if isinstance(event, Closed):
        answer = "none" if event.verdict.answer is None else line(event.verdict.answer, 60)
        return f"The debate ended. Verdict: {answer}"
    if isinstance(event, Searched):
        return f"{many(len(event.passages), 'passage')} found in the documents."
    return "The debate failed." if isinstance(event, Failed) else ""


ROUTES = [Route("/debates/{run}/events", events, methods=["GET"])]
