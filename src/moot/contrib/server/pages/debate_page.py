"""The page of one debate, its changes as a stream, and the page of one of its messages.

The id of an event of the stream is the number of the debate's events that it covers. A browser that
lost the connection sends the last id as ``Last-Event-ID``, and the stream goes on from there.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot import Call, Event, InputError, Turn
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.event_stream import EventStream, encode_event
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.pages.added_pages import registry as added
from moot.contrib.server.pages.archive import archive_of
from moot.contrib.server.pages.ask_code import write_code
from moot.contrib.server.pages.ask_ways import fill_form, link_to_form, list_ways
from moot.contrib.server.pages.board import MOST, NOW, Board, ReplyDraft, join_pieces
from moot.contrib.server.pages.conversation import can_follow, name_debate
from moot.contrib.server.pages.debate_controls import describe_controls
from moot.contrib.server.pages.page_rendering import (
    DebateAddress,
    NoPage,
    parse_number,
    render,
    render_text,
)
from moot.extend.records import (
    Closed,
    DebateRow,
    Failed,
    NodeFinished,
    Noted,
    Opened,
    RunRow,
    Searched,
    describe_event,
)
from moot.extend.studies import Lab, restore_plan
from moot.extend.words import format_things, on_one_line

LOOKED = 1000
"""The most debates of a run that are searched for the one of an address."""
PAGE = 100_000
"""Characters of a text on one page."""
CALM = 0.1
"""Seconds in which events and words are collected, to be sent together."""
AGAIN = 1000
"""Milliseconds after which a browser connects again."""


def place_of(request: Request) -> DebateAddress:
    """Return the debate that the address names."""
    query = request.query_params
    return DebateAddress(
        run=request.path_params["run"],
        arm=query.get("arm", ""),
        dataset=query.get("dataset", ""),
        question=query.get("question", ""),
        replicate=parse_number(query.get("replicate")),
        held=query.get("held", ""),
    )


def find_live(request: Request, where: DebateAddress) -> LiveDebate | None:
    """Return the debate if it is in progress, or ended recently; else None."""
    debates: LiveDebates = request.app.state.debates
    live = debates.get(where.held) if where.held else None
    if live is not None and live.run == where.run:
        return live
    if where.held or where.arm or where.question:
        return None
    same = (each for each in debates.live if each.run == where.run)
    return next((each for each in same if each.replicate == where.replicate), None)


async def page(request: Request) -> Response:
    """Show the debate so far."""
    where = place_of(request)
    events = await read_events(request)
    live = find_live(request, where)
    drafts = join_pieces(live.under_way) if live else []
    board = Board(events, parse_number(request.query_params.get("after")), drafts=drafts)
    config: ServerConfig = request.app.state.config
    again = fill_form(config, board.opened)
    return render(
        "debate.html",
        board=board,
        controls=describe_controls(request.app.state.debates, live),
        place=where,
        seen=len(events),
        most=MOST,
        run_url=f"/runs/{quote(where.run, safe='')}",
        again=again,
        shown=[link for each in added if (link := each.show_debate(board.opened, where))],
        link=link_to_form(list_ways(config)[again["protocol"]], again) if again else "",
        code=write_code(config, board.opened, str(request.base_url).rstrip("/")),
        after=name_debate(where) if can_follow(board.transcript) else "",
    )


async def stop(request: Request) -> Response:
    """End the debate, and show it."""
    where = place_of(request)
    if (live := find_live(request, where)) is not None:
        live.stop("it was stopped by hand")
        await asyncio.wait([live.task])
    return RedirectResponse(where.url(), 303)


class Text(NamedTuple):
    """A text of which a page shows a part.

    Attributes:
        name: ``reply``, ``thought``, or empty.
        title: its heading.
        shown: the part.
        start: the place of the part's first character.
        end: the place after its last character.
        left: the number of characters after the part.
    """

    name: str
    title: str
    shown: str
    start: int
    end: int
    left: int


async def message(request: Request) -> Response:
    """Show one message whole, with its prompt."""
    where = place_of(request)
    events = await read_events(request)
    board = Board(events)
    said = board.message(request.path_params["turn"])
    if said is None:
        raise NoPage("There is no such message in this debate.", where.hint)
    lab: Lab = request.app.state.lab
    call = _call(lab, said.turn.call)
    texts = [("", f"Prompt: {each.role}", each.content) for each in call.messages] if call else []
    if said.turn.thought:
        title = "What its model thought, seen by no other agent"
        texts.append(("thought", title, said.turn.thought))
    texts.append(("reply", "What was said", said.turn.text))
    turns = [turn.id for turn in board.transcript.turns]
    at = turns.index(said.turn.id)
    return render(
        "message.html",
        board=board,
        place=where,
        said=said,
        before=turns[at - 1] if at else None,
        after=turns[at + 1] if at + 1 < len(turns) else None,
        texts=list(_fit_to_page(texts, request)),
        asked=call,
        sampling=", ".join(_describe_sampling(call)) if call else "",
        why=": the debate goes on" if board.live else "",
    )


def _fit_to_page(texts: Iterable[tuple[str, str, str]], request: Request) -> Iterator[Text]:
    """Yield the part of each text that fits on a page; the address says where one begins."""
    chosen = request.query_params.get("text")
    for at, (name, title, text) in enumerate(texts):
        start = parse_number(request.query_params.get("start")) if chosen == str(at) else 0
        start = min(start, len(text))
        end = min(len(text), start + PAGE)
        yield Text(name, title, text[start:end], start, end, len(text) - end)


def _call(lab: Lab, identity: str) -> Call | None:
    try:
        return lab.store.request(bytes.fromhex(identity))
    except ValueError:
        return None


def _describe_sampling(call: Call) -> Iterator[str]:
    """Yield the sampling settings of a call in words, and its draw."""
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


async def read_events(request: Request) -> tuple[Event, ...]:
    """Return the events of a debate so far. Raises ``NoPage`` where there are none to show."""
    return await read_debate(request, place_of(request))


async def read_debate(request: Request, where: DebateAddress) -> tuple[Event, ...]:
    """Return the events of a debate of an address so far; see ``read_events``."""
    if (live := find_live(request, where)) is not None:
        if live.waits:
            ahead = live.place.ahead
            queue = (
                f"Before it: {format_things(ahead, 'other debate')}."
                if ahead
                else "It is the next."
            )
            raise NoPage("The debate waits for its turn.", queue, wait=True)
        async with aclosing(live.snapshots()) as snapshots:
            async for events in snapshots:
                if events and isinstance(events[0], Opened):
                    return events
        raise NoPage("The debate ended before it began.", where.hint)
    lab: Lab = request.app.state.lab
    try:
        row = lab.store.find_run(where.run)
    except InputError:
        raise await archive_of(request).lack_run(where.run) from None
    matching = _find_stored(lab, row, where)
    if not matching:  # it may just have ended, and wait to be written
        await lab.store.flush()
        matching = _find_stored(lab, row, where)
    if not matching:
        raise _explain_missing(lab, row, where)
    return matching[0].transcript.events


def _find_stored(lab: Lab, row: RunRow, where: DebateAddress) -> list[DebateRow]:
    """Return the stored debate of an address, or none. Raises ``NoPage`` where it has several."""
    matching: list[DebateRow] = []
    several = lab.store.debates(
        row.id, where.arm or None, where.question or None, where.dataset or None
    )
    for seen, each in enumerate(several):
        if each.replicate == where.replicate:
            matching.append(each)
        if len(matching) > 1 or seen > LOOKED:
            hint = f"Choose one at /runs/{row.key}"
            raise NoPage("This run has more than one debate like that.", hint)
    return matching


def _explain_missing(lab: Lab, row: RunRow, where: DebateAddress) -> NoPage:
    """Return the error for a debate that its run does not have; one that was begun can go on."""
    begun = where.replicate < lab.store.count_begun(row.id)
    if not (begun or row.status == "stopped"):
        return NoPage("There is no such debate.", where.hint)
    kept = "Replies that were paid for, and those that people typed, are kept. "
    what = "This debate was interrupted before its end."
    try:
        if begun and restore_plan(row) is not None:
            return NoPage(what, f"{kept}It goes on with them.", go_on=where.url("go-on"))
        why = "Asking the same again in the command line goes on with them."
    except InputError as error:
        why = f"But {error}."
    return NoPage(what, kept + why)


async def stream_changes(request: Request) -> Response:
    """Stream the changes of a debate's page from the one the client names to the end."""
    where = place_of(request)
    return follow_changes(request, partial(_changes, where=where))


