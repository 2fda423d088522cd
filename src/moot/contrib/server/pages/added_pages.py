"""Pages of other packages beside those of moot: entry points of the group ``moot.pages``."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import BaseRoute

from moot import Transcript
from moot.extend.calls import Registry
from moot.extend.records import Opened

if TYPE_CHECKING:
    from moot.contrib.server.pages.page_rendering import DebateAddress


class AddedPages(NamedTuple):
    """Pages of a package.

    Attributes:
        package: has the folders ``templates`` and ``static``; its templates see those of moot.
        routes: of the pages.
        links: what the navigation of every page shows: words by URL.
        show_debate: returns the URL at which these pages show a debate, and the words of a link
            there; None where they do not show it.
        name_agents: returns who agents of a debate are, in words, by their names; those that say
            so themselves are left out.
    """

    package: str
    routes: Sequence[BaseRoute]
    links: Mapping[str, str]
    show_debate: "Callable[[Opened, DebateAddress], tuple[str, str] | None]"
    name_agents: Callable[[Transcript], Mapping[str, str]] = lambda _: {}


registry: Registry[AddedPages] = Registry("pages", "", group="moot.pages")
"""The pages of other packages, by the names of their entry points."""
