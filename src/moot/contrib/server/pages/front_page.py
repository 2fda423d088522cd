"""The front page: what moot is, shown by a debate of the embedded model.

The demonstration costs the server's owner no money: it is held by the model in this process, once,
when the page is first opened, and then shown to everybody. Where that model cannot answer, or the
owner does not allow it, a recorded debate is shown, and the page says so.
"""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot import Event, MootError
from moot.contrib.server.allowed_names import check_plan
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.pages.archive import archive_of
from moot.contrib.server.pages.board import Board, join_pieces
from moot.contrib.server.pages.page_rendering import DebateAddress, make_url, render
from moot.extend.calls import find_weights
from moot.extend.records import Opened
from moot.extend.studies import QuestionPlan, plan_question

MODEL = "local/smollm2"
PROTOCOL = "society-of-minds"
QUESTION = "Which of these is heaviest?"
CHOICES = ("A feather", "A bicycle", "An elephant")
SETTINGS = {"model": MODEL, "agents": 2, "rounds": 2, "max_tokens": 80, "temperature": 0.7}
PATIENT = 3.0
"""Seconds that the page waits for the beginning of the demonstration."""
CLIENT = "demonstration"
"""The name of the client that asks for it: no client's allowance pays for it."""


class FrontDebate(NamedTuple):
    """The debate on the front page.

    Attributes:
        events: so far.
        live: the debate, where it was held since the server began; None for a recorded one.
        where: its address; None for a recorded one.
    """

    events: Sequence[Event]
    live: LiveDebate | None = None
    where: DebateAddress | None = None


async def page(request: Request) -> Response:
    """Show what moot is, and the demonstration so far."""
    if request.query_params:  # the page to ask had this address
        return RedirectResponse(make_url("/ask", **request.query_params), 307)
    shown = await _find_demonstration(request)
    drafts = join_pieces(shown.live.under_way) if shown.live else []
    board = Board(shown.events, drafts=drafts)
    base = str(request.base_url).rstrip("/")
    return render(
        "front.html",
        here="front",
        board=board,
        place=shown.where,
        seen=len(shown.events),
        base=base,
        has_runs=await archive_of(request).has_runs(),
        model=request.app.state.config.models[0],
    )


async def _find_demonstration(request: Request) -> FrontDebate:
    """Return the demonstration; begin it if it is the first request. Else a recorded one."""
    state = request.app.state
    debates: LiveDebates = state.debates
    if not hasattr(state, "demonstration"):
        state.demonstration = _Demonstration(debates)
    live = await state.demonstration.find()
    if live is not None:
        try:
            async with asyncio.timeout(PATIENT), aclosing(live.snapshots()) as snapshots:
                async for events in snapshots:
                    if live.failed:
                        break
                    if len(events) > 1 and isinstance(events[0], Opened):
                        where = DebateAddress.of(live)
                        return FrontDebate(events, live, where)
        except TimeoutError:
            pass  # it waits for its turn among other debates
    return FrontDebate(_read_recorded())


class _Demonstration:
    """The one demonstration of a server: it is held once for all readers."""

    def __init__(self, debates: LiveDebates) -> None:
        self._debates = debates
        self._live: LiveDebate | None = None
        self._lock = asyncio.Lock()

    async def find(self) -> LiveDebate | None:
        """Return the demonstration, in progress or ended; None where it cannot be held.

        It is the same debate at every start of the server, so the store has it after the first.
        None, too, where it has ended without a verdict; the next call begins it again.
        """
        async with self._lock:
            if self._live is not None and self._live.failed:
                self._live = None
                return None
            if self._live is None and _is_ready():
                plan = _plan_demonstration()
                try:
                    check_plan(self._debates.config, plan)
                    self._live = await self._debates.start(
                        plan, client=CLIENT, replicate=0, linger=None, stream=True
                    )
                except MootError:
                    return None
            return self._live


def _is_ready() -> bool:
    """Whether the embedded model is installed and its weights are on this machine."""
    return find_spec("xllamacpp") is not None and find_weights("smollm2").present


def _plan_demonstration() -> QuestionPlan:
    return plan_question(QUESTION, protocol=PROTOCOL, settings=SETTINGS, choices=CHOICES)


@cache
def _read_recorded() -> tuple[Event, ...]:
    """Return the events of the demonstration as it was once held by the embedded model."""
    text = files("moot.contrib.server.pages").joinpath("recorded_debate.json").read_bytes()
    return tuple(msgspec.json.decode(text, type=list[Event]))


ROUTES = [Route("/", page, methods=["GET"])]