PageChanges = Callable[[Board, Sequence[Event], set[int]], Iterator[dict[str, Any]]]
"""Returns the parts of a page that changed: by a debate, its new events, and turns that began."""


def follow_changes(request: Request, changes: PageChanges) -> Response:
    """Return the changes of a page of a debate as a stream; 204 where it does not go on."""
    debate = find_live(request, place_of(request))
    if debate is None:
        return Response(status_code=204)  # tells an event source not to ask again
    last = request.headers.get("last-event-id") or request.query_params.get("after")
    return EventStream(stream(debate, changes, parse_number(last)))


async def stream(debate: LiveDebate, changes: PageChanges, seen: int) -> AsyncGenerator[bytes]:
    """Yield what changed on the page since so many events, at last that the debate ended.

    Pieces of replies under way come before the change that has the whole reply, and after them each
    of these replies as it looks so far. Both have no number: a browser that connects again gets the
    replies under way from their beginning.
    """
    yield b"retry: %d\n\n" % AGAIN
    shown: dict[int, ReplyDraft] = {}
    async with aclosing(debate.follow()) as news:
        async for events, pieces in news:
            for piece in pieces:
                yield encode_event(piece, name="piece")
            begun = {piece.turn for piece in pieces if piece.kind == "begun"}
            more = len(events) > seen
            if (more or begun) and events and isinstance(events[0], Opened):
                board = Board(events, drafts=join_pieces(debate.under_way))
                parts = list(changes(board, events[seen:], begun))
                seen = len(events)
                data = {"parts": parts, "told": _describe(events[-1]) if more else ""}
                yield encode_event(data, name="change", number=seen)
            before, shown = shown, {each.turn: each for each in join_pieces(debate.under_way)}
            for draft in shown.values():
                if draft != before.get(draft.turn):
                    html = render_text("patch.html", what="draft", said=draft)
                    told = {"id": f"d{draft.turn}", "state": draft.state, "html": html}
                    yield encode_event(told, name="draft")
            await asyncio.sleep(CALM)
    yield encode_event({}, name="end", number=seen)


