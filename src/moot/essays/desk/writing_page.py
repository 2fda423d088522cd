"""The page to write on: a proposition, how it is argued over, and what that will take."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from moot import InputError
from moot.essays.desk.written_page import essay_url
from moot.essays.write import PROTOCOL, STANCE, essay_protocols, plan_essay
from moot.server.config import ServerConfig
from moot.server.live_debate import LiveDebate
from moot.server.pages.ask_ways import DebateWay, list_ways
from moot.server.pages.debate_form import DebateForm
from moot.server.pages.page_rendering import DebateAddress
from moot.studies.question_plan import QuestionPlan

EXAMPLES = {
    "Free museums": "Museums should be free of charge.",
    "Homework": "Primary schools should give no homework.",
    "Night trains": "Public money should pay for night trains before it pays for airports.",
}
"""Propositions that a writer may begin with, by their titles."""
FRONT = ("stance",)
"""Settings that stand beside the proposition, and not among the others."""


class WriteForm(DebateForm):
    """The form that asks for an essay."""

    url = "/write"
    template = "write.html"
    texts = ("proposition",)
    stand_in = "A proposition of usual length should be argued over here."

    def list_ways(self, config: ServerConfig) -> dict[str, DebateWay]:
        """Return the ways to write that the owner allows, by name. Raises ``InputError``."""
        write = {each.name for each in essay_protocols()}
        ways = {n: way for n, way in list_ways(config).items() if way.protocol.name in write}
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

    def describe(self, request: Request) -> dict[str, Any]:  # noqa: ARG002 -- as of every form
        """Return what else the template shows."""
        return {"examples": EXAMPLES, "front": FRONT}

    def plan_debate(
        self,
        request: Request,  # noqa: ARG002 -- as of every form
        way: DebateWay,
        settings: dict[str, Any],
        given: Mapping[str, str],
    ) -> QuestionPlan:
        """Return the essay of a filled form. Raises ``InputError``."""
        return plan_essay(
            given["proposition"],
            stance=settings.pop("stance", STANCE),
            protocol=way.protocol.name,
            evidence=None,
            prompts=way.preset.prompts if way.preset else None,
            settings=settings,
        )

    def address_of(self, live: LiveDebate) -> str:
        """Return the URL of the essay's page."""
        return essay_url(DebateAddress(live.run, replicate=live.replicate, held=live.id))


WRITE_FORM = WriteForm()
