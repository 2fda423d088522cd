"""The page of one essay: how far it is while it is written, then the essay, and files of it."""

from asyncio import to_thread
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from moot import Event, InputError, MootError, Transcript
from moot.contrib.essays.bibliography import BIBLIOGRAPHIES
from moot.contrib.essays.citations import STYLES, CitationStyle
from moot.contrib.essays.desk.going_on import PEOPLE, list_next, plan_next
from moot.contrib.essays.desk.people_lines import write_people
from moot.contrib.essays.essay_files import FORMS, check_form, format_essay
from moot.contrib.essays.essay_forms import essay_body
from moot.contrib.essays.essay_parts import describe_price, essay_heading
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.essay_writing import MOST_ALTERNATIVES
from moot.contrib.essays.team import label
from moot.contrib.essays.write import is_essay
from moot.contrib.essays.writing_stages import under_way
from moot.contrib.essays.written import Written, describe_essay
from moot.contrib.server.pages import debate_page
from moot.contrib.server.pages.ask_ways import fill_form
from moot.contrib.server.pages.board import Board, join_pieces
from moot.contrib.server.pages.debate_page import find_live, follow_changes, place_of, read_events
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import (
    DebateAddress,
    NoPage,
    render,
    render_text,
    show_refusal,
)
from moot.extend.records import hide_paths_of_debate
from moot.extend.words import redact

STYLE_WORDS = {
    "": "numbers of passages",
    "numbers": "numbered references",
    "author-year": "author and year",
    "footnotes": "footnotes",
}
"""The words for each style in which an essay names its sources; empty: as its writer did."""
DOWNLOADS = {**FORMS, **BIBLIOGRAPHIES}
"""The ending and the media type of each file that is to be had."""
PAGE = "essays"
"""The first part of the path of these pages."""


def essay_url(where: DebateAddress, part: str = "", **more: str | int) -> str:
    """Return the URL of an essay's page, or of a part of it."""
    return where.url(part, page=PAGE, **more)


def describe_shown(transcript: Transcript, run: str) -> Written:
    """Return an essay as others may read it: without where documents are on the server."""
    return describe_essay(hide_paths_of_debate(redact(transcript)), run)


async def page(request: Request) -> Response:
    """Show the essay so far."""
    return await _show(request)


async def go_on(request: Request) -> Response:
    """Go on from a stage as the writer has edited it, and show the essay that comes of it."""
    where, given = place_of(request), await read_form(request)
    try:
        plan = await plan_next(request, Transcript(await read_events(request)), where.run, given)
        live = await request.app.state.debates.start(
            plan, client=request.state.client, linger=None, stream=True
        )
    except NoPage:
        raise
    except MootError as error:
        told = str(error)
        return await show_refusal(error, lambda status: _show(request, given, told, status=status))
    return RedirectResponse(essay_url(DebateAddress.of(live)), 303)


async def _show(
    request: Request,
    given: Mapping[str, str] = MappingProxyType({}),
    error: str = "",
    *,
    status: int = 200,
) -> Response:
    """Return the page; an error stands at the form whose fields were given."""
    where, events = place_of(request), await read_events(request)
    style = _find_style(request)
    live = find_live(request, where)
    board = Board(events, drafts=join_pieces(live.under_way) if live else [])
    if not is_essay(board.transcript):
        raise NoPage("This debate is no essay.", f"It is at {where.url()}")
    again = fill_form(request.app.state.config, board.opened)
    if again:
        again["proposition"] = again.pop("question")
        again["people"] = write_people(EssaySettings.read(board.opened.settings).people)
    return render(
        "written.html",
        status=status,
        stages=[] if board.live else await list_next(request, board.transcript, where.run),
        given=given,
        label=label,
        people=PEOPLE,
        most_alternatives=MOST_ALTERNATIVES,
        error=error,
        seen=len(events),
        again=again,
        debate_url=where.url(),
        url=partial(essay_url, where),
        page=essay_url(where._replace(held="")),
        forms=DOWNLOADS,
        style=style,
        styles=STYLE_WORDS,
        **_describe(board, where, style),
    )


def _find_style(request: Request) -> CitationStyle | None:
    """Return the style that the address names; None without one, or where there is no such."""
    named = request.query_params.get("citations", "")
    return next((style for style in STYLES if style == named), None)


def _describe(
    board: Board, where: DebateAddress, style: CitationStyle | None = None
) -> dict[str, Any]:
    """Return the values of those parts of the page that change while it is written."""
    written = describe_shown(board.transcript, where.run)
    return {
        "board": board,
        "written": written,
        "heading": essay_heading(written),
        "body": essay_body(written, style, unfinished=board.live),
        "doing": under_way(board.transcript.events) if board.live else "",
        "price": describe_price(written),
    }


async def stream_changes(request: Request) -> Response:
    """Stream the changes of the page from the event that the client names to the end."""
    return follow_changes(request, partial(_changes, where=place_of(request)))


def _changes(
    board: Board, _events: Sequence[Event], _begun: set[int], where: DebateAddress
) -> Iterator[dict[str, Any]]:
    """Yield the changed parts of the page: the id of each, and its HTML."""
    shown = _describe(board, where)
    for part in ("writing", "written"):
        yield {"id": part, "html": render_text("written_part.html", part=part, **shown)}


async def stop(request: Request) -> Response:
    """End the debate, and show what there is."""
    await debate_page.stop(request)
    return RedirectResponse(essay_url(place_of(request)), 303)


async def download(request: Request) -> Response:
    """Return the essay as a file."""
    where, form = place_of(request), request.path_params["form"]
    if form not in DOWNLOADS:
        raise NoPage("There is no such file.", f"An essay is had as {', '.join(DOWNLOADS)}.")
    check_form(form)
    transcript = Transcript(await read_events(request))
    if not is_essay(transcript) or (transcript.verdict is None and transcript.failed is None):
        raise InputError("the essay is not written yet")
    shown, style = describe_shown(transcript, where.run), _find_style(request)
    content = await to_thread(format_essay, shown, form, style)
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in where.run)
    ending, kind = DOWNLOADS[form]
    named = f'attachment; filename="essay-{name}-{where.replicate}{ending}"'
    return Response(content, media_type=kind, headers={"content-disposition": named})


ROUTES: list[BaseRoute] = [
    Route(f"/{PAGE}/{{run}}", page, methods=["GET"]),
    Route(f"/{PAGE}/{{run}}/events", stream_changes, methods=["GET"]),
    Route(f"/{PAGE}/{{run}}/stop", stop, methods=["POST"]),
    Route(f"/{PAGE}/{{run}}/next", go_on, methods=["POST"]),
    Route(f"/{PAGE}/{{run}}/files/{{form}}", download, methods=["GET"]),
]
