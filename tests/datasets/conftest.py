"""A library of its own for every test, and the real published files where this machine has them."""

import os
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.datasets.dataset import registry

PUBLISHED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """An empty library."""
    monkeypatch.setenv("MOOT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
async def serve():
    """Start a server on loopback that answers GET with a body or a handler; gives its address."""
    running = []

    async def start(answer):
        async def body(_):
            return web.Response(body=answer)

        app = web.Application()
        app.router.add_get("/rows", answer if callable(answer) else body)
        running.append(TestServer(app))
        await running[-1].start_server()
        return str(running[-1].make_url("/rows"))

    yield start
    for server in running:
        await server.close()


@pytest.fixture
def own_names():
    """What a test registers is gone after it."""
    registry.names()
    before = dict(registry._found)
    yield
    registry._found.clear()
    registry._found.update(before)


@pytest.fixture
def published():
    """The folder of published files; a test that needs it fails in CI where it is missing."""
    if not PUBLISHED.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{PUBLISHED} is missing, and CI must have it")
        pytest.skip(f"{PUBLISHED} is missing: no copies of the published files")
    return PUBLISHED
