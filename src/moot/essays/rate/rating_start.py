"""Where raters begin and end: giving a name, being told what to do, and being done."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from moot.core.errors import InputError, StoreError
from moot.essays.rate.rating import LONGEST, judging
from moot.essays.rate.rating_page import home, render, trouble, who
from moot.server.pages.forms import form


async def first(request: Request) -> Response:
    """The page that everybody may see: it asks for a name, where anybody may come."""
    return _joining(anybody=judging(request).open)


async def join(request: Request) -> Response:
    """Enrol who gives a name, and lead to the rater's own address."""
    found, name = judging(request), ""
    if not found.open:
        return trouble("Raters are invited here.", "Open the link you were given.", status=403)
    try:
        name = (await form(request)).get("name", "")
        return RedirectResponse(home(await found.join(name)), 303)
    except InputError as error:
        return _joining(str(error), name)
    except StoreError:
        return trouble("Your name could not be kept.", "Tell whoever runs this.", status=503)


def _joining(error: str = "", typed: str = "", *, anybody: bool = True) -> Response:
    return render(
        "judge_join.html",
        status=422 if error else 200,
        open=anybody,
        longest=LONGEST,
        error=error,
        typed=typed[:LONGEST],
    )


async def begin(request: Request) -> Response:
    """What to do, how far the rater is, and where to go on."""
    return _overview(request, "judge_start.html")


async def end(request: Request) -> Response:
    """The end, or what is missing."""
    return _overview(request, "judge_end.html")


def _overview(request: Request, template: str) -> Response:
    rater = who(request)
    if isinstance(rater, Response):
        return rater
    found = judging(request)
    sheets, done = found.sheets.sheets, found.done(places := found.places(rater))
    return render(
        template,
        rater=rater,
        sheets=list(zip(sheets, done, strict=True)),
        begun=any(sheet.item in places for sheet in sheets),
        count=len(sheets),
        done=sum(done),
        next=next((sheet for sheet, whole in zip(sheets, done, strict=True) if not whole), None),
        essays=len(found.sheets.arms),
        stance=found.sheets.stance,
    )
