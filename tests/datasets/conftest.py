"""Servers that publish files, and datasets that last for one test."""

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.datasets.data_files import data_folder, store_file
from moot.datasets.dataset import registry


@pytest.fixture
def data():
    return data_folder()


@pytest.fixture
def lay_in():
    """Write files with these texts or bytes into the library, as those of a dataset, unchecked."""

    def lay_in(name, texts):
        source = registry.get(name)
        worked = source.examples.files if source.examples else ()
        for file in (*source.files, *worked):
            if file.name in texts:
                text = texts[file.name]
                data = text.encode() if isinstance(text, str) else text
                store_file(data_folder() / name / file.name, file, data)

    return lay_in


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
    registry.all()
    before = dict(registry._found)
    yield
    registry._found.clear()
    registry._found.update(before)
