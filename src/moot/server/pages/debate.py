"""The page of a debate, whether it goes on or has ended, and of each message in it."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot.core.calls import Call
from moot.core.errors import InputError
from moot.core.events import Event, Opened
from moot.core.plain import many
from moot.core.stored import DebateRow, RunRow
from moot.server.debates import Debates
from moot.server.held import LiveDebate
from moot.server.pages.board import MOST, Board
from moot.server.pages.page import Place, missing, render, waiting
from moot.studies.lab import Lab

LOOKED = 1000
"""Debates of a run that are looked through for the one that is meant."""
PAGE = 100_000
"""Characters of a text on one page."""


def place(request: Request) -> Place:
    """Where the address says that the debate is."""
    query = request.query_params
    return Place(
        run=request.path_params["run"],
        arm=query.get("arm", ""),
        dataset=query.get("dataset", ""),
        question=query.get("question", ""),
        replicate=number(query.get("replicate")),
        held=query.get("held", ""),
    )


def number(text: str | None) -> int:
    """A number of an address, from 0; 0 for what is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def found(request: Request, where: Place) -> LiveDebate | None:
    """The debate that the server holds, or held of late."""
    debates: Debates = request.app.state.debates
    held = debates.get(where.held) if where.held else None
    if held is not None and held.run == where.run:
        return held
    if where.held or where.arm or where.question:
        return None
    same = (each for each in debates.live if each.run == where.run)
    return next((each for each in same if each.replicate == where.replicate), None)


async def page(request: Request) -> Response:
    """The debate as far as it has come."""
    where = place(request)
    events = await _events(request, where)
    if isinstance(events, Response):
        return events
    board = Board(events, number(request.query_params.get("after")))
    run_url = f"/runs/{quote(where.run, safe='')}"
    return render(
        "debate.html", board=board, place=where, seen=len(events), most=MOST, run_url=run_url
    )


async def stop(request: Request) -> Response:
    """End the debate, and show what there is of it."""
    where = place(request)
    if (held := found(request, where)) is not None:
        held.stop("it was stopped by hand")
        await asyncio.wait([held.task])
    return RedirectResponse(where.url(), 303)


class Text(NamedTuple):
    """A text of which a page shows a part.

    Attributes:
        name: ``reply``, ``thought``, or empty.
        title: what it is.
        shown: the part.
        start: where it begins.
        end: where it ends.
        left: the characters behind it.
    """

    name: str
    title: str
    shown: str
    start: int
    end: int
    left: int


async def message(request: Request) -> Response:
    """One message: all of what was said, and the prompt behind it."""
    where = place(request)
    events = await _events(request, where)
    if isinstance(events, Response):
        return events
    board = Board(events)
    said = board.message(request.path_params["turn"])
    if said is None:
        return missing("There is no such message in this debate.", _there(where))
    lab: Lab = request.app.state.lab
    call = _call(lab, said.turn.call)
    texts = [("reply", "What was said", said.turn.text)]
    if said.turn.thought:
        title = "What its model thought, seen by no other agent"
        texts.insert(0, ("thought", title, said.turn.thought))
    if call is not None:
        texts = [("", f"Prompt: {each.role}", each.content) for each in call.messages] + texts
    turns = [turn.id for turn in board.transcript.turns]
    at = turns.index(said.turn.id)
    return render(
        "message.html",
        board=board,
        place=where,
        said=said,
        before=turns[at - 1] if at else None,
        after=turns[at + 1] if at + 1 < len(turns) else None,
        texts=list(_parts(texts, request)),
        asked=call,
        sampling=", ".join(_sampling(call)) if call else "",
        why=": the debate goes on" if board.live else "",
    )


def _parts(texts: Iterable[tuple[str, str, str]], request: Request) -> Iterable[Text]:
    """Of each text as much as fits on a page, of one from where the address says."""
    chosen = request.query_params.get("text")
    for at, (name, title, text) in enumerate(texts):
        start = number(request.query_params.get("start")) if chosen == str(at) else 0
        start = min(start, len(text))
        end = min(len(text), start + PAGE)
        yield Text(name, title, text[start:end], start, end, len(text) - end)


def _call(lab: Lab, identity: str) -> Call | None:
    try:
        return lab.store.request(bytes.fromhex(identity))
    except ValueError:
        return None


def _sampling(call: Call) -> Iterable[str]:
    """How the reply was drawn, in words."""
    sampling = call.sampling
    for name in ("temperature", "top_p", "max_tokens", "seed"):
        value = getattr(sampling, name)
        if value is not None:
            yield f"{name.replace('_', ' ')} {value:g}"
    if sampling.effort is not None:
        yield f"effort {sampling.effort}"
    if sampling.stop:
        yield f"stops at {len(sampling.stop)} texts"
    if sampling.schema is not None:
        yield "held to a JSON schema"
    yield f"draw {call.draw.replicate}-{call.draw.seat}-{call.draw.repeat}"


async def _events(request: Request, where: Place) -> tuple[Event, ...] | Response:
    """What happened in a debate so far, or why there is nothing to show."""
    if (held := found(request, where)) is not None:
        if held.waits:
            ahead = held.place.ahead
            queue = f"Before it: {many(ahead, 'other debate')}." if ahead else "It is the next."
            return waiting("The debate waits for its turn.", queue)
        events = await so_far(held)
        if events and isinstance(events[0], Opened):
            return events
        return missing("The debate has not begun yet.", "Load this page again.")
    lab: Lab = request.app.state.lab
    try:
        row = lab.store.run_named(where.run)
    except InputError as error:
        return missing("There is no such run.", str(error))
    return _stored(lab, row, where)


def _stored(lab: Lab, row: RunRow, where: Place) -> tuple[Event, ...] | Response:
    matching: list[DebateRow] = []
    several = lab.store.debates(
        row.id, where.arm or None, where.question or None, where.dataset or None
    )
    for seen, each in enumerate(several):
        if each.replicate == where.replicate:
            matching.append(each)
        if len(matching) > 1 or seen > LOOKED:
            told = "This run has more than one debate like that."
            return missing(told, f"Choose one at /runs/{row.key}")
    if not matching:
        return missing("There is no such debate.", _there(where))
    return matching[0].transcript.events


def _there(where: Place) -> str:
    return f"It may have been stopped before its end; its run is {where.run}."


async def so_far(held: LiveDebate) -> tuple[Event, ...]:
    """What has happened in a debate up to now; of one just begun, its beginning."""
    events: list[Event] = []
    try:
        async with aclosing(held.events()) as source:
            events.append(await anext(source))
            async with asyncio.timeout(0):  # what is there comes at once; nothing is waited for
                async for event in source:
                    events.append(event)  # noqa: PERF401 -- those before are kept
    except (TimeoutError, StopAsyncIteration):
        pass
    return tuple(events)


ROUTES = [
    Route("/debates/{run}", page, methods=["GET"]),
    Route("/debates/{run}/stop", stop, methods=["POST"]),
    Route("/debates/{run}/{turn:int}", message, methods=["GET"]),
]
