"""The pages on which raters read the essays on a proposition and rank them.

They are made as the pages of ``moot.contrib.server.pages``, by templates of their own. No page and
no address has the name of an arm, a model, a protocol or a run.
"""

from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from moot import InputError, StoreError
from moot.contrib.essays.rate.rankings import ComparedItem, Rater
from moot.contrib.essays.rate.rating import GivenPlaces, RatingSession, session_of
from moot.contrib.essays.rate.sheets import ASPECTS, Sheet
from moot.contrib.judging.rater_pages import PageWords, RaterPages, Refused, answer_refusals, home
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.statics import MarkedFiles

PACKAGE = "moot.contrib.essays.rate"
"""Has the templates and the static files of these pages."""
SHOWN = 20_000
"""Characters of an essay that are shown at once; the rest is folded."""
MOST = 100_000
"""Characters of an essay that are shown at all."""


def _url(rater: Rater, sheet: Sheet) -> str:
    """Return the address of a sheet for a rater."""
    return f"{home(rater)}/{sheet.id}"


PAGES = RaterPages[Rater](
    PACKAGE,
    PageWords(
        title="Comparing essays",
        question="Which essay is better?",
        lead="You will read essays on some propositions and say how they compare. First give a "
        "name, so that what you enter is told from what others do.",
        link="What to do",
        path="",
        styles=("judge.css",),
    ),
    session_of,
    aspects=ASPECTS,
    url=_url,
)


class RaterSheet(NamedTuple):
    """A sheet as one rater sees it."""

    session: RatingSession
    rater: Rater
    sheet: Sheet

    @property
    def number(self) -> int:
        """The place of this sheet among those of the session, from 0."""
        return self.session.numbers[self.sheet.id]

    def url_beside(self, step: int) -> str:
        """Return the address of the sheet before or after: of the start or the end beyond them."""
        sheets, place = self.session.sheets.sheets, self.number + step
        if 0 <= place < len(sheets):
            return _url(self.rater, sheets[place])
        return home(self.rater) + ("/end" if step > 0 else "")


async def show_start(request: Request) -> Response:
    """Show what to do, how many sheets are finished, and where to go on."""
    return _show_overview(request, "judge_start.html")


async def show_end(request: Request) -> Response:
    """Show the end, or what is missing."""
    return _show_overview(request, "judge_end.html")


def _show_overview(request: Request, template: str) -> Response:
    rater, session = PAGES.find_rater(request), session_of(request)
    sheets, places = session.sheets.sheets, session.places(rater)
    finished = session.are_finished(places)
    marked = list(zip(sheets, finished, strict=True))
    return PAGES.render(
        template,
        rater=rater,
        sheets=marked,
        begun=any(sheet.item in places for sheet in sheets),
        count=len(sheets),
        done=sum(finished),
        next=next((sheet for sheet, whole in marked if not whole), None),
        essays=len(session.sheets.arms),
        stance=session.sheets.stance,
    )


async def show_sheet(request: Request) -> Response:
    """Show the proposition, its essays, and the places that the rater gave them."""
    return _show_sheet(_find_sheet(request))


async def submit(request: Request) -> Response:
    """Keep what was entered, and go where the rater wants to be.

    The script of the page sends each choice as it is made, and is answered in JSON; without it the
    whole form is sent. Nothing is called saved before it is.
    """
    is_script = request.headers.get("accept", "") == "application/json"
    try:
        found = _find_sheet(request)
        given = await read_form(request)
        try:
            await found.session.enter(found.rater, found.sheet, parse_places(found, given))
        except InputError as error:
            raise Refused(_show_sheet(found, str(error), 422)) from error
        except StoreError as error:
            why = "Tell whoever runs this; then go back and try again."
            page = PAGES.trouble("It could not be saved.", why, status=503, rater=found.rater)
            raise Refused(page) from error
    except Refused as refused:
        if not is_script:
            raise
        why = {
            404: "other essays are compared now",
            503: "the store cannot be written",
        }.get(refused.page.status_code, str(refused.__cause__))
        return JSONResponse({"error": why}, refused.page.status_code)
    if is_script:
        places = found.session.places(found.rater)
        done = sum(found.session.are_finished(places))
        return JSONResponse({"said": _describe_saved(found, places), "done": done})
    step = {"next": 1, "back": -1}.get(given.get("go", ""), 0)
    there = found.url_beside(step) if step else _url(found.rater, found.sheet)
    return RedirectResponse(there, 303)


