"""What the desk adds to a server's pages; the entry point ``write`` of ``moot.pages`` names it."""

from moot import Transcript
from moot.core.events import Opened
from moot.essays.desk import written_page
from moot.essays.desk.writing_page import WRITE_FORM
from moot.essays.write import is_essay
from moot.server.pages.added_pages import AddedPages, registry
from moot.server.pages.page_rendering import DebateAddress

PACKAGE = "moot.essays.desk"
"""Has the templates and the static files of these pages."""


def show_debate(opened: Opened, where: DebateAddress) -> tuple[str, str] | None:
    """Return the URL of an essay's page and the words of a link there; None for other debates."""
    if not is_essay(Transcript((opened,))):
        return None
    return written_page.essay_url(where), "Read the essay, its team, plan and evidence"


registry.add(
    "write",
    AddedPages(
        package=PACKAGE,
        routes=[*WRITE_FORM.routes(), *written_page.ROUTES],
        links={WRITE_FORM.url: "Write"},
        show_debate=show_debate,
    ),
)
