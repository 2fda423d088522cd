"""The page to write on: a proposition, how it is argued over, and what that will take."""

from asyncio import to_thread
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from moot import InputError
from moot.contrib.essays.desk.people_lines import read_people
from moot.contrib.essays.desk.session_documents import (
    change_documents,
    folder_of,
    read_files,
    set_session,
    set_status,
    show_documents,
    uploads_of,
)
from moot.contrib.essays.desk.written_page import essay_url
from moot.contrib.essays.write import (
    PROTOCOL,
    STANCE,
    essay_protocols,
    list_refused,
    plan_essay,
    takes_evidence,
)
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.live_debate import LiveDebate
from moot.contrib.server.multipart import PostedForm, has_files, read_multipart
from moot.contrib.server.pages.ask_ways import DebateWay, list_ways
from moot.contrib.server.pages.debate_form import DebateForm
from moot.contrib.server.pages.forms import read_form
from moot.contrib.server.pages.page_rendering import DebateAddress
from moot.extend.studies import QuestionPlan

EXAMPLES = {
    "Free museums": "Museums should be free of charge.",
    "Homework": "Primary schools should give no homework.",
    "Night trains": "Public money should pay for night trains before it pays for airports.",
}
"""Propositions that a writer may begin with, by their titles."""
FRONT = ("words", "language", "audience", "tone", "outline")
"""Settings that stand before the others."""
STOPS = {
    "": "No, write it in one go",
    "personas": "Before the team is chosen",
    "selection": "Before the team debates",
    "debate": "Before the plan",
    "plan": "Before the essay",
}
"""Where a writer may look at what there is: words by the stage after which it ends."""


ASKED = "set.stance"
"""The field of the side, which the writer chooses: none is preset."""
SIDES = {"oppose": "Against it", "support": "For it", "both": "Both sides"}
"""The words of a form for each side."""


class WriteForm(DebateForm):
    """The form that asks for an essay."""

    url = "/write"
    template = "write.html"
    texts = ("proposition", "until", "people")
    stand_in = "A proposition of usual length should be argued over here."
    edits = frozenset({"change", "upload", "remove"})

    def list_ways(self, config: ServerConfig) -> dict[str, DebateWay]:
        """Return the ways to write that the owner allows, by name. Raises ``InputError``."""
        write = {each.name for each in essay_protocols()}
        ways = {
            name: way._replace(without=list_refused(way.protocol))
            for name, way in list_ways(config).items()
            if way.protocol.name in write
        }
        if not ways:
            raise InputError(
                "no protocol that writes essays is allowed on this server; its owner can name one "
                f"under protocols: {', '.join(sorted(write))}"
            )
        return ways

    def default_way(self, config: ServerConfig) -> str:
        """Return the name of the way that is chosen first."""
        names = list(self.list_ways(config))
        return PROTOCOL if PROTOCOL in names else names[0]

    def describe(self, request: Request, way: DebateWay) -> dict[str, Any]:
        """Return the other values that the template shows."""
        stages = way.protocol.stages
        return {
            "stops": {n: told for n, told in STOPS.items() if not n or n in stages}
            if stages
            else {},
            "names_people": "people" in way.protocol.own.__struct_fields__,
            "examples": EXAMPLES,
            "front": ("stance", *FRONT),
            "sides": SIDES,
            "side": request.state.side,
            "beside": "write_settings.html",
            "documents": show_documents(request),
            "takers": [each.name for each in essay_protocols() if takes_evidence(each)],
        }

    async def read(self, request: Request) -> dict[str, str]:
        """Return the fields of the form; files that come with them are kept.

        Raises ``InputError`` for a body that is no form.
        """
        if has_files(request.headers.get("content-type", "")):
            form = await read_multipart(request, uploads_of(request).limits)
        else:
            form = PostedForm(await read_form(request), [], [])
        looks_again = await change_documents(request, form)
        return {**form.fields, "upload": "1"} if looks_again else form.fields

    async def submit(self, request: Request) -> Response:
        """Start the essay that the form asks for, and show it."""
        response = await super().submit(request)
        set_session(request, response)
        set_status(request, response)
        return response

    async def show(
        self,
        request: Request,
        given: Mapping[str, str],
        error: str = "",
        *,
        note: str = "",
        status: int = 200,
    ) -> Response:
        """Return the page, where no side is preset, and what was read of the documents is told."""
        request.state.side = given.get(ASKED, "")
        await read_files(request)
        return await super().show(request, given, error, note=note, status=status)

    async def plan_debate(
        self,
        request: Request,
        way: DebateWay,
        settings: dict[str, Any],
        given: Mapping[str, str],
    ) -> QuestionPlan:
        """Return the essay of a filled form. Raises ``InputError``."""
        if "stance" not in settings and not request.url.path.endswith("/estimate"):
            raise InputError("Stance: choose whether it is to argue against it, for it, or both")
        if given["people"]:
            settings = {n: each for n, each in settings.items() if n not in {"team", "pool"}}
            settings |= {"people": read_people(given["people"])}
        if given["until"]:
            settings |= {"until": given["until"]}
        folder = None
        if takes_evidence(way.protocol) and not settings.get("evidence"):
            folder = await to_thread(folder_of(request).freeze)
        return await to_thread(
            plan_essay,
            given["proposition"],
            stance=settings.pop("stance", STANCE),
            protocol=way.protocol.name,
            evidence=folder,
            prompts=way.preset.prompts if way.preset else None,
            settings=settings,
        )

    def address_of(self, live: LiveDebate) -> str:
        """Return the URL of the essay's page."""
        return essay_url(DebateAddress.of(live))


WRITE_FORM = WriteForm()
