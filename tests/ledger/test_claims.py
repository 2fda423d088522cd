"""Claims of calls: of several sessions one makes a call, and the others get its reply."""

import asyncio
import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from moot.core.calls import Reply
from moot.core.errors import RunBusy, StoreError
from moot.ledger import claims
from moot.ledger.locks import LockFile
from moot.ledger.store import Store


@pytest.fixture
async def two(open_store):
    """Two stores on one folder, each with a session of its own, as two processes have them."""
    async with open_store() as one, open_store() as other:
        yield one, other


async def test_a_claimed_call_is_made_by_its_holder_and_shared(two, asked):
    one, other = two
    call = asked()
    assert await one.claim(call[0]) is None
    waiting = asyncio.create_task(other.claim(call[0]))
    async with asyncio.timeout(10):
        while other.claims.waiting.total() != 1:
            await asyncio.sleep(0.005)
    assert not waiting.done()
    await one.record(*call, Reply(text="4", cost=0.5))
    shared = await waiting
    assert (shared.text, shared.replayed) == ("4", True)
    assert other.claims.waiting.total() == 0
    own = one.sessions.own
    assert own is not None
    assert other.claims.shared == {own.id: 1}
    assert other.count_shared() == {f"process {os.getpid()} on host {own.host}": 1}
    assert one.count_shared() == {}


async def test_of_many_callers_in_several_sessions_one_makes_each_call(open_store, asked):
    made = 0

    async def get(store: Store, number: int) -> str:
        nonlocal made
        call = asked(number)
        reply = await store.find(call[0]) or await store.claim(call[0])
        if reply is None:
            made += 1
            await asyncio.sleep(0.01)
            reply = await store.record(*call, Reply(text=str(number)))
        return reply.text

    stores = [open_store() for _ in range(4)]
    callers = [(store, number) for number in range(40) for store in stores for _ in range(2)]
    texts = await asyncio.gather(*(get(*caller) for caller in callers))
    assert texts == [str(number) for _, number in callers]
    assert made == 40
    for store in stores:
        await store.close()


@pytest.mark.parametrize("again", ["one", "other"])
async def test_a_claim_as_a_reply_is_written_is_freed(postgres, asked, monkeypatch, again):
    """The row is deleted, and claimed again, before the writer's thread says it was deleted."""
    asyncpg = pytest.importorskip("asyncpg")
    address, identity = postgres.make_database(), asked()[0]
    async with Store.open(address) as one, Store.open(address) as other:
        assert await one.claim(identity) is None
        claimer = {"one": one, "other": other}[again]
        free = claimer.claims.free

        def free_late(freed):
            one.claims.forget([identity])  # as the thread does, just now
            free(freed)

        monkeypatch.setattr(claimer.claims, "free", free_late)
        writer = await asyncpg.connect(address)
        async with writer.transaction():
            await writer.execute(WRITE_REPLY, identity, b'{"text":"4"}')
            claiming = asyncio.create_task(claimer.claim(identity))
            await asyncio.sleep(0.3)
            assert not claiming.done()  # it waits for the row that is being deleted
        assert (await asyncio.wait_for(claiming, 10)).text == "4"
        await writer.close()
        await claimer.flush()
        assert postgres.execute("SELECT COUNT(*) FROM moot.claims", address) == "0\n"
        assert not one.claims._own


WRITE_REPLY = """
    WITH freed AS (DELETE FROM moot.claims WHERE identity = $1)
    INSERT INTO moot.replies
        (identity, created, model, replicate, seat, repeat, request, reply)
    VALUES ($1, 0, 'm', 0, 0, 0, 'x', $2)
"""


async def test_a_reply_that_came_between_looking_and_claiming_is_found(two, asked):
    """Also in the same turn of the loop, in which the file has been looked at already."""
    one, other = two
    await one.claim(asked(1)[0])
    assert await one.find(asked(0)[0]) is None
    assert await other.claim(asked(0)[0]) is None
    await other.record(*asked(0), Reply(text="theirs"))
    looking = asyncio.gather(one.find(asked(2)[0]), one.claim(asked(0)[0]))
    none, found = await looking
    assert none is None
    assert found is not None
    assert found.text == "theirs"
    await asyncio.wait_for(other.claims.obtain(asked(0)[0]), 10)


async def test_a_caller_that_gives_up_waiting_or_recording_keeps_no_claim(two, asked):
    one, other = two
    call = asked()
    assert await one.claim(call[0]) is None
    waiting = asyncio.create_task(other.claim(call[0]))
    await asyncio.sleep(0.02)
    waiting.cancel()
    recording = asyncio.create_task(one.record(*call, Reply(text="paid")))
    await asyncio.sleep(0)
    recording.cancel()
    reply = await other.claim(call[0])
    assert reply is not None
    assert reply.text == "paid"
    await asyncio.wait_for(one.claims.obtain(call[0]), 10)


async def test_a_reply_that_cannot_be_recorded_frees_its_claim(two, asked):
    one, other = two
    call = asked()
    assert await one.claim(call[0]) is None
    with pytest.raises(StoreError, match="could not be kept"):
        await one.record(call[0], call[1], None, Reply(text="paid"))
    assert await other.claim(call[0]) is None
    other.release(call[0])
    assert await one.claim(call[0]) is None
    with pytest.raises(AttributeError):
        await one.record(*call, None)
    assert await other.claim(call[0]) is None


async def test_the_first_session_shows_its_claims_while_its_loop_is_busy(tmp_path, asked):
    one = Store.open(tmp_path)
    assert await one.claim(asked()[0]) is None

    def elsewhere() -> bool:
        async def other() -> bool:
            async with Store.open(tmp_path) as store:
                assert await store.claim(asked(1)[0]) is None
                return store.claims.take(asked()[0])

        return asyncio.run(other())

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(elsewhere).result(30) is False  # the loop does nothing meanwhile
    await one.close()


