"""What tests of pages share."""

import asyncio

import pytest

from moot.models.scripted import Scripted
from support.server import Gate


@pytest.fixture
async def panel(serving):
    """A server with a model that waits to be let; the model's gate, opened at the end."""
    gate = Gate()
    models = [Scripted(gate, name="panel")]
    server = await serving(models=["scripted/panel"], given={"models": models})
    server.gate = gate
    yield server
    for each in gate.open:
        each.set()


@pytest.fixture
def read(client):
    """Read a page, once it is worked out: its text, where its status is the one expected."""

    async def read_page(url, *, status=200, patient=60):
        for _ in range(patient):
            async with client.get(url) as response:
                text = await response.text()
                is_ready = "refresh" not in response.headers
                assert response.status == (status if is_ready else 200), text
                if is_ready:
                    assert "script-src 'self'" in response.headers["content-security-policy"]
                    return text
            await asyncio.sleep(0.5)
        pytest.fail(f"{url} is never worked out")

    return read_page
