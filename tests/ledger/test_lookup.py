"""Replies are looked up together, and each caller gets its own."""

import asyncio
import sqlite3

import pytest

from moot.core.calls import Reply, identity
from moot.core.errors import StoreError
from moot.ledger.connect import read_connection
from moot.ledger.lookup import Lookup
from moot.ledger.sqlite_store import Store
from moot.ledger.store_place import STORE_FILE
from support.call_path import a_call, found


async def keep(store: Store, *seats: int) -> None:
    for seat in seats:
        call = a_call(seat=seat)
        request = call.request()
        await store.record(identity(request, call.draw), call, request, Reply(text=f"of {seat}"))


async def test_many_at_once_and_each_its_own(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, *range(0, 200, 2))
        replies = await asyncio.gather(*[found(store, a_call(seat=seat)) for seat in range(200)])
        assert [reply and reply.text for reply in replies] == [
            None if seat % 2 else f"of {seat}" for seat in range(200)
        ]


async def test_the_same_twice_in_one_look(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, 1)
        twice = await asyncio.gather(*[found(store, a_call(seat=1)) for _ in range(3)])
        assert [reply.text for reply in twice] == ["of 1"] * 3


async def test_who_gives_up_takes_nothing_from_the_others(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, 1, 2)
        first, second = (asyncio.create_task(found(store, a_call(seat=seat))) for seat in (1, 2))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).text == "of 2"
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_few_statements_for_many(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, 1)
    reader = read_connection(tmp_path / STORE_FILE, 1.0)
    asked: list[str] = []
    reader.set_trace_callback(asked.append)
    lookup = Lookup(reader, tmp_path / STORE_FILE)
    await asyncio.gather(*[lookup.find(bytes([number])) for number in range(150)])
    reader.close()
    assert sum("SELECT identity" in each for each in asked) == 3


async def test_a_file_that_cannot_be_read_is_told_to_everyone(tmp_path):
    async with Store.open(tmp_path) as store:
        await keep(store, 1)
    reader = sqlite3.connect(tmp_path / "other.sqlite3")
    lookup = Lookup(reader, tmp_path / STORE_FILE)
    asked = [lookup.find(b"1"), lookup.find(b"2")]
    results = await asyncio.gather(*asked, return_exceptions=True)
    reader.close()
    assert [type(result) for result in results] == [StoreError, StoreError]
    assert results[0] is not results[1]


def test_a_loop_that_ended_leaves_nothing_for_the_next(tmp_path):
    async def ask_and_leave(lookup: Lookup) -> None:
        task = asyncio.create_task(lookup.find(b"1"))
        await asyncio.sleep(0)
        task.cancel()

    async def ask(lookup: Lookup) -> None:
        async with asyncio.timeout(5):
            assert await lookup.find(b"2") is None

    with sqlite3.connect(tmp_path / "one.sqlite3") as reader:
        reader.execute("CREATE TABLE replies (identity BLOB, run, reply BLOB, digest)")
        lookup = Lookup(reader, tmp_path / STORE_FILE)
        asyncio.run(ask_and_leave(lookup))
        asyncio.run(ask(lookup))
    reader.close()


async def test_a_reply_that_another_store_recorded_is_found_at_once(tmp_path):
    async with Store.open(tmp_path) as store, Store.open(tmp_path) as other:
        await keep(store, 1)
        assert await found(store, a_call(seat=2)) is None
        await keep(other, 2)
        assert (await found(store, a_call(seat=2))).text == "of 2"
        assert await found(store, a_call(seat=4)) is None
        await keep(other, 4)
        assert (await found(store, a_call(seat=4))).text == "of 4"


async def test_replies_of_two_stores_are_all_found(tmp_path):
    async with Store.open(tmp_path) as store, Store.open(tmp_path) as other:
        await keep(other, 1, 2)
        await asyncio.gather(keep(store, 2), keep(store, 3))
        replies = [await found(store, a_call(seat=seat)) for seat in (1, 2, 3, 4)]
        assert [reply and reply.text for reply in replies] == ["of 1", "of 2", "of 3", None]


async def test_a_reply_that_is_being_written_is_found_once_it_is_durable(tmp_path):
    async with Store.open(tmp_path) as store:
        keeping = asyncio.create_task(keep(store, 1))
        await asyncio.sleep(0)
        assert await found(store, a_call(seat=2)) is None
        await keeping
        assert (await found(store, a_call(seat=1))).text == "of 1"
