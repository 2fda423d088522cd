import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from moot.core.calls import Call, Draw, Message, Reply, Sampling, identity
from moot.core.errors import StoreError
from moot.core.stored import Spent
from moot.ledger.lookup import Lookup
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE

TOKENS = {"prompt_tokens": 30, "completion_tokens": 5, "cached_tokens": 7, "reasoning_tokens": 3}
SPENT = {"seconds": 1.25, "cost": 0.002, "retries": 2}
REPLY = Reply(text="It is 4.", finish="length", thought="Two and two.", **TOKENS, **SPENT)


def again(reply: Reply) -> Reply:
    return replace(reply, replayed=True)


async def test_the_prompt_behind_an_identity(open_store):
    call = Call(
        model="openai/x",
        messages=(Message("system", "é\x00{{ x }}"), Message("user", "?")),
        sampling=Sampling(temperature=0.7, stop=("END",), schema={"type": "object"}),
        draw=Draw(1, 2, 3),
    )
    key = identity(call.request(), call.draw)
    async with open_store() as store:
        await store.record(key, call, call.request(), REPLY)
        assert store.request(key) == call
        assert store.request(b"none") is None


async def test_a_run_has_spent_what_it_was_the_first_to_record(open_store, asked):
    async with open_store() as store:
        one, two = (store.begin_run(key, key, b"").id for key in "ab")
        await store.record(*asked(0), REPLY)
        store.run = one
        await store.record(*asked(0), REPLY)
        await store.record(*asked(1), REPLY)
        untold, half = Reply(text="x" * 4000, cost=0.5), Reply(text="y" * 4000, prompt_tokens=4)
        await store.record(*asked(2), untold)
        await store.record(*asked(3), half)
        store.run = two
        await store.record(*asked(3), REPLY)
        spent = store.sum_spent(one)
        told, request = REPLY.tokens + 4, len(asked(2)[2]) // 4
        assert 2000 + request + told <= spent.tokens <= 2000 + request + told + 40
        assert replace(spent, tokens=0) == Spent(calls=3, cost=0.502, unknown_cost_calls=1)
        assert store.sum_spent(two) == Spent()


async def test_a_flush_that_is_cancelled_harms_nobody(tmp_path, asked):
    async with Store.open(tmp_path) as store:
        with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            record = asyncio.create_task(store.record(*asked(), REPLY))
            flush = asyncio.create_task(store.flush())
            await asyncio.sleep(0.05)
            flush.cancel()
            other.execute("COMMIT")
        assert await asyncio.wait_for(record, 10) == REPLY
        await asyncio.wait_for(store.flush(), 10)


async def test_a_commit_is_on_the_disk_before_it_is_done(tmp_path):
    async with Store.open(tmp_path) as store:
        assert store.writer
        for pragma, value in [("synchronous", 2), ("journal_mode", "wal")]:
            ask = f"PRAGMA {pragma}"
            got = store.writer.do(lambda connection, ask=ask: connection.execute(ask).fetchone())
            assert got.result() == (value,)


async def test_close_writes_what_is_queued_and_answers_who_waits(tmp_path, asked):
    store = Store.open(tmp_path)
    tasks = [asyncio.create_task(store.record(*asked(number), REPLY)) for number in range(500)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*tasks) == [REPLY] * 500
    await store.close()
    log = Path(f"{store.file}-wal")
    assert not log.exists() or not log.stat().st_size


def test_a_loop_that_ends_leaves_the_reply_in_the_store(tmp_path, asked):
    store = Store.open(tmp_path)

    async def leave() -> None:
        record = asyncio.create_task(store.record(*asked(), REPLY))
        await asyncio.sleep(0)
        assert not record.done()

    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave())
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.close()
    asyncio.run(store.close())
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as raw:
        assert raw.execute("SELECT COUNT(*) FROM replies").fetchone() == (1,)


async def test_what_is_recorded_is_found_and_the_first_reply_stays(open_store, asked):
    key, call, request = asked()
    other = Reply(text="It is 5.", cost=9.0)
    async with open_store() as store, open_store() as second:
        store.run = second.run = store.begin_run("a", "a", b"").id
        assert await store.find(key) is None
        replies = await asyncio.gather(*[store.record(*asked(), REPLY) for _ in range(100)])
        assert replies == [REPLY] + [again(REPLY)] * 99
        for each in (second, store):
            assert await each.record(key, call, request, other) == again(REPLY)
        assert store.sum_spent(store.run).calls == 1
        old = [asked(number) for number in range(1, 200, 3)]
        await asyncio.gather(*[second.record(*each, Reply(text="first")) for each in old])
        late = Reply(text="second")
        replies = await asyncio.gather(*[store.record(*asked(n), late) for n in range(1, 200)])
        for number, reply in enumerate(replies):
            told = ("second", False) if number % 3 else ("first", True)
            assert (reply.text, reply.replayed) == told
    async with open_store(readonly=True) as store:
        assert await store.find(key) == again(REPLY)
    store = open_store()
    await store.close()
    for use in (store.find(b"x"), store.record(*asked(), REPLY)):
        with pytest.raises(StoreError, match="closed"):
            await use


async def test_a_reply_is_recorded_though_nobody_waits_and_others_are_answered(open_store, asked):
    async with open_store() as store:
        tasks = [asyncio.create_task(store.record(*asked(n), REPLY)) for n in range(50)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in done[::2])
        assert done[1::2] == [REPLY] * 25
    async with open_store(readonly=True) as store:
        assert all([await store.find(asked(number)[0]) for number in range(50)])


def test_a_loop_that_ended_leaves_nothing_for_the_next(tmp_path):
    async def ask_and_leave(lookup: Lookup) -> None:
        task = asyncio.create_task(lookup.find(b"1"))
        await asyncio.sleep(0)
        task.cancel()

    async def ask(lookup: Lookup) -> None:
        async with asyncio.timeout(5):
            assert await lookup.find(b"2") is None

    store = Store.open(tmp_path)
    asyncio.run(ask_and_leave(store.database.lookup))
    asyncio.run(ask(store.database.lookup))
    asyncio.run(store.close())


async def test_a_status_that_cannot_be_written_is_told_later(tmp_path):
    async with Store.open(tmp_path) as store:
        run = store.begin_run("a", "a", b"").id
        store.set_status(run, "done", wait=False)
        await store.flush()
        assert store.find_run("a").status == "done"
        with closing(sqlite3.connect(store.file)) as other:
            other.execute("ALTER TABLE runs RENAME TO elsewhere")
            store.set_status(run, "stopped", wait=False)
            with pytest.raises(StoreError):
                await store.flush()
            other.execute("ALTER TABLE elsewhere RENAME TO runs")
        await store.flush()