async def test_a_first_session_that_another_joins_shows_its_claims(tmp_path, asked, monkeypatch):
    async with Store.open(tmp_path) as one, Store.open(tmp_path) as other:
        begin = one.claims.begin

        def begin_late(own):
            other.begin_session().result()
            begin(own)

        monkeypatch.setattr(one.claims, "begin", begin_late)
        assert await one.claim(asked(0)[0]) is None
        assert await asyncio.wait_for(other.claim(asked(1)[0]), 5) is None


async def test_claims_that_cannot_all_be_shown_are_shown_later(tmp_path, asked, monkeypatch):
    """The system has no locks left in the middle: none stays behind that is freed by no one."""
    take, failed = LockFile.take, threading.Event()

    def taken(self: LockFile, start: int, length: int = 1) -> bool:
        if start < 1 << 62 and not failed.is_set() and self.taken:
            failed.set()
            raise StoreError("no locks left")
        self.taken = start < 1 << 62
        return take(self, start, length)

    monkeypatch.setattr(LockFile, "taken", False, raising=False)
    async with Store.open(tmp_path) as one:
        for number in range(2):
            assert await one.claim(asked(number)[0]) is None
        monkeypatch.setattr(LockFile, "take", taken)
        monkeypatch.setattr(claims, "_NOTICE", 0.2)
        async with Store.open(tmp_path) as other, asyncio.timeout(10):
            waiting = asyncio.create_task(other.claim(asked(2)[0]))
            while not failed.is_set():
                await asyncio.sleep(0.001)
            for number in range(2):
                one.release(asked(number)[0])
            assert await waiting is None
            for number in range(2):
                assert await other.claim(asked(number)[0]) is None


@pytest.mark.parametrize("alone", [True, False])
async def test_a_call_that_ends_before_it_is_waited_for(open_store, asked, monkeypatch, alone):
    """One store records a reply just before another, or itself, begins to wait for it."""
    async with open_store() as one:
        other, call = one if alone else open_store(), asked()
        assert await one.claim(call[0]) is None
        wait = other.claims._wait

        async def wait_late(identity):
            await one.record(*call, Reply(text="4"))
            return await wait(identity)

        monkeypatch.setattr(other.claims, "_wait", wait_late)
        found = await other.claim(call[0])
        assert (found.text, found.replayed) == ("4", True)
        assert not other.claims.waiting.total()
        assert other.count_shared() == {}
        await other.close()


async def test_a_claim_that_comes_to_nothing_or_whose_store_ends_is_taken_over(two, asked):
    one, other = two
    identity, *_ = asked()
    assert await one.claim(identity) is None
    waiting = asyncio.create_task(other.claim(identity))
    await asyncio.sleep(0.02)
    one.release(identity)
    assert await waiting is None
    assert other.count_shared() == {}
    third = asyncio.create_task(one.claims.obtain(identity))
    await asyncio.sleep(0.02)
    assert not third.done()
    third.cancel()
    other.release(identity)
    assert await one.claim(identity) is None
    waiting = asyncio.create_task(other.claim(identity))
    await asyncio.sleep(0.02)
    await one.close()
    assert await waiting is None


@pytest.mark.soak
async def test_a_killed_process_frees_its_run_and_its_claims(open_store, asked, hold):
    child = hold(open_store.args[0], asked()[0])
    assert child.stdout.readline() == "held\n"
    async with open_store() as store:
        for stop in (0, signal.SIGSTOP):
            child.send_signal(stop)
            with pytest.raises(RunBusy, match=rf"process {child.pid} on host"):
                store.begin_run("a-1", "a", b"")
        waiting = asyncio.create_task(store.claim(asked()[0]))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        child.kill()
        assert await asyncio.wait_for(waiting, 10) is None
        assert store.find_run("a-1").status == "stopped"
        assert store.begin_run("a-1", "a", b"").status == "running"
        assert store.sessions.list_living() == [store.sessions.own]


@pytest.mark.soak
@pytest.mark.parametrize("shown", [True, False])
async def test_calls_of_a_suspended_process_wait(tmp_path, asked, monkeypatch, caplog, hold, shown):
    """The process is suspended after, or before, it has shown which calls it claims."""
    monkeypatch.setattr(claims, "_LONG", 0.2)
    keys = [asked(number)[0] for number in range(12)]
    child = hold(tmp_path, *keys)
    assert child.stdout.readline() == "held\n"
    async with Store.open(tmp_path) as store:
        if shown:  # by now the child has shown its claims
            assert await store.claim(asked(12)[0]) is None
        child.send_signal(signal.SIGSTOP)
        wanted = keys if shown else [asked(12)[0]]
        with caplog.at_level(logging.WARNING, "moot.ledger"):
            waiting = [asyncio.create_task(store.claim(key)) for key in wanted]
            done, _ = await asyncio.wait(waiting, timeout=1)
        assert not done
        (said,) = [each.getMessage() for each in caplog.records]
        assert said.startswith(f"process {child.pid} on host ")
        told = "holds 12 calls that this one has waited for" if shown else "may be suspended"
        assert told in said
        if not shown:
            child.send_signal(signal.SIGCONT)
            assert await waiting[0] is None
            waiting = [asyncio.create_task(store.claim(key)) for key in keys]
            done, _ = await asyncio.wait(waiting, timeout=0.1)
            assert not done
        child.kill()
        assert await asyncio.gather(*waiting) == [None] * 12
        assert store.count_shared() == {}
