"""The server on which people rank essays: the same server as that of debates, with other pages."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from socket import gethostname

from moot.core.display_text import format_count, format_things
from moot.essays.rate.rating import RatingSession, open_session
from moot.essays.rate.rating_pages import ROUTES, home
from moot.essays.rate.sheets import RatingPlan
from moot.server.config import ServerConfig
from moot.server.serving import LOOPBACK, Server, make_server, open_socket, print_access, server_url


async def serve_rating(
    config: ServerConfig,
    plan: RatingPlan,
    *,
    host: str = LOOPBACK,
    port: int,
    store: str | Path | None,
    tell: Callable[[str], None],
    link: Callable[[str], None],
) -> None:
    """Serve until a signal comes.

    Args:
        config: limits and clients; its models and protocols are not served.
        plan: what is ranked.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        store: the ledger's folder.
        tell: is given what the owner should know, in lines.
        link: is given each rater's name and link, in a line.

    Raises:
        InputError: it cannot listen there, there is nothing to rank, or other machines could reach
            it without a token.
        StoreError: the store cannot be opened.
    """
    running = rating_server(config, plan, host=host, store=store)
    with open_socket(host, port) as own:
        running.on_start = lambda: _announce(running, host, tell, link)
        await running.serve(sockets=[own])


def rating_server(
    config: ServerConfig, plan: RatingPlan, *, host: str = LOOPBACK, store: str | Path | None
) -> Server:
    """Return the server, ready to ``serve``; see ``moot.server.serving.make_server``."""
    ready = partial(open_session, plan=plan)
    return make_server(config, host=host, store=store, routes=ROUTES, ready=ready)


def _announce(
    running: Server, host: str, tell: Callable[[str], None], link: Callable[[str], None]
) -> None:
    """Say what is ranked and where, and give the links of the raters who were named."""
    session: RatingSession = running.app.state.rating
    everywhere = host in {"0.0.0.0", "::"}  # noqa: S104 -- what the owner chose
    where = server_url(running, gethostname() if everywhere else host)
    found = session.sheets
    tell(f"moot judge: essays of {session.row.key} at {where}")
    tell(
        f"  {format_things(len(found.sheets), 'proposition')} of {format_count(found.found)}, "
        f"{format_things(len(found.arms), 'essay')} each: {', '.join(found.arms)}"
    )
    if found.lacking:
        tell(f"  left out, as some arm has no essay: {format_things(found.lacking, 'proposition')}")
    tell(f"  store: {running.app.state.lab.place}")
    print_access(running.app.state.config, host, tell)
    for rater in session.invited:
        link(f"{rater.name}\t{where}{home(rater)}")
    if session.is_open:
        tell(f"  raters give their name at {where}; each then has an address to come back to")
