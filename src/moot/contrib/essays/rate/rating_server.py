"""The server on which people rank essays: the same server as that of debates, with other pages."""

from functools import partial
from pathlib import Path

from moot.contrib.essays.rate.rating import RatingSession, open_session
from moot.contrib.essays.rate.rating_pages import ROUTES
from moot.contrib.essays.rate.sheets import RatingPlan
from moot.contrib.judging.rater_pages import announce
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.serving import (
    LOOPBACK,
    Server,
    make_server,
    open_socket,
)
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
    session: RatingSession = running.app.state.rating
    found = session.sheets
    sheets, each = format_things(len(found.sheets), "proposition"), ", ".join(found.arms)
    essays = format_things(len(found.arms), "essay")
    lines = [f"{sheets} of {format_count(found.found)}, {essays} each: {each}"]
    if found.lacking:
        lacking = format_things(found.lacking, "proposition")
        lines.append(f"left out, as some arm has no essay: {lacking}")
    announce(running, host, f"essays of {session.row.key}", lines, session.invited)
