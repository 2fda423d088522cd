"""Serving the judging face: the same server as that of debates, with this face alone."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from socket import gethostname

from moot.core.plain import count, many
from moot.essays.rate.rating import Judging, Plan, opened
from moot.essays.rate.rating_page import home
from moot.essays.rate.rating_routes import ROUTES
from moot.server.config import ServerConfig
from moot.server.serving import LOOPBACK, Server, listen, place, server, tell_who


async def judge(
    config: ServerConfig,
    plan: Plan,
    *,
    host: str = LOOPBACK,
    port: int,
    store: str | Path | None,
    told: Callable[[str], None],
    links: Callable[[str], None],
) -> None:
    """Serve until a signal comes.

    Args:
        config: limits and clients; its models and protocols are not served.
        plan: what is judged.
        host: the address to listen on.
        port: and the port; 0 takes a free one.
        store: the ledger's folder.
        told: is given what the owner should know, in lines.
        links: is given each rater's name and link, in a line.

    Raises:
        InputError: it cannot listen there, there is nothing to judge, or others need no token.
        StoreError: the store cannot be opened.
    """
    running = judge_server(config, plan, host=host, store=store)
    with listen(host, port) as own:
        running.up = lambda: _tell(running, host, told, links)
        await running.serve(sockets=[own])


def judge_server(
    config: ServerConfig, plan: Plan, *, host: str = LOOPBACK, store: str | Path | None
) -> Server:
    """The server, ready to ``serve``; see ``moot.server.serving.server``."""
    ready = partial(opened, plan=plan)
    return server(config, host=host, store=store, routes=ROUTES, ready=ready)


def _tell(
    running: Server, host: str, told: Callable[[str], None], links: Callable[[str], None]
) -> None:
    judging: Judging = running.app.state.judging
    everywhere = host in {"0.0.0.0", "::"}  # noqa: S104 -- what the owner chose
    where = place(running, gethostname() if everywhere else host)
    found = judging.sheets
    told(f"moot judge: essays of {judging.row.key} at {where}")
    told(
        f"  {many(len(found.sheets), 'proposition')} of {count(found.found)}, "
        f"{many(len(found.arms), 'essay')} each: {', '.join(found.arms)}"
    )
    if found.lacking:
        told(f"  left out, as some arm has no essay: {many(found.lacking, 'proposition')}")
    told(f"  store: {running.app.state.lab.place}")
    tell_who(running.app.state.config, host, told)
    for rater in judging.invited:
        links(f"{rater.name}\t{where}{home(rater)}")
    if judging.open:
        told(f"  raters give their name at {where}; each then has an address to come back to")