ROUTES = [
    Mount("/static", MarkedFiles(PACKAGE)),
    Route("/", PAGES.show_first, methods=["GET"]),
    Route("/", PAGES.join, methods=["POST"]),
    Route("/judge/{rater}", answer_refusals(show_start), methods=["GET"]),
    Route("/judge/{rater}/end", answer_refusals(show_end), methods=["GET"]),
    Route("/judge/{rater}/{sheet}", answer_refusals(show_sheet), methods=["GET"]),
    Route("/judge/{rater}/{sheet}", answer_refusals(submit), methods=["POST"]),
]


def parse_places(found: RaterSheet, given: Mapping[str, str]) -> GivenPlaces:
    """Return the places that a form changes, by aspect and arm.

    A form says beside its places those that it began with. What a rater did not touch is not
    entered, though another browser of the same rater may have changed it meanwhile.

    Raises:
        InputError: a place is not a number from 1 to the number of essays.
    """
    order = found.sheet.order(found.rater)
    before = given.get("before", "")
    places, valid = GivenPlaces(), {str(place) for place in range(1, len(order) + 1)}
    fields = [(aspect, shown) for aspect in ASPECTS for shown in range(1, len(order) + 1)]
    for position, (aspect, shown) in enumerate(fields):
        text = given.get(f"{aspect}-{shown}")
        if text is None or text == (before[position : position + 1] or None):
            continue
        if text not in valid:
            raise InputError(f"Essay {shown}: a place is a number from 1 to {len(order)}")
        places[aspect, order[shown - 1]] = int(text)
    return places


def _show_sheet(found: RaterSheet, error: str = "", status: int = 200) -> Response:
    session, sheet = found.session, found.sheet
    every = session.places(found.rater)
    places, order = every.get(sheet.item, {}), sheet.order(found.rater)
    chosen = {aspect: [places.get((aspect, arm), 0) for arm in order] for aspect in ASPECTS}
    texts = [sheet.essays[arm] for arm in order]
    return PAGES.render(
        "judge_sheet.html",
        status=status,
        rater=found.rater,
        sheet=sheet,
        at=found.number + 1,
        count=len(session.sheets.sheets),
        done=sum(session.are_finished(every)),
        essays=[(text[:SHOWN], text[SHOWN:MOST], len(text[MOST:])) for text in texts],
        chosen=chosen,
        before="".join(str(place) for aspect in ASPECTS for place in chosen[aspect]),
        said=_describe_saved(found, every),
        stance=session.sheets.stance,
        last=found.number + 1 == len(session.sheets.sheets),
        error=error,
    )


def _describe_saved(found: RaterSheet, places: Mapping[ComparedItem, GivenPlaces]) -> str:
    """Say in words how many places of the sheet are saved."""
    every = len(ASPECTS) * len(found.sheet.essays)
    given = every - found.session.count_missing(found.sheet, places)
    if not given:
        return f"No place of {every} chosen yet"
    return f"All {every} places saved" if given == every else f"{given} of {every} places saved"


def _find_sheet(request: Request) -> RaterSheet:
    """Return the sheet that is asked for. Raises ``Refused``."""
    rater, session = PAGES.find_rater(request), session_of(request)
    place = session.numbers.get(request.path_params["sheet"])
    if place is None:
        why = "Other essays are compared now. What you entered is kept: go on from the beginning."
        page = PAGES.trouble(
            "These essays are not compared any more.", why, status=404, rater=rater
        )
        raise Refused(page)
    return RaterSheet(session, rater, session.sheets.sheets[place])
