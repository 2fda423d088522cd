"""The tools of assistants, served over standard input and output or over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from moot.contrib.server.config import ServerConfig
from moot.contrib.server.input_relay import relay_input
from moot.contrib.server.live_debates import LiveDebates
from moot.contrib.server.mcp_tools import make_mcp_server
from moot.contrib.server.serving import (
    LOOPBACK,
    Server,
    list_problems,
    make_server,
    open_debates,
    print_access,
    run_server,
    server_url,
)
from moot.extend.stores import describe_place
from moot.extend.studies import open_lab

LONGEST = 64 * 2**20
"""Bytes of the longest line of standard input."""
PATH = "/mcp"
"""Where the tools are over HTTP."""


async def serve_stdio(
    config: ServerConfig, *, store: str | Path | None, told: Callable[[str], None]
) -> None:
    """Serve one client over standard input and output, until its input ends.

    Args:
        config: what the owner allows.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        told: is called with each line for the owner.

    Raises:
        StoreError: the store cannot be opened.
    """
    for problem in await list_problems(config):
        told(f"not ready: {problem}")
    async with open_lab(store, tables=config.tables) as lab, open_debates(lab, config) as debates:
        await _run_until_cancelled(make_mcp_server(lambda: debates), told)


async def _run_until_cancelled(server: MCPServer, told: Callable[[str], None]) -> None:
    """Run a server over standard input and output; a cancellation closes its input."""
    with relay_input(longest=LONGEST, told=told) as close:
        serving = asyncio.create_task(server.run_stdio_async())
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            serving.cancel()
            close()
            await asyncio.gather(serving, return_exceptions=True)  # the SDK fails as it ends
            raise


def make_http_server(
    config: ServerConfig, *, host: str = LOOPBACK, store: str | Path | None = None
) -> Server:
    """Return the server of the tools over HTTP; see ``moot.contrib.server.serving.make_server``.

    Tokens, names of hosts and origins are checked by the guard of every server of moot.
    """

    def find_debates() -> LiveDebates:
        debates: LiveDebates = running.app.state.debates
        return debates

    tools = make_mcp_server(find_debates)
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    served = tools.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=checked,
        max_request_body_size=config.limits.body,
    )

    @asynccontextmanager
    async def sessions() -> AsyncIterator[None]:
        async with tools.session_manager.run():
            yield

    [route] = served.routes
    assert isinstance(route, Route)
    owned = Route(PATH, route.endpoint, middleware=[Middleware(SessionOwner)])
    running = make_server(config, host=host, store=store, routes=[owned], beside=sessions())
    return running


class SessionOwner:
    """Tells the SDK which client sends a request: a session serves the one that opened it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with its client as the user."""
        client = scope["state"]["client"]
        token = AccessToken(token=client, client_id=client, scopes=[])
        await self._app({**scope, "user": AuthenticatedUser(token)}, receive, send)


async def serve_http(
    config: ServerConfig,
    *,
    host: str,
    port: int,
    store: str | Path | None,
    told: Callable[[str], None],
) -> None:
    """Serve over HTTP until a signal comes; the parameters are those of ``serving.serve``."""
    running = make_http_server(config, host=host, store=store)
    for problem in await list_problems(config):
        told(f"  not ready: {problem}")

    def tell() -> None:
        told(f"moot serves its tools to assistants at {server_url(running, host)}{PATH}")
        told(f"  store: {describe_place(running.app.state.lab.place)}")
        print_access(config, host, told)

    running.on_start = tell
    await run_server(running, host, port)
