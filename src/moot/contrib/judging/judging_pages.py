"""The pages on which raters read two answers and choose the better one.

No page of a pair and no address has the name of an arm, a model, a protocol or a run, and none
tells which answer is whose: answers are "1" and "2", in an order drawn for each rater and pair.
"""

from collections.abc import Awaitable, Callable
from functools import cache, partial, wraps
from typing import cast, get_args

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from moot import InputError, StoreError
from moot.contrib.judging.choices import PairRater
from moot.contrib.judging.preferences import (
    JudgingResult,
    Preference,
    describe_beside,
    describe_effect,
)
from moot.contrib.judging.session import LONGEST_NAME, JudgingSession, Key, find_settled
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.statics import MarkedFiles, static_url
from moot.extend.calls import environment

PACKAGE = "moot.contrib.judging"
"""Has the templates and the static files of these pages."""


class NoPair(Exception):
    """There is nothing to show or to keep; ``page`` says so."""

    def __init__(self, page: Response) -> None:
        super().__init__()
        self.page = page


async def show_first(request: Request) -> Response:
    """Show the page that everyone may see: it asks for a name, where raters are not invited."""
    return _show_join(is_open=not _session(request).invited)


async def join(request: Request) -> Response:
    """Enrol a rater who gives a name, and lead to the rater's own address."""
    session, name = _session(request), ""
    if session.invited:
        return _trouble("Raters are invited here.", "Open the link you were given.", status=403)
    try:
        name = (await read_form(request)).get("name", "")
        return RedirectResponse(home(await session.join(name)), 303)
    except InputError as error:
        return _show_join(str(error), name)
    except StoreError:
        return _trouble("Your name could not be kept.", "Tell whoever runs this.", status=503)


def _show_join(error: str = "", typed: str = "", *, is_open: bool = True) -> Response:
    return _render(
        "pairs_join.html",
        status=422 if error else 200,
        open=is_open,
        longest=LONGEST_NAME,
        error=error,
        typed=typed[:LONGEST_NAME],
    )


async def show_pair(request: Request) -> Response:
    """Show the next pair, or the end where there is none."""
    rater, session = _find_rater(request), _session(request)
    shown = session.next(rater)
    if shown is None:
        return RedirectResponse(f"{home(rater)}/end", 303)
    return _render(
        "pairs_judge.html",
        rater=rater,
        shown=shown,
        count=len(session.pairs.pairs),
        settled=find_settled(session.result()) is not None,
    )


async def show_end(request: Request) -> Response:
    """Show what is preferred by now."""
    rater, session = _find_rater(request), _session(request)
    result, shown = session.result(), session.next(rater)
    own = next((each for each in result.raters if each.rater == rater.name), None)
    said = result.together or own
    if session.invited and shown is not None and find_settled(result) is None:
        said = own = None  # nobody is to be influenced by the choices of others
    waits = "It is shown here as soon as it is settled, or when you have judged every pair."
    is_known = shown is None or find_settled(result) is not None  # lengths could tell whose it is
    return _render(
        "pairs_end.html",
        rater=rater,
        next=shown,
        sentence=said.sentence if said else waits,
        own=own.sentence if own and result.together else "",
        beside=_list_beside(session, result, said) if said and is_known else [],
        simulated=result.simulated,
    )


def _list_beside(session: JudgingSession, result: JudgingResult, said: Preference) -> list[str]:
    """Return the covariates of the choices; for the owner's own raters the price, too."""
    if session.invited:
        return describe_beside(said)
    council = "the council" if session.pairs.council == "council" else session.pairs.council
    return [*describe_beside(said), *describe_effect(result.effect, council)]


async def submit(request: Request) -> Response:
    """Keep a choice, and go to the next pair."""
    rater, session = _find_rater(request), _session(request)
    try:
        given = await read_form(request)
    except InputError as error:
        return _trouble("It could not be read.", str(error), status=422, rater=rater)
    if (key := given.get("choice", "")) not in get_args(Key):
        why = "Choose one of the buttons: 1, 2, the same, skip, or undo."
        return _trouble("This is no choice.", why, status=422, rater=rater)
    try:
        await session.enter(rater, cast("Key", key), given.get("shown", ""))
    except StoreError:
        why = "Tell whoever runs this; then go back and try again."
        return _trouble("It could not be saved.", why, status=503, rater=rater)
    return RedirectResponse(home(rater), 303)


Handler = Callable[[Request], Awaitable[Response]]


def _page(handler: Handler) -> Handler:
    """Return a handler that answers with the page of ``NoPair``."""

    @wraps(handler)
    async def safe(request: Request) -> Response:
        try:
            return await handler(request)
        except NoPair as refused:
            return refused.page

    return safe


ROUTES = [
    Mount("/static", MarkedFiles(PACKAGE)),
    Route("/", show_first, methods=["GET"]),
    Route("/", join, methods=["POST"]),
    Route("/judge/{rater}", _page(show_pair), methods=["GET"]),
    Route("/judge/{rater}", _page(submit), methods=["POST"]),
    Route("/judge/{rater}/end", _page(show_end), methods=["GET"]),
]


def home(rater: PairRater | None) -> str:
    """Return the address at which a rater judges."""
    return f"/judge/{rater.key}" if rater else "/"


def _session(request: Request) -> JudgingSession:
    found: JudgingSession = request.app.state.judging
    return found


def _find_rater(request: Request) -> PairRater:
    """Return the rater whose link it is. Raises ``NoPair``."""
    rater = _session(request).rater(request.path_params["rater"])
    if rater is None:
        why = "Look whether it is whole: open it once more from where it was given to you."
        raise NoPair(_trouble("This link is nobody's.", why, status=404))
    return rater


def _trouble(what: str, why: str, *, status: int, rater: PairRater | None = None) -> Response:
    """Show what is wrong, and what to do."""
    return _render("pairs_trouble.html", status=status, rater=rater, what=what, why=why)


def _render(
    name: str, *, status: int = 200, rater: PairRater | None = None, **values: object
) -> Response:
    """Return the page that a template makes for a rater, or for none."""
    text = _templates().get_template(name).render(rater=rater, home=home(rater), **values)
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


@cache
def _templates() -> Environment:
    made = environment(PACKAGE)
    made.globals.update(static=partial(static_url, package=PACKAGE))
    return made
