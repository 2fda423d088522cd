"""The server on which people rank essays: the same server as that of debates, with other pages."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from socket import gethostname

from moot.core.plain import count, many
from moot.essays.rate.rating import RatingPlan, RatingSession, open_session
from moot.essays.rate.rating_pages import ROUTES, home
from moot.server.config import ServerConfig
from moot.server.serving import LOOPBACK, Server, listen, place, server, tell_who


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
        InputError: it cannot listen there, there is nothing to rank, or others need no token.
        StoreError: the store cannot be opened.
    """
    running = rating_server(config, plan, host=host, store=store)
    with listen(host, port) as own:
        running.up = lambda: _announce(running, host, tell, link)
        await running.serve(sockets=[own])


def rating_server(
    config: ServerConfig, plan: RatingPlan, *, host: str = LOOPBACK, store: str | Path | None
) -> Server:
    """Return the server, ready to ``serve``; see ``moot.server.serving.server``."""
    ready = partial(open_session, plan=plan)
    return server(config, host=host, store=store, routes=ROUTES, ready=ready)


def _announce(
    running: Server, host: str, tell: Callable[[str], None], link: Callable[[str], None]
) -> None:
    """Say what is ranked and where, and give the links of the raters who were named."""
    session: RatingSession = running.app.state.rating
    everywhere = host in {"0.0.0.0", "::"}  # noqa: S104 -- what the owner chose
    where = place(running, gethostname() if everywhere else host)
    found = session.sheets
    tell(f"moot judge: essays of {session.row.key} at {where}")
    tell(
        f"  {many(len(found.sheets), 'proposition')} of {count(found.found)}, "
        f"{many(len(found.arms), 'essay')} each: {', '.join(found.arms)}"
    )
    if found.lacking:
        tell(f"  left out, as some arm has no essay: {many(found.lacking, 'proposition')}")
    tell(f"  store: {running.app.state.lab.place}")
    tell_who(running.app.state.config, host, tell)
    for rater in session.invited:
        link(f"{rater.name}\t{where}{home(rater)}")
    if session.is_open:
        tell(f"  raters give their name at {where}; each then has an address to come back to")
