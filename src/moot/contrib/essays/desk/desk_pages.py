"""The pages of the desk on a server; the entry point ``write`` of ``moot.pages`` names it."""

from moot import Transcript
from moot.contrib.essays.desk import written_page
from moot.contrib.essays.desk.writing_page import WRITE_FORM
from moot.contrib.essays.essay_turns import team_in
from moot.contrib.essays.team import label
from moot.contrib.essays.write import is_essay
from moot.contrib.server.pages.added_pages import AddedPages, registry
from moot.contrib.server.pages.page_rendering import DebateAddress
from moot.extend.records import Opened

PACKAGE = "moot.contrib.essays.desk"
"""Has the templates and the static files of these pages."""


def show_debate(opened: Opened, where: DebateAddress) -> tuple[str, str] | None:
    """Return the URL of an essay's page and the words of a link there; None for other debates."""
    if not is_essay(Transcript((opened,))):
        return None
    return written_page.essay_url(where), "Read the essay, its team, plan and evidence"


def name_agents(transcript: Transcript) -> dict[str, str]:
    """Return who the members of a team are, by the names of the agents."""
    if not is_essay(transcript):
        return {}
    members = [seat.agent for seat in transcript.seats if seat.role == "member"]
    known = enumerate(zip(members, team_in(transcript), strict=False))
    return {agent: f"{label(place)}: {each.description}" for place, (agent, each) in known}


registry.add(
    "write",
    AddedPages(
        package=PACKAGE,
        routes=[*WRITE_FORM.routes(), *written_page.ROUTES],
        links={WRITE_FORM.url: "Write"},
        show_debate=show_debate,
        name_agents=name_agents,
    ),
)
