"""Sessions: which processes pay with a store, and the runs that only one of them runs."""

import asyncio
import os
import socket
import sqlite3
from contextlib import closing

import pytest

from moot.core.calls import Reply
from moot.core.errors import RunBusy, StoreError
from moot.core.stored import Amount, BudgetTerms
from moot.ledger.locks import LOCKS, LockFile
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE


async def test_a_session_begins_with_the_first_run_and_ends_with_the_store(open_store):
    async with open_store() as store, open_store() as other:
        assert store.sessions.list_living() == other.sessions.list_living() == []
        run = store.begin_run("a-1", "a", b"")
        own = store.sessions.own
        assert own is not None
        assert (own.host, own.pid) == (socket.gethostname(), os.getpid())
        assert own.process == f"process {os.getpid()} on host {socket.gethostname()}"
        assert other.sessions.list_living() == store.sessions.list_living() == [own]
        assert other.sessions.of(run.id) == own
        await other.open_debate("b-1", "b", b"")
        assert {each.id for each in other.sessions.list_living()} == {1, 2}
        await other.open_debate("b-1", "b", b"")
        assert len(other.sessions.list_living()) == 2
        async with open_store(readonly=True) as reader:
            assert reader.sessions.is_alive(own.id)
            await store.close()
            assert not reader.sessions.is_alive(own.id)
            assert [each.id for each in reader.sessions.list_living()] == [2]
            assert reader.sessions.of(run.id) == own


async def test_a_run_is_run_by_one_living_session_at_a_time(open_store):
    async with open_store() as one, open_store() as two:
        run = one.begin_run("a-1", "a", b"")
        assert run.status == "running"
        assert one.begin_run("a-1", "a", b"") == run
        with pytest.raises(RunBusy, match=rf"run a-1 is being run by process {os.getpid()} on ho"):
            two.begin_run("a-1", "a", b"")
        assert two.begin_run("b-2", "b", b"").key == "b-2"
        assert two.sessions.of(run.id) == one.sessions.own
        one.set_status(run.id, "done")
        assert two.begin_run("a-1", "a", b"").id == run.id
        with pytest.raises(RunBusy):
            one.begin_run("a-1", "a", b"")
        await two.close()
        assert one.find_run("a-1").status == "stopped"  # the session that ran it has ended
        assert one.begin_run("a-1", "a", b"").id == run.id


async def test_the_process_number_and_the_host_say_nothing_about_who_lives(tmp_path):
    """A container has host names and process numbers of its own: they are for people alone."""
    async with Store.open(tmp_path) as store:
        store.begin_run("a-1", "a", b"")
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection:
        connection.execute("UPDATE sessions SET pid = ?", (os.getppid(),))
        connection.execute("UPDATE runs SET status = 'running'")
        connection.commit()
    async with Store.open(tmp_path) as store:
        assert store.sessions.list_living() == []
        assert store.begin_run("a-1", "a", b"").status == "running"


async def test_a_reader_without_a_lock_file_knows_that_nobody_lives(tmp_path):
    async with Store.open(tmp_path) as store:
        store.begin_run("a-1", "a", b"")
    (tmp_path / LOCKS).unlink()
    async with Store.open(tmp_path, readonly=True) as store:
        assert store.sessions.list_living() == []
        with pytest.raises(StoreError, match="reading only"):
            store.begin_session()
    assert not (tmp_path / LOCKS).exists()


async def test_a_number_that_a_process_still_holds_is_not_given_again(tmp_path):
    """The store was put back from an older copy under a process that goes on for a moment."""
    async with Store.open(tmp_path) as store:
        await store.flush()
    left = LockFile(tmp_path / LOCKS)
    assert left.take((1 << 62) + 1, 2)
    async with Store.open(tmp_path) as store:
        assert store.begin_run("a-1", "a", b"").status == "running"
        own = store.sessions.own
        assert own is not None
        assert own.id == 3
        assert store.sessions.list_living() == [own]
    left.close()
    async with Store.open(tmp_path) as store:
        assert (await asyncio.wrap_future(store.begin_session())).id == 4


@pytest.mark.parametrize("kept", [True, False])
async def test_no_call_is_made_once_the_lock_file_is_gone(tmp_path, asked, monkeypatch, kept):
    """One that goes after all is kept fails nothing."""
    monkeypatch.setattr("moot.ledger.sqlite._CHECK", 99.0 if kept else 0.0)
    store = Store.open(tmp_path)
    store.begin_run("a-1", "a", b"")
    if kept:
        await store.record(*asked(), Reply(text="4"))
    (tmp_path / LOCKS).unlink()
    if not kept:
        await store.record(*asked(), Reply(text="4"))
        async with asyncio.timeout(5):
            while not store.blocked:
                await asyncio.sleep(0.01)
        for use in (store.find(asked(1)[0]), store.close()):
            with pytest.raises(StoreError, match=r"moot\.locks beside it was removed or replaced"):
                await use
    else:
        await store.close()
    async with Store.open(tmp_path) as store:
        assert await store.find(asked()[0]) is not None


TERMS = BudgetTerms("run 1", 10, None, None)


async def test_a_session_that_others_have_taken_for_ended_is_told(tmp_path):
    """Their lock file is another one: each sees only the sessions of its own."""
    async with Store.open(tmp_path) as one:
        lease = one.open_lease(TERMS)
        assert (await lease.ask(Amount(), None, 3)).granted == Amount()
        (tmp_path / LOCKS).unlink()
        async with Store.open(tmp_path) as other:
            other.open_lease(TERMS)
            async with asyncio.timeout(5):
                with pytest.raises(StoreError, match="taken this one for ended"):
                    await lease.ask(Amount(1), None, 3)


async def test_two_sessions_share_what_is_left_and_an_ended_one_gives_back(open_store, asked):
    async with open_store() as one, open_store() as two:
        run = one.begin_run("a-1", "a", b"")
        terms = BudgetTerms("run a-1", 10, None, None, runs=(run.id,))
        first = one.open_lease(terms)
        one.run, one.lease = run.id, first.id
        assert first.first.granted == Amount(10)
        second = two.open_lease(terms)
        assert (await second.ask(Amount(1), None, 3)).granted is None
        assert first.is_wanted_elsewhere()
        await asyncio.gather(*[one.record(*asked(each), Reply(text="4")) for each in range(4)])
        first.give_back(Amount(5), 3)
        await one.flush()
        answer = await second.ask(Amount(2), None, 3)
        assert (answer.granted, answer.spent.calls) == (Amount(2), 4)
        first.end()
        async with asyncio.timeout(5):
            with pytest.raises(StoreError, match="the run has ended meanwhile"):
                await first.ask(Amount(1), None, 3)
        await one.flush()
        assert (await second.ask(Amount(1), None, 3)).granted == Amount(4)


async def test_what_rounding_has_left_of_a_cost_is_not_waited_for(open_store, asked):
    """A grant may be a billionth larger than what is left; no call costs so little."""
    async with open_store() as one, open_store() as two:
        run = one.begin_run("a-1", "a", b"")
        terms = BudgetTerms("run a-1", 10, None, 1.5, runs=(run.id,))
        first = one.open_lease(terms)
        one.run, one.lease = run.id, first.id
        spent = [one.record(*asked(each), Reply(text="4", cost=0.15)) for each in range(9)]
        await asyncio.gather(*spent, one.record(*asked(9), Reply(text="4", cost=0.15 - 2e-9)))
        second = two.open_lease(terms)
        answer = await second.ask(Amount(1, 0, 0.15), Amount(1, 0, 0.15), 3)
        assert (answer.granted, answer.elsewhere) == (None, False)
