"""How every page is made: one environment of templates, one place for errors.

Texts of questions and models are data: ``plain`` makes their control characters visible, and every
template escapes them. Pages have no inline scripts or styles: the content security policy of the
server allows only the files of ``static``.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from functools import cache, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from moot import Chart, InputError, MootError
from moot.contrib.server.http_errors import HttpRefusal, is_api, refusal_from, routing_refusal
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.pages.added_pages import registry as added
from moot.contrib.server.pages.statics import static_url
from moot.extend.calls import environment

if TYPE_CHECKING:
    from jinja2 import Environment

log = logging.getLogger("moot.contrib.server")

AGAIN = 2
"""Seconds after which a browser asks again for a page that is not ready."""


class NoPage(MootError):
    """There is nothing to show at an address.

    Args:
        what: what there is not.
        hint: what the reader can do.
        wait: whether it is still to come, so that the browser asks again by itself.
        go_on: the URL by which a debate that was interrupted goes on; empty without one.
        links: words by the URLs of pages that may be meant.
    """

    def __init__(
        self,
        what: str,
        hint: str = "",
        *,
        wait: bool = False,
        go_on: str = "",
        links: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(what)
        self.hint, self.wait, self.go_on, self.links = hint, wait, go_on, links or {}


def computing(what: str) -> NoPage:
    """Return the error for a page whose content is still being computed."""
    return NoPage(
        what, "The figures are being worked out. This page looks again by itself.", wait=True
    )


async def answer_error(request: Request, error: Exception) -> Response:
    """Return the response to a request that ended in an error: JSON to programs, else a page."""
    assert isinstance(error, MootError)
    if is_api(request.url.path):
        return refusal_from(error).response()
    if isinstance(error, NoPage):
        title, status = ("Waiting", 200) if error.wait else ("Not found", 404)
        page = render("missing.html", status=status, title=title, what=str(error), **vars(error))
        if error.wait:
            page.headers["refresh"] = str(AGAIN)
        return page
    if isinstance(error, InputError):
        return render("trouble.html", status=400, what="This cannot be shown.", why=str(error))
    return render("trouble.html", status=503, what="Something went wrong.", why=str(error))


_TITLES = {
    401: ("This server needs a token.", "Load the page again and give it as the password."),
    404: ("There is no such page.", "The address may be mistyped, or the page may have moved."),
    405: ("This address takes no such request.", "Go back and use the form or the link there."),
    413: ("That was too large.", ""),
    500: ("Something went wrong in moot.", "Its log says where. What was paid for is kept."),
}
"""The headings of error pages by status, and what the reader can do."""


def answer_refusal(refusal: HttpRefusal, path: str, accept: str) -> Response:
    """Return the response to a request that is refused: a page where a browser asks for one."""
    if is_api(path) or "text/html" not in accept:
        return refusal.response(path)
    told = f"{refusal.message[:1].upper()}{refusal.message[1:]}."
    what, hint = _TITLES.get(refusal.status, (told, ""))
    missing = NoPage(what, hint or told)
    page = render("missing.html", status=refusal.status, title=what, what=what, **vars(missing))
    page.headers.update(refusal.headers)
    return page


async def answer_routing_error(request: Request, error: Exception) -> Response:
    """Return the response for a path or a method that no route takes."""
    assert isinstance(error, HTTPException)
    accept = request.headers.get("accept", "")
    return answer_refusal(routing_refusal(error), request.url.path, accept)


async def show_refusal(
    error: MootError, show: Callable[[int], Coroutine[Any, Any, Response]]
) -> Response:
    """Return a page that tells an error, with the status and the headers of its refusal.

    Args:
        error: why something was not done.
        show: returns the page, with a status.
    """
    refusal = refusal_from(error)
    answer = await show(422 if isinstance(error, InputError) else refusal.status)
    answer.headers.update(refusal.headers)
    return answer


def render(name: str, *, status: int = 200, **values: object) -> Response:
    """Answer with a page.

    Args:
        name: of the template, which extends ``base.html``.
        status: of the answer.
        values: the variables of the template.
    """
    return HTMLResponse(render_text(name, **values), status, headers={"cache-control": "no-store"})


PARTS = "<!--parts-->"
"""The place in a page, as a template gets it, of parts that are sent when they are ready."""


def stream_page(page: str, parts: AsyncGenerator[str]) -> Response:
    """Answer with a page whose beginning is sent at once, and its parts one after the other.

    Args:
        page: its text, with the mark ``PARTS`` where they stand.
        parts: their texts. An error that they raise is told in their place.
    """

    async def send() -> AsyncGenerator[str]:
        before, _, after = page.partition(PARTS)
        yield before
        try:
            async for part in parts:
                yield part
        except MootError as error:
            why = f"{error} {getattr(error, 'hint', '')}".strip()
            yield render_text("missing_part.html", why=why)
        except Exception:
            log.exception("a part of a page failed")
            yield render_text("missing_part.html", why=" ".join(_TITLES[500]))
        yield after

    # The last one has proxies pass on every part at once.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(send(), headers=headers, media_type="text/html")


def render_text(name: str, **values: object) -> str:
    """Return the text of a template, e.g. a part of a page that is sent by itself."""
    return _environment().get_template(name).render(values)


def parse_number(text: str | None) -> int:
    """Return a number of an address, from 0; 0 for a text that is not one."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else 0


