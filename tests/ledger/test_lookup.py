"""Replies are looked up together, and each caller gets its own."""

import asyncio
import sqlite3

from moot.core.calls import Reply, identity
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


async def test_many_at_once_and_each_its_own_whichever_store_recorded_it(tmp_path):
    async with Store.open(tmp_path) as store, Store.open(tmp_path) as other:
        await keep(store, *range(0, 200, 4))
        await asyncio.gather(keep(other, *range(2, 200, 4)), keep(store, 2))
        replies = await asyncio.gather(*[found(store, a_call(seat=n // 2)) for n in range(400)])
        assert [reply and reply.text for reply in replies] == [
            None if n // 2 % 2 else f"of {n // 2}" for n in range(400)
        ]
        for seat in (201, 203):  # found at once
            assert await found(store, a_call(seat=seat)) is None
            await keep(other, seat)
            assert (await found(store, a_call(seat=seat))).text == f"of {seat}"
