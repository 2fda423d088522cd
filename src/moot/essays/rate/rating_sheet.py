"""The page on which the essays on one proposition are read and ranked."""

from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from moot.core.errors import InputError, StoreError
from moot.essays.rate.blind import ASPECTS, Sheet
from moot.essays.rate.rating import Judging, Places, judging
from moot.essays.rate.rating_page import home, render, trouble, url, who
from moot.ledger.rankings import Rater
from moot.server.pages.debate import number
from moot.server.pages.forms import form

SHOWN = 20_000
"""Characters of an essay beside the others; the rest is a link away."""
PAGE = 100_000
"""Characters of an essay on a page of its own."""


class Asked(NamedTuple):
    """A sheet as a rater asks for it."""

    judging: Judging
    rater: Rater
    sheet: Sheet

    @property
    def at(self) -> int:
        """Which of the sheets it is, from 0."""
        return self.judging.known[self.sheet.id]

    def beside(self, step: int) -> str:
        """The address of the sheet before or after: of the beginning or the end beyond them."""
        sheets, at = self.judging.sheets.sheets, self.at + step
        if 0 <= at < len(sheets):
            return url(self.rater, sheets[at])
        return home(self.rater) + ("/end" if step > 0 else "")


async def page(request: Request) -> Response:
    """The proposition, its essays, and the places they were given so far."""
    asked = _asked(request)
    return asked if isinstance(asked, Response) else _page(asked)


async def submit(request: Request) -> Response:
    """Keep what was entered, and go where the rater wants to be.

    The script of the page sends each choice as it is made, and is answered in JSON; without it the
    whole form is sent. Whatever says that it is saved is said once it is.
    """
    asked = _asked(request)
    script = request.headers.get("accept", "") == "application/json"
    if isinstance(asked, Response):
        return JSONResponse({"error": "other essays are compared now"}, 404) if script else asked
    try:
        given = await form(request)
        await asked.judging.enter(asked.rater, asked.sheet, entered(asked, given))
    except InputError as error:
        return JSONResponse({"error": str(error)}, 422) if script else _page(asked, str(error), 422)
    except StoreError:
        what, why = "It could not be saved.", "Tell whoever runs this; then go back and try again."
        if script:
            return JSONResponse({"error": "the store cannot be written"}, 503)
        return trouble(what, why, status=503, rater=asked.rater)
    if script:
        places = asked.judging.places(asked.rater)
        told = {"said": said(asked, places.get(asked.sheet.item, {}))}
        return JSONResponse(told | {"done": sum(asked.judging.done(places))})
    steps = {"next": 1, "back": -1}
    where = given.get("go", "")
    there = asked.beside(steps[where]) if where in steps else url(asked.rater, asked.sheet)
    return RedirectResponse(there, 303)


async def essay(request: Request) -> Response:
    """An essay too long to be shown whole beside the others, a page at a time."""
    asked = _asked(request)
    if isinstance(asked, Response):
        return asked
    which, order = request.path_params["number"], asked.sheet.order(asked.rater)
    if not 1 <= which <= len(order):
        return trouble("There is no such essay.", "", status=404, rater=asked.rater)
    text = asked.sheet.essays[order[which - 1]]
    start = min(number(request.query_params.get("start")), len(text))
    end = min(len(text), start + PAGE)
    return render(
        "judge_essay.html",
        rater=asked.rater,
        sheet=asked.sheet,
        number=which,
        text=text[start:end],
        start=start,
        end=end,
        left=len(text) - end,
    )


def entered(asked: Asked, given: Mapping[str, str]) -> Places:
    """What a form changes. Raises ``InputError`` for what is no place.

    A form says beside its places those that it began with: what a rater did not touch is not
    entered, though it is otherwise by now, in another browser of the same rater.
    """
    order = asked.sheet.order(asked.rater)
    before = given.get("before", "")
    found, valid = Places(), {str(place) for place in range(1, len(order) + 1)}
    fields = [(aspect, at) for aspect in ASPECTS for at in range(1, len(order) + 1)]
    for position, (aspect, at) in enumerate(fields):
        text = given.get(f"{aspect}-{at}")
        if text is None or text == (before[position : position + 1] or None):
            continue
        if text not in valid:
            raise InputError(f"Essay {at}: a place is a number from 1 to {len(order)}")
        found[aspect, order[at - 1]] = int(text)
    return found


def said(asked: Asked, places: Places) -> str:
    """How much of a sheet is saved, in words."""
    every = len(ASPECTS) * len(asked.sheet.essays)
    given = sum((aspect, arm) in places for aspect in ASPECTS for arm in asked.sheet.essays)
    if not given:
        return f"No place of {every} chosen yet"
    return f"All {every} places saved" if given == every else f"{given} of {every} places saved"


def _asked(request: Request) -> Asked | Response:
    rater = who(request)
    if isinstance(rater, Response):
        return rater
    found = judging(request)
    at = found.known.get(request.path_params["sheet"])
    if at is None:
        why = "Other essays are compared now. What you entered is kept: go on from the beginning."
        return trouble("These essays are not compared any more.", why, status=404, rater=rater)
    return Asked(found, rater, found.sheets.sheets[at])


def _page(asked: Asked, error: str = "", status: int = 200) -> Response:
    every = asked.judging.places(asked.rater)
    places = every.get(asked.sheet.item, {})
    order = asked.sheet.order(asked.rater)
    chosen = {aspect: [places.get((aspect, arm), 0) for arm in order] for aspect in ASPECTS}
    return render(
        "judge_sheet.html",
        status=status,
        rater=asked.rater,
        sheet=asked.sheet,
        at=asked.at + 1,
        count=len(asked.judging.sheets.sheets),
        done=sum(asked.judging.done(every)),
        essays=[_beginning(asked.sheet.essays[arm]) for arm in order],
        chosen=chosen,
        before="".join(str(place) for aspect in ASPECTS for place in chosen[aspect]),
        said=said(asked, places),
        stance=asked.judging.sheets.stance,
        last=asked.at + 1 == len(asked.judging.sheets.sheets),
        error=error,
    )


def _beginning(text: str) -> tuple[str, int]:
    """As much of an essay as is shown beside the others, and how much is left out."""
    return text[:SHOWN], max(0, len(text) - SHOWN)
