"""A hub on loopback."""

import pytest

from support.hub_server import hub_of


@pytest.fixture
async def server(monkeypatch):
    async with hub_of(monkeypatch) as here:
        yield here