def make_url(path: str, /, **query: object) -> str:
    """Return a URL; parameters without a value are left out, lists are repeated."""
    given = urlencode({name: value for name, value in query.items() if value}, doseq=True)
    return f"{path}?{given}" if given else path


class DebateAddress(NamedTuple):
    """The address of a debate.

    Attributes:
        run: the key of its run.
        arm: its arm; empty, as the following, where the run has one debate only.
        dataset: of its question.
        question: the question's id.
        replicate: the study's repetition.
        held: the id of its execution, while the server remembers it.
    """

    run: str
    arm: str = ""
    dataset: str = ""
    question: str = ""
    replicate: int = 0
    held: str = ""

    @classmethod
    def of(cls, live: LiveDebate) -> "DebateAddress":
        """Return the address of a debate that goes on, or ended recently."""
        return cls(live.run, replicate=live.replicate, held=live.id)

    @property
    def hint(self) -> str:
        """Why there may be no such debate."""
        return f"It may have been stopped before its end; its run is {self.run}."

    def url(self, part: str | int = "", *, page: str = "debates", **more: str | int) -> str:
        """Return its URL, or that of a part: ``events``, ``stop``, or a message's number.

        Args:
            part: the part.
            page: the first part of the path; another one for pages of another package.
            more: further parameters.
        """
        path = f"/{page}/{quote(self.run, safe='')}" + (f"/{part}" if part else "")
        return make_url(path, **{**self._asdict(), "run": "", **more})


def debate_url(
    run: str, arm: str = "", dataset: str = "", question: str = "", replicate: int = 0
) -> str:
    """Return the URL of a debate; the parameters are those of ``DebateAddress``."""
    return DebateAddress(run, arm, dataset, question, replicate).url()


def run_url(run: str, *parts: str, **query: object) -> str:
    """Return the URL of a run's page, or of a page below it."""
    path = "/".join(quote(part, safe="") for part in ("runs", run, *parts))
    return make_url(f"/{path}", **query)


def mark_chart(chart: Chart) -> str:
    """Return a hash of all that a chart shows."""
    return blake2b(msgspec.json.encode(chart), digest_size=8).hexdigest()


@cache
def _environment() -> "Environment":
    further = [*added]
    packages = [each.package for each in further]
    made = environment("moot.contrib.server.pages", *packages)
    made.globals.update(
        added_links={url: words for each in further for url, words in each.links.items()},
        static=static_url,
        debate_url=debate_url,
        run_url=run_url,
        make_url=make_url,
        partial=partial,
        mark_chart=mark_chart,
    )
    return made
