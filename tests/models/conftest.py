"""A misbehaving server, models that call it, and an environment with one key and no proxy."""

import pytest

from moot.core.ports import Model
from moot.models.http import HttpModel
from moot.models.model_names import load
from support.chaos import Chaos
from support.http_calls import only_key


@pytest.fixture
def one_key(monkeypatch):
    only_key(monkeypatch)


@pytest.fixture
async def server(one_key):
    async with Chaos() as chaos:
        yield chaos


@pytest.fixture
async def model(server):
    """Make models: ``model(directive, options)``."""
    opened: list[HttpModel] = []

    def make(directive: str = "ok", options: str = "") -> HttpModel:
        made = load(f"{server.url}/{directive}{options}")
        assert isinstance(made, HttpModel)
        assert isinstance(made, Model)
        opened.append(made)
        return made

    yield make
    for one in opened:
        await one.close()
