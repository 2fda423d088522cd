"""What people can do with a debate that runs, or was interrupted: steer it, invite, go on."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from moot import InputError, Steering
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.pages.debate_controls import describe_controls
from moot.contrib.server.pages.debate_page import find_live, place_of
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import NoPage, render_text
from moot.extend.studies import Lab, restore_plan


async def controls(request: Request) -> Response:
    """Return the part of the controls that changes while a debate goes on; 204 at its end."""
    where = place_of(request)
    shown = describe_controls(request.app.state.debates, find_live(request, where))
    if shown is None:
        return Response(status_code=204)
    return HTMLResponse(render_text("waiting.html", controls=shown, place=where))


async def steer(request: Request) -> Response:
    """Add a step to those that steer a debate, and show the debate."""
    where, given = place_of(request), await read_form(request)
    live = find_live(request, where)
    if live is None:
        raise NoPage("This debate does not go on now.", "It cannot be steered any more.")
    debates: LiveDebates = request.app.state.debates
    way: Any = given.get("way")
    if way not in Steering.WAYS:
        raise InputError(f"way: {way!r} is none of {', '.join(Steering.WAYS)}")
    await debates.steer(live, way, given.get("text", "").replace("\r\n", "\n"))
    return RedirectResponse(where.url(), 303)


async def go_on(request: Request) -> Response:
    """Go on with a debate that was interrupted, and show it."""
    where = place_of(request)
    if find_live(request, where) is None:
        lab: Lab = request.app.state.lab
        row = lab.store.find_run(where.run)
        plan = restore_plan(row)
        if plan is None or where.replicate >= lab.store.count_begun(row.id):
            raise NoPage("There is no such debate.", where.hint)
        debates: LiveDebates = request.app.state.debates
        client, replicate = request.state.client, where.replicate
        await debates.start(plan, client=client, replicate=replicate, linger=None)
    return RedirectResponse(where._replace(held="").url(), 303)


ROUTES = [
    Route("/debates/{run}/controls", controls, methods=["GET"]),
    Route("/debates/{run}/steer", steer, methods=["POST"]),
    Route("/debates/{run}/go-on", go_on, methods=["POST"]),
]
