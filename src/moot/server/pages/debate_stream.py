"""A debate in progress, streamed to its page: server-sent events with parts of the page.

The id of an event is the number of the debate's events that it covers. A browser that lost the
connection sends the last id as ``Last-Event-ID``, and the stream goes on from there.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.core.display_text import format_things, on_one_line
from moot.core.events import Closed, Event, Failed, NodeFinished, Opened, Searched, Turn
from moot.server.event_stream import EventStream, encode_event
from moot.server.live_debate import LiveDebate
from moot.server.pages.board import MOST, Board
from moot.server.pages.debate_page import find_live, place_of
from moot.server.pages.page_rendering import DebateAddress, parse_number, render_text

CALM = 0.05
"""Seconds in which events are collected, to be sent together."""
AGAIN = 1000
"""Milliseconds after which a browser connects again."""


async def events(request: Request) -> Response:
    """Stream the changes of a debate's page from the one the client names to the end."""
    where = place_of(request)
    debate = find_live(request, where)
    if debate is None:
        return Response(status_code=204)  # tells an event source not to ask again
    last = request.headers.get("last-event-id") or request.query_params.get("after")
    return EventStream(stream(debate, where, parse_number(last)))


async def stream(debate: LiveDebate, where: DebateAddress, seen: int) -> AsyncGenerator[bytes]:
    """Yield what changed on the page since so many events, at last that the debate ended."""
    yield b"retry: %d\n\n" % AGAIN
    async with aclosing(debate.snapshots()) as snapshots:
        async for events in snapshots:
            if len(events) > seen and isinstance(events[0], Opened):
                changes = list(_changes(events, seen, where))
                seen = len(events)
                data = {"parts": changes, "told": _describe(events[-1])}
                yield encode_event(data, name="change", number=seen)
                await asyncio.sleep(CALM)
    yield encode_event({}, name="end", number=seen)


def _changes(events: Sequence[Event], seen: int, where: DebateAddress) -> Iterator[dict[str, Any]]:
    """Yield the changed parts of the page: the id of each, and its HTML.

    A part that the page does not have yet goes into the part ``into``, in the order of ``order``.
    """
    board = Board(events)
    fresh = {event.id for event in events[seen:] if isinstance(event, Turn)}
    nodes = {event.node for event in events[seen:] if isinstance(event, NodeFinished)}
    searches = {event for event in events[seen:] if isinstance(event, Searched)}

    def render(what: str, **values: object) -> str:
        return render_text("patch.html", what=what, board=board, place=where, **values)

    yield {"id": "outcome", "html": render("outcome")}
    yield {"id": "figure", "html": render("figure")}
    if board.said > MOST + len(fresh):
        return
    for part in board.parts:
        changed = [
            each
            for each in part.rounds
            if any(message.turn.id in fresh for message in each.messages)
            or not searches.isdisjoint(each.searches)
        ]
        whole = part.group.name or all(turn.id in fresh for turn in part.group.turns)
        if whole and (changed or part.group.turns[0].node in nodes):
            order, html = part.group.turns[0].id, render("part", part=part)
            yield {"id": part.key, "into": "parts", "order": order, "html": html}
            continue
        for each in changed:
            order, html = each.stage.place, render("round", part=part, held=each)
            yield {"id": each.key, "into": f"{part.key}-rounds", "order": order, "html": html}


def _describe(event: Event) -> str:
    """Return the newest event in words, for screen readers."""
    if isinstance(event, Turn):
        answer = "no answer" if event.answer is None else on_one_line(event.answer, 60)
        return on_one_line(f"Round {event.round}, {event.agent}: {answer}", 160)
    if isinstance(event, Closed):
        answer = "none" if event.verdict.answer is None else on_one_line(event.verdict.answer, 60)
        return f"The debate ended. Verdict: {answer}"
    if isinstance(event, Searched):
        return f"{format_things(len(event.passages), 'passage')} found in the documents."
    return "The debate failed." if isinstance(event, Failed) else ""


ROUTES = [Route("/debates/{run}/events", events, methods=["GET"])]
