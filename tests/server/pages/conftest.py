"""What tests of pages share."""

import pytest

from moot.models.scripted import Scripted
from support.server import Gate


@pytest.fixture
async def panel(serving):
    """A server with a model that waits to be let; the model's gate, opened at the end."""
    gate = Gate()
    server = await serving(
        models=["scripted/panel"], given={"models": [Scripted(gate, name="panel")]}
    )
    server.gate = gate
    yield server
    for each in gate.open:
        each.set()
