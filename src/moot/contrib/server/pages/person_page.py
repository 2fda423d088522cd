"""The page on which a person replies: what waits for the person, and a form for each question.

A client of the server sees all that waits for a person. A link with a key is enough for one person
and one debate: with it one reads what that debate asks that person, and replies; nothing else.
"""

import asyncio
from contextlib import aclosing, suppress
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from moot import InputError, Turn
from moot.contrib.server.auth import INVITED, refuse_access
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import AGAIN, NoPage, make_url, render
from moot.contrib.server.people_desk import PeopleDesk, WaitingQuestion

RECORDED = 5.0
"""The most seconds that a reply is waited for until it is recorded."""


class PersonAddress(NamedTuple):
    """The address of a person's page.

    Attributes:
        person: who replies.
        debate: the name of the debate that asks; empty for all debates.
        key: the key of the link; empty for a client with the server's token.
    """

    person: str
    debate: str = ""
    key: str = ""

    def url(self, **more: str) -> str:
        """Return its URL, with further parameters."""
        query = {"debate": self.debate, "key": self.key, **more}
        return make_url(f"/people/{quote(self.person, safe='')}", **query)


async def page(request: Request) -> Response:
    """Show what waits for a person."""
    desk, where = _desk(request), _place(request)
    if (refused := _refuse(request, desk, where)) is not None:
        return refused
    query = request.query_params
    return _show(request, where, taken="taken" in query, late="late" in query)


async def reply(request: Request) -> Response:
    """Take a person's reply, and show what waits next."""
    desk, where = _desk(request), _place(request)
    if (refused := _refuse(request, desk, where)) is not None:
        return refused
    given = await read_form(request)
    text = given.get("text", "").replace("\r\n", "\n")
    named = given.get("id")
    waiting = desk.list_waiting(where.person, where.debate or None)
    question = next((each for each in waiting if each.id == named), None)
    if question is None:
        return _show(request, where, lost=text, status=409)
    try:
        desk.answer(question, text)
    except InputError as error:
        return _show(request, where, error=str(error), status=422)
    recorded = await _wait_until_recorded(request.app.state.debates, question)
    return RedirectResponse(where.url(**{"taken" if recorded else "late": question.id}), 303)


def _show(
    request: Request,
    where: PersonAddress,
    *,
    taken: bool = False,
    late: bool = False,
    lost: str = "",
    error: str = "",
    status: int = 200,
) -> Response:
    """Return the page.

    Args:
        request: the request.
        where: the address.
        taken: whether a reply has just been taken.
        late: whether a reply has just been given that is not recorded yet.
        lost: a reply to a question that waits no longer.
        error: what is wrong with a reply.
        status: of the answer.
    """
    waiting = _desk(request).list_waiting(where.person, where.debate or None)
    answer = render(
        "person.html",
        status=status,
        where=where,
        waiting=waiting,
        urls={each.id: _debate_url(request, where, each) for each in waiting},
        goes_on=not where.debate or _find_live(request.app.state.debates, where.debate) is not None,
        taken=taken,
        late=late,
        lost=lost,
        error=error,
        invited=_is_invited(request, where),
    )
    if not waiting and not lost:
        answer.headers["refresh"] = f"{AGAIN}; url={where.url()}"
    return answer


def _desk(request: Request) -> PeopleDesk:
    desk = request.app.state.debates.people
    assert isinstance(desk, PeopleDesk)  # a server with pages has one
    return desk


def _place(request: Request) -> PersonAddress:
    query = request.query_params
    person = request.path_params["person"]
    return PersonAddress(person, query.get("debate", ""), query.get("key", ""))


def _refuse(request: Request, desk: PeopleDesk, where: PersonAddress) -> Response | None:
    """Return the refusal of a client that has neither a token nor the right key; else None."""
    if request.state.client != INVITED:
        return None
    if not where.key:
        return refuse_access(request.url.path).response(request.url.path)
    if not desk.is_invited(where.key, where.person, where.debate):
        raise NoPage("This link is not valid.", "Ask for a new one.")
    return None


def _find_live(debates: LiveDebates, name: str) -> LiveDebate | None:
    return next((each for each in debates.live if f"{each.run}.{each.replicate}" == name), None)


def _is_invited(request: Request, where: PersonAddress) -> bool:
    """Return whether the page is that of a link, which leads nowhere else, whoever opens it."""
    return request.state.client == INVITED or bool(where.key)


def _debate_url(request: Request, where: PersonAddress, question: WaitingQuestion) -> str:
    """Return the URL of the debate that asks, which may show what the person is not to read."""
    if _is_invited(request, where):
        return ""
    debate = question.debate
    return make_url(f"/debates/{debate.run}", replicate=debate.replicate)


async def _wait_until_recorded(debates: LiveDebates, question: WaitingQuestion) -> bool:
    """Wait until a reply is recorded, no longer than a few seconds; return whether it is."""
    live = _find_live(debates, question.debate.name)
    with suppress(TimeoutError):
        async with asyncio.timeout(RECORDED):
            if live is not None:
                await _wait_for_turn(live, question.id)
    with suppress(TimeoutError):  # the store waits while it cannot be written
        async with asyncio.timeout(RECORDED):
            return await debates.lab.store.find(bytes.fromhex(question.id)) is not None
    return False


async def _wait_for_turn(live: LiveDebate, call: str) -> None:
    """Wait until a call is a turn of a debate, or the debate has ended."""
    async with aclosing(live.snapshots()) as snapshots:
        async for events in snapshots:
            if any(isinstance(each, Turn) and each.call == call for each in events):
                return


ROUTES = [
    Route("/people/{person}", page, methods=["GET"]),
    Route("/people/{person}", reply, methods=["POST"]),
]
