"""The pages on which raters read two answers and choose the better one.

No page of a pair and no address has the name of an arm, a model, a protocol or a run, and none
tells which answer is whose: answers are "1" and "2", in an order drawn for each rater and pair.
"""

from typing import cast, get_args

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from moot import InputError, StoreError
from moot.contrib.judging.choices import PairRater
from moot.contrib.judging.preferences import (
    JudgingResult,
    Preference,
    describe_beside,
    describe_effect,
)
from moot.contrib.judging.rater_pages import PageWords, RaterPages, answer_refusals, home
from moot.contrib.judging.session import JudgingSession, Key, find_settled
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.statics import MarkedFiles

PACKAGE = "moot.contrib.judging"
"""Has the templates and the static files of these pages."""


def _session(request: Request) -> JudgingSession:
    found: JudgingSession = request.app.state.judging
    return found


PAGES = RaterPages[PairRater](
    PACKAGE,
    PageWords(
        title="Two answers",
        question="Which answer is better?",
        lead="You will see questions, each with two answers, and choose the better one. Whose "
        "answer is which is not shown. First give a name, so that your choices are kept apart from "
        "those of others.",
        link="What is known",
        path="/end",
        styles=("pairs.css",),
    ),
    _session,
)


async def show_pair(request: Request) -> Response:
    """Show the next pair, or the end where there is none."""
    rater, session = PAGES.find_rater(request), _session(request)
    shown = session.next(rater)
    if shown is None:
        return RedirectResponse(f"{home(rater)}/end", 303)
    return PAGES.render(
        "pairs_judge.html",
        rater=rater,
        shown=shown,
        count=len(session.pairs.pairs),
        settled=find_settled(session.result()) is not None,
    )


async def show_end(request: Request) -> Response:
    """Show what is preferred by now."""
    rater, session = PAGES.find_rater(request), _session(request)
    result, shown = session.result(), session.next(rater)
    own = next((each for each in result.raters if each.rater == rater.name), None)
    said = result.together or own
    if session.invited and shown is not None and find_settled(result) is None:
        said = own = None  # nobody is to be influenced by the choices of others
    waits = "It is shown here as soon as it is settled, or when you have judged every pair."
    is_known = shown is None or find_settled(result) is not None  # lengths could tell whose it is
    return PAGES.render(
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
    rater, session = PAGES.find_rater(request), _session(request)
    try:
        given = await read_form(request)
    except InputError as error:
        return PAGES.trouble("It could not be read.", str(error), status=422, rater=rater)
    if (key := given.get("choice", "")) not in get_args(Key):
        why = "Choose one of the buttons: 1, 2, the same, skip, or undo."
        return PAGES.trouble("This is no choice.", why, status=422, rater=rater)
    try:
        await session.enter(rater, cast("Key", key), given.get("shown", ""))
    except StoreError:
        why = "Tell whoever runs this; then go back and try again."
        return PAGES.trouble("It could not be saved.", why, status=503, rater=rater)
    return RedirectResponse(home(rater), 303)


ROUTES = [
    Mount("/static", MarkedFiles(PACKAGE)),
    Route("/", PAGES.show_first, methods=["GET"]),
    Route("/", PAGES.join, methods=["POST"]),
    Route("/judge/{rater}", answer_refusals(show_pair), methods=["GET"]),
    Route("/judge/{rater}", answer_refusals(submit), methods=["POST"]),
    Route("/judge/{rater}/end", answer_refusals(show_end), methods=["GET"]),
]
