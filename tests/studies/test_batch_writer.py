"""Debates that have ended are measured together, and none is lost."""

import asyncio

import pytest

from moot.core.errors import StoreError
from moot.core.events import Closed, Opened, Transcript, Verdict
from moot.ledger.store import Store
from moot.studies import batch_writer
from moot.studies.batch_writer import BatchWriter
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.call_path import until

STUDY = {
    "name": "kept",
    "datasets": [{"name": "arithmetic", "difficulty": 2, "n": 600}],
    "arms": [{"protocol": "single", "model": "simulated"}],
}


def ended():
    """Debates that have ended, with their tasks."""
    for task in Plan(load(STUDY)).tasks():
        opened = Opened(question=task.question, protocol="single", settings={}, pack="")
        yield task, Transcript((opened, Closed(verdict=Verdict(answer="1"))))


@pytest.fixture
async def store(tmp_path):
    async with Store.open(tmp_path) as opened:
        opened.run = opened.begin_run("k", "kept", b"{}").id
        yield opened


async def kept(store: Store) -> int:
    await store.flush()
    return len(list(store.values(store.run)))


async def test_they_wait_while_others_are_to_begin(store):
    keeper, debates = BatchWriter(store), ended()
    for _ in range(3):
        await keeper.add(*next(debates))
    await asyncio.sleep(batch_writer._BRIEFLY * 2)
    assert await kept(store) == 0
    keeper.finish_soon()
    await asyncio.sleep(0.01)
    assert await kept(store) == 3
    await keeper.add(*next(debates))
    await keeper.finish()
    assert await kept(store) == 4
    await keeper.finish()


async def test_no_longer_than_a_while(store, monkeypatch):
    monkeypatch.setattr(batch_writer, "_WHILE", 0.5)
    keeper = BatchWriter(store)
    await keeper.add(*next(ended()))
    assert await kept(store) == 0
    async with asyncio.timeout(10):
        while await kept(store) == 0:
            await asyncio.sleep(0.05)
    assert await kept(store) == 1
    await keeper.finish()


async def test_whoever_brings_too_many_waits(store):
    keeper, most = BatchWriter(store), 0
    for debate in ended():
        await keeper.add(*debate)
        most = max(most, len(keeper._ended))
    assert 0 < most <= batch_writer._MOST + 1
    await keeper.finish()
    assert await kept(store) == 600


async def test_what_goes_wrong_is_told(store, monkeypatch):
    async def full(*_):
        raise StoreError("the disk is full")

    keeper, debates = BatchWriter(store), ended()
    monkeypatch.setattr(store, "save_debate", full)
    await keeper.add(*next(debates))
    keeper.finish_soon()
    await until(keeper._keeping.done)
    for telling in (keeper.add(*next(debates)), keeper.finish()):
        with pytest.raises(StoreError, match="full"):
            await telling
