"""The server on which people rank essays: the same server as that of debates, with other pages."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from socket import gethostname

from moot.contrib.essays.rate.rating import RatingSession, open_session
from moot.contrib.essays.rate.rating_pages import ROUTES, home
from moot.contrib.essays.rate.sheets import RatingPlan
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.serving import (
    LOOPBACK,
    Server,
    make_server,
    open_socket,
    print_access,
    server_url,
)
from moot.extend.stores import describe_place
from moot.extend.terminal import OutputFile, ReaderGone, say
from moot.extend.words import format_count, format_things


async def serve_rating(
    config: ServerConfig, plan: RatingPlan, *, host: str, port: int, store: str | None
) -> None:
    """Serve until a signal comes; say on standard error where, and print the raters' links.

    Args:
        config: limits and clients; its models and protocols are not served.
        plan: what is ranked.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        store: the ledger's folder.

    Raises:
        InputError: it cannot listen there, there is nothing to rank, or other machines could reach
            it without a token.
        StoreError: the store cannot be opened.
    """
    running = rating_server(config, plan, host=host, store=store)
    with open_socket(host, port) as own:
        running.on_start = lambda: _announce(running, host)
        await running.serve(sockets=[own])


def rating_server(
    config: ServerConfig, plan: RatingPlan, *, host: str = LOOPBACK, store: str | Path | None
) -> Server:
    """Return the server, ready to ``serve``; see ``moot.contrib.server.serving.make_server``."""
    ready = partial(open_session, plan=plan)
    return make_server(config, host=host, store=store, routes=ROUTES, ready=ready)


def _announce(running: Server, host: str) -> None:
    """Say what is ranked and where, and give the links of the raters who were named."""
    tell = partial(say, err=True)
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
    tell(f"  store: {describe_place(running.app.state.lab.place)}")
    print_access(running.app.state.config, host, tell)
    for rater in session.invited:
        with suppress(ReaderGone):  # the page is served all the same
            OutputFile(None, "").write(f"{rater.name}\t{where}{home(rater)}\n")
    if session.is_open:
        tell(f"  raters give their name at {where}; each then has an address to come back to")
