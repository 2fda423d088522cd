"""The pages of runs: which there are, and of one of them what came of it and its debates."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from time import time
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from moot.core.errors import InputError, MootError
from moot.core.stored import RunRow
from moot.ledger.reader import Reader
from moot.reports.setup import setup
from moot.server.pages import progress
from moot.server.pages.archive import Archive, Kept, archive
from moot.server.pages.aside import read
from moot.server.pages.index import SHOWN, Choice, Index, meant
from moot.server.pages.listing import MOST, WORDS, Page, listed, searched
from moot.server.pages.page import missing, render
from moot.server.pages.state import simulated, state
from moot.server.pages.statics import YEAR
from moot.server.pages.survey import results_html
from moot.studies.study import ASKED

FIRST = 15
"""Debates that the page of a run shows itself."""
RUNS = 100
"""Runs on a page."""

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


def told(handler: Handler) -> Handler:
    """A handler whose errors are told on a page."""

    @wraps(handler)
    async def safe(request: Request) -> Response:
        try:
            return await handler(request)
        except InputError as error:
            return render("trouble.html", status=400, what="This cannot be shown.", why=str(error))
        except MootError as error:
            return render("trouble.html", status=503, what="Something went wrong.", why=str(error))

    return safe


class At(NamedTuple):
    """A request for something of a run, and the run as it was worked out."""

    request: Request
    known: Archive
    row: RunRow
    kept: Kept


def of_a_run(handler: Callable[[At], Awaitable[Response]]) -> Handler:
    """A handler that needs the run of the address as it was worked out."""

    @told
    async def found(request: Request) -> Response:
        known = archive(request)
        row = await known.run(request.path_params["run"])
        if row is None:
            return missing("There is no such run.", "It may be in another store.")
        kept = await known.kept(row)
        if kept is None:
            return working(row.name)
        return await handler(At(request, known, row, kept))

    return found


def working(what: str) -> Response:
    """Say that something is still worked out; browsers look again by themselves."""
    response = render("working.html", what=what)
    response.headers["refresh"] = "2"
    return response


@told
async def every(request: Request) -> Response:
    """Which runs there are."""
    asked = request.query_params.get("kind") == "asked"
    before = number(request.query_params.get("before"))
    file = archive(request).file
    found = await read(
        file, Reader.runs, ASKED, other=not asked, before=before or None, most=RUNS + 1
    )
    shown = [
        (each.row, state(each.row, each.standing, time()), each.standing, simulated(each.row))
        for each in found[:RUNS]
    ]
    return render(
        "runs.html",
        asked=asked,
        runs=shown,
        begun={each.row.id: setup(each.row).begun for each in found},
        further=found[RUNS - 1].row.id if len(found) > RUNS else None,
        first=before is None,
    )


@of_a_run
async def page(at: At) -> Response:
    """What a run came to, and the first of its debates."""
    standing = await at.known.standing(at.row)
    stands = state(at.row, standing, time())
    index = at.kept.survey.index
    debates = await read(at.known.file, listed, index, Choice(), "", most=FIRST)
    return render(
        "run.html",
        row=at.row,
        begun=setup(at.row).begun,
        stands=stands,
        standing=standing,
        failed=index.failed,
        known=len(index),
        simulated=simulated(at.row),
        results=Markup(at.kept.survey.html),  # noqa: S704  written by a template of ours
        **_list(at.row, at.kept, Choice(), "", debates),
    )


@of_a_run
async def results(at: At) -> Response:
    """What a run came to, with every arm."""
    html = await asyncio.to_thread(results_html, at.row, at.kept.survey.results)
    return render("whole.html", row=at.row, results=Markup(html))  # noqa: S704  as above


@of_a_run
async def debates(at: At) -> Response:
    """The debates of a run, as they were chosen."""
    query = at.request.query_params
    choice, text = (
        chosen(at.request, at.kept.survey.index),
        " ".join(query.get("q", "")[:WORDS].split()),
    )
    cursor = query.get("after", "")
    index = at.kept.survey.index
    if text:
        async with at.known.searches:
            found = await read(at.known.file, searched, index, choice, cursor, text)
    else:
        found = await read(at.known.file, listed, index, choice, cursor)
    return render(
        "debates.html", row=at.row, most=MOST, **_list(at.row, at.kept, choice, text, found)
    )


@of_a_run
async def settings(at: At) -> Response:
    """Every setting of every arm; not where the owner's files are."""
    return render("settings.html", row=at.row, arms=setup(at.row, paths=False).arms)


