"""A real server on loopback, in the test's own event loop, and a client of it."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import uvicorn.server

from moot.contrib.server.config import ServerConfig, config_from
from moot.contrib.server.serving import Server, make_server
from support import server as served
from support.chaos import Chaos

MODEL = "simulated/crowd"
SLOW = "simulated/slow?latency=0.05"
"""Allowed by default; ``SLOW`` takes 50 ms a call."""


class _Soon:
    """asyncio for uvicorn, which looks ten times a second whether it shall end; here a hundred."""

    def __getattr__(self, name):
        return getattr(asyncio, name)

    @staticmethod
    async def sleep(seconds):
        await asyncio.sleep(seconds / 10)


uvicorn.server.asyncio = _Soon()


class Serving:
    """A server that is up, with its address, its debates and its laboratory."""

    def __init__(self, running: Server) -> None:
        self.server, self.app, self.port = running, running.app, running.port
        self.url = f"http://127.0.0.1:{running.port}"
        self.debates, self.lab = self.app.state.debates, self.app.state.lab


@asynccontextmanager
async def up(config: ServerConfig, store: Path, *, host: str = "127.0.0.1", **given):
    """Serve until the block is left; then the server was shut down as by a signal."""
    running = make_server(config, host=host, store=store, **given)
    async with served.up(running, host=host):
        yield Serving(running)


@pytest.fixture
async def serving(tmp_path):
    """Start servers: ``await serving(models=[…], limits={…}, …)``, as the tables of a file.

    Without a word ``MODEL``, ``SLOW`` and every protocol are allowed. ``given`` is for ``server``.
    """
    open_ones = []

    async def start(*, store: Path | None = None, given=None, **tables) -> Serving:
        tables = {"models": [MODEL, SLOW], **tables}
        context = up(config_from(**tables), store or tmp_path / "store", **(given or {}))
        found = await context.__aenter__()
        open_ones.append(context)
        return found

    yield start
    for context in reversed(open_ones):
        await context.__aexit__(None, None, None)


@pytest.fixture
async def behind(serving):
    """Start a server of one model: the server, the model's name, and what answers for it."""
    async with Chaos() as upstream:

        async def start(directives="ok", **tables):
            name = f"{upstream.url}/{directives}"
            return await serving(models=[name], **tables), name, upstream

        yield start


@pytest.fixture
async def client():
    """A session of aiohttp."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        yield session
