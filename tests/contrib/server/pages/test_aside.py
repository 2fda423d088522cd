"""Work in threads and in the process of its own."""

import asyncio
import os
from time import sleep

import pytest

from moot.contrib.server.pages import aside
from moot.contrib.server.pages.archive import RunArchive
from moot.contrib.server.pages.aside import Apart
from moot.core.errors import MootError, StoreError
from moot.ledger.reader import StoreReader
from moot.ledger.store import Store


async def test_a_process_works_keeps_and_ends_when_it_is_idle(monkeypatch):
    monkeypatch.setattr(aside, "IDLE", 0.2)
    apart = Apart()
    one, two = await apart.run(os.getpid), await apart.run(os.getpid)
    assert one == two != os.getpid()
    await asyncio.sleep(0.6)
    assert await apart.run(os.getpid) != one
    apart.close(now=True)


async def test_its_errors_come_back_and_its_death_is_told(tmp_path):
    apart = Apart()
    with pytest.raises(FileNotFoundError):
        await apart.run(os.stat, str(tmp_path / "none"))
    with pytest.raises(MootError, match="ended too early"):
        await apart.run(os._exit, 1)
    assert await apart.run(os.getpid)
    long = asyncio.create_task(apart.run(sleep, 60))
    await asyncio.sleep(0.2)
    apart.close(now=True)  # what is under way is ended with the server
    async with asyncio.timeout(20):
        with pytest.raises(MootError):
            await long


async def test_a_store_that_was_removed_is_told(tmp_path):
    async with Store.open(tmp_path) as store:
        (tmp_path / "moot.db").rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match="there is no store"):
            await RunArchive(tmp_path, store).read(StoreReader.run, "x")
        (tmp_path / "elsewhere.db").rename(tmp_path / "moot.db")