def chosen(request: Request, index: Index) -> Choice:
    """Which debates the address asks for; what it says that cannot be is left out."""
    query = request.query_params
    show = query.get("show", "")
    return Choice(
        show=show if show in SHOWN else "all",
        arm=meant(index.arms, query.get("arm", "")),
        dataset=meant(index.datasets, query.get("dataset", "")),
        dearest=query.get("order") == "dearest",
    )


class Tab(NamedTuple):
    """A link to some of the debates."""

    name: str
    debates: int
    url: str
    here: bool


def _list(row: RunRow, kept: Kept, choice: Choice, text: str, found: Page) -> dict[str, Any]:
    """What the list of debates needs besides its entries."""
    index = kept.survey.index
    counts = index.counts(choice)
    return {
        "run": row.key,
        "page": found,
        "choice": choice,
        "text": text,
        "words": WORDS,
        "index": index,
        "labels": {arm.arm: arm.label for arm in kept.survey.results.arms},
        "tabs": [
            Tab(show, counts[show], debates_url(row.key, other, text), other == choice)
            for show in SHOWN
            for other in [choice._replace(show=show)]
            if counts[show] or show in {"all", choice.show}
        ],
        "next": debates_url(row.key, choice, text, found.after) if found.after else "",
        "whole": debates_url(row.key, choice, text),
        "shows": SHOWN,
    }


def debates_url(run: str, choice: Choice, text: str = "", after: str = "") -> str:
    """Where a list of debates is shown."""
    given = {
        "show": "" if choice.show == "all" else choice.show,
        "arm": choice.arm,
        "dataset": choice.dataset,
        "order": "dearest" if choice.dearest else "",
        "q": text,
        "after": after,
    }
    query = urlencode({name: value for name, value in given.items() if value})
    path = f"/runs/{quote(run, safe='')}/debates"
    return f"{path}?{query}" if query else path


def number(text: str | None) -> int | None:
    """A number of an address; None for what is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else None


@of_a_run
async def figures(at: At) -> Response:
    """The figures of a run."""
    found, why = None, ""
    try:
        found = await at.known.figures(at.row, at.kept)
    except InputError as error:
        why = str(error)
    if found is None and not why:
        return working(f"The figures of {at.row.name}")
    shown = list((found or {}).values())
    return render("figures.html", row=at.row, figures=shown, why=why, made=at.kept.name)


@of_a_run
async def figure(at: At) -> Response:
    """One figure, as a picture."""
    found = await at.known.figures(at.row, at.kept)
    if found is None or at.request.path_params["name"] not in found:
        return missing("There is no such figure.")
    content = await at.known.drawn(at.row, at.kept, found[at.request.path_params["name"]])
    same = at.request.query_params.get("of") == at.kept.name
    cache = f"private, max-age={YEAR}, immutable" if same else "no-store"
    return Response(content, media_type="image/svg+xml", headers={"cache-control": cache})


ROUTES = [
    *progress.ROUTES,
    Route("/runs", every, methods=["GET"]),
    Route("/runs/{run}", page, methods=["GET"]),
    Route("/runs/{run}/results", results, methods=["GET"]),
    Route("/runs/{run}/debates", debates, methods=["GET"]),
    Route("/runs/{run}/settings", settings, methods=["GET"]),
    Route("/runs/{run}/figures", figures, methods=["GET"]),
    Route("/runs/{run}/figures/{name}.svg", figure, methods=["GET"]),
]