def _changes(
    board: Board, events: Sequence[Event], begun: set[int], where: DebateAddress
) -> Iterator[dict[str, Any]]:
    """Yield the changed parts of the page: the id of each, and its HTML; empty for one that ended.

    A part that the page does not have yet goes into the part ``into``, in the order of ``order``.

    Args:
        board: the page as it is now.
        events: those that are new.
        begun: the turns whose replies have just begun.
        where: the debate.
    """
    fresh = begun | {event.id for event in events if isinstance(event, Turn)}
    nodes = {event.node for event in events if isinstance(event, NodeFinished)}
    between = [event for event in events if isinstance(event, Searched | Noted)]

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
            or any(event in between for event in each.between)
        ]
        whole = part.group.name or all(turn.id in fresh for turn in part.group.turns)
        if whole and (changed or part.group.turns[0].node in nodes):
            order, html = part.group.turns[0].id, render("part", part=part)
            yield {"id": part.key, "into": "parts", "order": order, "html": html}
            continue
        for each in changed:
            order, html = each.stage.place, render("round", part=part, held=each)
            yield {"id": each.key, "into": f"{part.key}-rounds", "order": order, "html": html}
    if not any(part.key == NOW for part in board.parts):
        yield {"id": NOW, "html": ""}


def _describe(event: Event) -> str:
    """Return the newest event in words, for screen readers."""
    if isinstance(event, Turn):
        answer = "no answer" if event.answer is None else on_one_line(event.answer, 60)
        return on_one_line(f"Round {event.round}, {event.agent}: {answer}", 160)
    if isinstance(event, Closed):
        if event.verdict.by == "until":
            return "The debate ended after the stage that was asked for."
        answer = "none" if event.verdict.answer is None else on_one_line(event.verdict.answer, 60)
        return f"The debate ended. Verdict: {answer}"
    if isinstance(event, Searched):
        return f"{format_things(len(event.passages), 'passage')} found in the documents."
    if isinstance(event, Noted):
        return describe_event(event)
    return "The debate failed." if isinstance(event, Failed) else ""


ROUTES = [
    Route("/debates/{run}", page, methods=["GET"]),
    Route("/debates/{run}/events", stream_changes, methods=["GET"]),
    Route("/debates/{run}/stop", stop, methods=["POST"]),
    Route("/debates/{run}/{turn:int}", message, methods=["GET"]),
]
