"""Fixtures that tests of essays share with those of the floors that essays stand on."""

import aiohttp
import pytest

from cli.conftest import moot
from contrib.server.conftest import serving
from ledger.conftest import open_store
from metrics.conftest import debate, society, turn
from reports.conftest import hostile

__all__ = ["debate", "hostile", "moot", "open_store", "serving", "society", "turn"]


@pytest.fixture
async def client():
    """A session of aiohttp that keeps cookies of this machine."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session
