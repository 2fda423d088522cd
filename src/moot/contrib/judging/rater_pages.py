"""Pages that raters meet whatever they judge: the way in, and what is wrong."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial, wraps
from socket import gethostname
from typing import Generic, NamedTuple, TypeVar

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from moot import InputError, StoreError
from moot.contrib.judging.raters import LONGEST_NAME, Rater, RaterSession
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.statics import static_url
from moot.contrib.server.serving import Server, print_access, server_url
from moot.extend.calls import environment
from moot.extend.stores import describe_place
from moot.extend.terminal import OutputFile, ReaderGone, say

R = TypeVar("R", bound=Rater)
Handler = Callable[[Request], Awaitable[Response]]


_SHARED = "moot.contrib.judging", "moot.contrib.server.pages"
"""The packages of the templates that all kinds of judging share."""


class Refused(Exception):
    """There is nothing to show or to keep; ``page`` says so."""

    def __init__(self, page: Response) -> None:
        super().__init__()
        self.page = page


class PageWords(NamedTuple):
    """The words and styles in which the pages of one kind of judging differ from those of others.

    Attributes:
        title: of all pages.
        question: that a rater answers.
        lead: what a rater will do, and why a name is asked for.
        link: the text of a rater's link to an overview.
        path: of that page, after a rater's own address.
        styles: further style sheets.
    """

    title: str
    question: str
    lead: str
    link: str
    path: str
    styles: tuple[str, ...]


class RaterPages(Generic[R]):
    """The pages of one kind of judging.

    Args:
        package: has further templates, and the static files.
        words: in the templates that all kinds of judging share.
        session_of: returns the session of the application that a request reached.
        known: further names in all templates.
    """

    def __init__(
        self,
        package: str,
        words: PageWords,
        session_of: Callable[[Request], RaterSession[R]],
        **known: object,
    ) -> None:
        self._package, self._session_of = package, session_of
        self._known = {"words": words, **known}

    async def show_first(self, request: Request) -> Response:
        """Show the page that everyone may see: it asks for a name where nobody is invited."""
        return self._show_join(is_open=not self._session_of(request).invited)

    async def join(self, request: Request) -> Response:
        """Enrol a rater who gives a name, and lead to the rater's own address."""
        session, name = self._session_of(request), ""
        if session.invited:
            why = "Open the link you were given."
            return self.trouble("Raters are invited here.", why, status=403)
        try:
            name = (await read_form(request)).get("name", "")
            return RedirectResponse(home(await session.join(name)), 303)
        except InputError as error:
            return self._show_join(str(error), name)
        except StoreError:
            why = "Tell whoever runs this."
            return self.trouble("Your name could not be kept.", why, status=503)

    def _show_join(self, error: str = "", typed: str = "", *, is_open: bool = True) -> Response:
        return self.render(
            "rater_join.html",
            status=422 if error else 200,
            open=is_open,
            longest=LONGEST_NAME,
            error=error,
            typed=typed[:LONGEST_NAME],
        )

    def find_rater(self, request: Request) -> R:
        """Return the rater whose link it is. Raises ``Refused``."""
        rater = self._session_of(request).rater(request.path_params["rater"])
        if rater is None:
            why = "Look whether it is whole: open it once more from where it was given to you."
            raise Refused(self.trouble("This link is nobody's.", why, status=404))
        return rater

    def trouble(self, what: str, why: str, *, status: int, rater: R | None = None) -> Response:
        """Return the page that says what is wrong, and what to do."""
        return self.render("rater_trouble.html", status=status, rater=rater, what=what, why=why)

    def render(
        self, name: str, *, status: int = 200, rater: R | None = None, **values: object
    ) -> Response:
        """Return the page that a template makes for a rater, or for none."""
        template = self._templates.get_template(name)
        text = template.render(rater=rater, home=home(rater), **values)
        return HTMLResponse(text, status, headers={"cache-control": "no-store"})

    @cached_property
    def _templates(self) -> Environment:
        made = environment(self._package, *_SHARED)
        made.globals.update(static=partial(static_url, package=self._package), **self._known)
        return made


def answer_refusals(handler: Handler) -> Handler:
    """Return a handler that answers with the page of ``Refused``."""

    @wraps(handler)
    async def safe(request: Request) -> Response:
        try:
            return await handler(request)
        except Refused as refused:
            return refused.page

    return safe


def home(rater: Rater | None) -> str:
    """Return the address at which a rater judges."""
    return f"/judge/{rater.key}" if rater else "/"


def announce(
    running: Server, host: str, judged: str, further: Sequence[str], invited: Sequence[Rater]
) -> None:
    """Say on standard error what is judged and where, and print the links of invited raters.

    Args:
        running: the server, which listens.
        host: the address that it was told to listen on.
        judged: in words.
        further: lines on it.
        invited: the raters who were named; empty where everyone may join.
    """
    tell = partial(say, err=True)
    everywhere = host in {"0.0.0.0", "::"}  # noqa: S104 -- what the owner chose
    where = server_url(running, gethostname() if everywhere else host)
    tell(f"moot judge: {judged} at {where}")
    for line in further:
        tell(f"  {line}")
    tell(f"  store: {describe_place(running.app.state.lab.place)}")
    print_access(running.app.state.config, host, tell)
    for rater in invited:
        with suppress(ReaderGone):  # the page is served all the same
            OutputFile(None, "").write(f"{rater.name}\t{where}{home(rater)}\n")
    if not invited:
        tell(f"  raters give their name at {where}; each then has an address to come back to")
