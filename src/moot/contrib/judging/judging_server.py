"""The server on which people judge pairs: the same server as that of debates, with other pages."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette

from moot.contrib.judging.judging_pages import ROUTES
from moot.contrib.judging.judging_terminal import show_result
from moot.contrib.judging.pairs import PairPlan
from moot.contrib.judging.preferences import MARGIN
from moot.contrib.judging.rater_pages import announce
from moot.contrib.judging.session import JudgingSession
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.serving import (
    LOOPBACK,
    Server,
    make_server,
    open_socket,
)
from moot.extend.terminal import say
from moot.extend.words import format_things


async def serve_judging(
    config: ServerConfig,
    plan: PairPlan,
    *,
    raters: Sequence[str],
    margin: float,
    host: str,
    port: int,
    store: str | None,
) -> None:
    """Serve until a signal comes; then say what is preferred by now.

    Args:
        config: limits and clients; its models and protocols are not served.
        plan: what is judged.
        raters: the names of those who are invited; if empty, everyone may join.
        margin: the greatest difference that counts as equal, 0 to 1.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        store: the store's folder.

    Raises:
        InputError: it cannot listen there, there is nothing to judge, or other machines could reach
            it without a token.
        StoreError: the store cannot be opened.
    """
    running = judging_server(config, plan, raters=raters, margin=margin, host=host, store=store)
    with open_socket(host, port) as own:
        running.on_start = lambda: _announce(running, host)
        await running.serve(sockets=[own])


def judging_server(
    config: ServerConfig,
    plan: PairPlan,
    *,
    raters: Sequence[str] = (),
    margin: float = MARGIN,
    host: str = LOOPBACK,
    store: str | Path | None,
) -> Server:
    """Return the server, ready to ``serve``; see ``moot.contrib.server.serving.make_server``."""
    opened = list[JudgingSession]()

    async def ready(app: Starlette) -> None:
        session = await JudgingSession.open(app.state.lab, plan, margin=margin)
        await session.invite(raters)
        app.state.judging = session
        opened.append(session)

    @asynccontextmanager
    async def say_at_the_end() -> AsyncIterator[None]:
        yield
        for session in opened:
            show_result(session.result(), session, whole=True)

    return make_server(
        config, host=host, store=store, routes=ROUTES, ready=ready, beside=say_at_the_end()
    )


def _announce(running: Server, host: str) -> None:
    """Say what is judged and where, and give the links of the raters who were named."""
    session: JudgingSession = running.app.state.judging
    judged = f"{format_things(len(session.pairs.pairs), 'pair')} of answers"
    announce(running, host, judged, [], session.invited)
    say("  what is preferred by now: moot judge RUN --result; Ctrl-C ends this", err=True)
