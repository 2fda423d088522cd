"""How every page is made: one environment of templates, one way to answer with one.

Everything that comes from questions and models is text: each value is neutralised by ``plain`` and
escaped as it is written, whichever template writes it. No page has a script or a style of its own:
both are files of ``static``, the only ones that the content security policy of the server allows.
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

from starlette.responses import HTMLResponse, Response

from moot.core import plain
from moot.reports.templating import environment
from moot.reports.transcript import looked_up
from moot.server.pages.statics import address

if TYPE_CHECKING:
    from jinja2 import Environment

AGAIN = 2
"""Seconds after which a browser asks for a page that is still to come."""


def render(name: str, *, status: int = 200, **values: object) -> Response:
    """Answer with a page.

    Args:
        name: of the template, which extends ``base.html``.
        status: of the answer.
        values: what the template shows.
    """
    return HTMLResponse(written(name, **values), status, headers={"cache-control": "no-store"})


def written(name: str, **values: object) -> str:
    """What a template writes, e.g. a part of a page that is sent by itself."""
    return _environment().get_template(name).render(values)


def missing(what: str, hint: str = "") -> Response:
    """Say that there is no such thing, and what to do."""
    return render("missing.html", status=404, what=what, hint=hint)


def waiting(what: str, hint: str = "") -> Response:
    """Say that something is still to come; a browser asks again by itself."""
    answer = render("missing.html", title="Waiting", what=what, hint=hint)
    answer.headers["refresh"] = str(AGAIN)
    return answer


class Place(NamedTuple):
    """Where a debate is found.

    Attributes:
        run: the key of its run.
        arm: which of it; empty, as the following, where the run has one debate only.
        dataset: of its question.
        question: the question's id.
        replicate: the study's repetition.
        held: which holding of it, while the server remembers it.
    """

    run: str
    arm: str = ""
    dataset: str = ""
    question: str = ""
    replicate: int = 0
    held: str = ""

    def url(self, part: str | int = "", **more: str | int) -> str:
        """Its address, or that of a part of it: ``events``, ``stop``, or a message's number."""
        query = {name: value for name, value in self._asdict().items() if value and name != "run"}
        path = f"/debates/{quote(self.run, safe='')}" + (f"/{part}" if part else "")
        return f"{path}?{urlencode(query | more)}" if query or more else path


def debate_url(
    run: str, arm: str = "", dataset: str = "", question: str = "", replicate: int = 0
) -> str:
    """Where a debate is shown; the parameters are those of ``Place``."""
    return Place(run, arm, dataset, question, replicate).url()


@cache
def _environment() -> "Environment":
    """What the pages are rendered in."""
    made = environment("moot.server.pages")
    made.globals.update(static=address, debate_url=debate_url, span=plain.span, looked_up=looked_up)
    return made
