"""How a page of the judging face is made: as those of ``moot.server.pages``, by its own templates.

None of them has a name of an arm, a model, a protocol or a run; nor has any of their addresses.
"""

from functools import cache
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from moot.essays.rate.blind import ASPECTS, Sheet
from moot.essays.rate.rating import judging
from moot.ledger.rankings import Rater
from moot.reports.templating import environment
from moot.server.pages.statics import address

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "moot.essays.rate"
"""Has the templates and the static files of these pages."""


def render(
    name: str, *, status: int = 200, rater: Rater | None = None, **values: object
) -> Response:
    """Answer with a page.

    Args:
        name: of the template.
        status: of the answer.
        rater: whose page it is, if anybody's.
        values: what else the template shows.
    """
    text = _environment().get_template(name).render(rater=rater, home=home(rater), **values)
    return HTMLResponse(text, status, headers={"cache-control": "no-store"})


def trouble(what: str, why: str, *, status: int, rater: Rater | None = None) -> Response:
    """Say that something is not so, and what to do."""
    return render("judge_trouble.html", status=status, rater=rater, what=what, why=why)


def home(rater: Rater | None) -> str:
    """Where a rater begins."""
    return f"/judge/{rater.key}" if rater else "/"


def url(rater: Rater, sheet: Sheet, part: str | int = "") -> str:
    """The address of a sheet for a rater, or of an essay of it by its number."""
    return f"{home(rater)}/{sheet.id}" + (f"/{part}" if part else "")


def who(request: Request) -> Rater | Response:
    """The rater whose link it is; else what to say."""
    rater = judging(request).rater(request.path_params["rater"])
    if rater is None:
        why = "Look whether it is whole: open it once more from where it was given to you."
        return trouble("This link is nobody's.", why, status=404)
    return rater


def _address(name: str) -> str:
    return address(name, PACKAGE)


@cache
def _environment() -> "Environment":
    made = environment(PACKAGE)
    made.globals.update(static=_address, aspects=ASPECTS, url=url)
    return made
