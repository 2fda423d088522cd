"""What goes wrong while a store is open: full disks, damage, other processes."""

import asyncio
import sqlite3
import threading
import time
from pathlib import Path
from random import randbytes

import pytest

from moot.core.calls import Call, Reply
from moot.core.errors import LeaseLost, StoreError
from moot.core.events import Failed, Opened, Transcript
from moot.core.ports import Limits
from moot.core.questions import Question
from moot.ledger.locks import LOCKS
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath

BIG = Reply(text="x" * 20_000)
ASKED = Question(id="q", kind="text", text="?")
OPENED = Opened(question=ASKED, protocol="p", settings={}, pack="")
DEBATE = Transcript((OPENED, Failed(kind="E", reason=randbytes(100_000).hex())))


async def ends(calls):
    return await asyncio.gather(*calls, return_exceptions=True)


def check(folder: Path) -> set[bytes]:
    """The identities in a store that is whole."""
    connection = sqlite3.connect(folder / STORE_FILE)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    found = {key for (key,) in connection.execute("SELECT identity FROM replies")}
    connection.close()
    return found


def limit(store: Store, pages: int) -> None:
    """Let the file have so many pages more and no further: what a full disk is to SQLite."""
    assert store.writer

    def set_limit(connection: sqlite3.Connection) -> None:
        [now] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {now + pages}")

    store.writer.do(set_limit).result()


async def test_a_full_disk_fails_who_waits_and_keeps_the_rest(tmp_path, asked):
    store = Store.open(tmp_path, patience=0.2)
    with pytest.raises(StoreError, match=r"replies that had been paid for \(\$0.0000\)"):  # noqa: PT012
        await store.record(*asked(0), BIG)
        limit(store, 20)
        outcomes: list[Reply | BaseException] = []
        for part in range(10):
            calls = [asked(part * 10 + number + 1) for number in range(10)]
            outcomes += await ends(store.record(*each, BIG) for each in calls)
        failed = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        assert failed
        assert all(isinstance(error, StoreError) for error in failed)
        assert str(store.file) in str(failed[0])
        assert "make room on the disk" in str(failed[0])
        kept = [isinstance(outcome, Reply) for outcome in outcomes]
        assert f"{kept.count(False)} replies that had been paid for" in str(outcomes[-1])
        with pytest.raises(StoreError, match="make room"):
            await store.find(b"never asked")
        limit(store, 10_000)
        assert await store.record(*asked(999), BIG) == BIG
        await store.close()
    lasting = {asked(number)[0] for number, is_kept in enumerate(kept, start=1) if is_kept}
    assert check(tmp_path) == lasting | {asked(0)[0], asked(999)[0]}


async def test_one_row_that_cannot_be_stored_does_not_fail_the_others(tmp_path, asked):
    async with Store.open(tmp_path) as store:
        calls = [*map(asked, range(5)), asked(5, repeat=2**70)]
        outcomes = await ends(store.record(*each, BIG) for each in calls)
        assert outcomes[:5] == [BIG] * 5
        assert isinstance(outcomes[5], StoreError)


async def test_what_is_small_fails_alone(tmp_path):
    def wrong(connection):
        connection.execute("INSERT INTO runs (key) VALUES (NULL)")

    async with Store.open(tmp_path) as store:
        store.begin_session().result()
        writer = store.writer
        begun = asyncio.create_task(store.open_debate("s-1", "s", b""))
        writer.do(lambda _: time.sleep(0.1))
        broken = writer.do(wrong, small=True)
        assert (await begun)[0].name == "s"
        with pytest.raises(StoreError):
            broken.result()
    async with Store.open(tmp_path, readonly=True) as store:
        assert [run.key for run in store.runs()] == ["s-1"]


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
async def test_a_store_that_is_gone_is_noticed_and_saved(tmp_path, asked, monkeypatch, how):
    monkeypatch.setattr("moot.ledger.sqlite._CHECK", 0.0)
    folder = tmp_path / "store"
    store = Store.open(folder)
    for number in range(20):
        await store.record(*asked(number), BIG)
    if how == "moved":
        folder.rename(tmp_path / "elsewhere")
    else:
        for each in folder.iterdir():
            each.unlink()
    if how == "replaced":
        (folder / STORE_FILE).write_bytes(b"")
    await store.record(*asked(20), BIG)
    async with asyncio.timeout(5):
        while not store.blocked:
            await asyncio.sleep(0.01)
    with pytest.raises(StoreError, match="removed, moved or replaced while it was in use"):
        await store.find(asked(999)[0])
    with pytest.raises(StoreError, match="removed, moved or replaced") as told:
        await store.close()
    saved = folder / (f"{STORE_FILE}-saved-1" if how == "replaced" else STORE_FILE)
    assert str(saved) in str(told.value)
    if how == "replaced":
        saved.rename(folder / STORE_FILE)
    async with Store.open(folder, readonly=True) as again:
        assert all([await again.find(asked(number)[0]) for number in range(21)])


async def test_calls_go_on_once_a_lock_is_gone_and_work_is_refused_for_another_reason(tmp_path):
    """The lease of a process that was cut off is lost, for example: its replies are written."""
    async with Store.open(tmp_path) as store:
        attempts = []

        def work(_):
            attempts.append(1)
            if len(attempts) == 1:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            raise LeaseLost("another process has it")

        with pytest.raises(LeaseLost):
            await store.change(work)
        assert len(attempts) == 2
        assert not store.blocked


async def test_a_store_that_cannot_be_locked_leaves_no_thread(tmp_path):
    (tmp_path / LOCKS).mkdir()
    before = {*threading.enumerate()}  # a store of another test may be ending
    with pytest.raises(StoreError, match=r"moot\.locks"):
        Store.open(tmp_path)
    assert not [each for each in threading.enumerate() if each not in before]


async def test_a_debate_that_finds_no_room_is_told_of_once_and_no_call_is_made(tmp_path, asked):
    with pytest.raises(KeyError) as caught:  # noqa: PT012  the exit is what is tested, too
        async with Store.open(tmp_path, patience=0.2) as store:
            run = store.begin_run("a", "a", b"").id
            limit(store, 5)
            await store.save_debate(run, "x", "d", "q", 0, DEBATE, {})
            async with asyncio.timeout(5):
                while not store.blocked:
                    await asyncio.sleep(0.01)
                for use in (store.find(asked()[0]), store.flush()):
                    with pytest.raises(StoreError, match="make room on the disk"):
                        await use
            await store.flush()
            await store.save_debate(run, "x", "d", "q", 0, DEBATE, {})
            raise KeyError("mine")
    assert "make room" in caught.value.__notes__[0]
    assert check(tmp_path) == set()


class _Two(Scripted):
    """A model that takes two calls at once."""

    limits = Limits(concurrency=2)


async def test_a_store_another_holds_is_waited_for_and_no_model_is_asked(tmp_path, asked):
    store, count = Store.open(tmp_path, patience=0.2), 0

    async def answer(_: Call) -> str:
        nonlocal count
        count += 1
        return "4"

    path, model = CallPath(store), _Two(answer, name="a")
    calls = [asked(number) for number in range(40)]
    await path.reply(model, *calls[0][1:])
    other = sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for use in (lambda: store.begin_run("a", "a", b""), lambda: Store.open(tmp_path, patience=0.2)):
        with pytest.raises(StoreError, match="another process holds it"):
            use()
    in_hand = asyncio.create_task(store.record(*asked(999), BIG))
    while not store.blocked:
        await asyncio.sleep(0.01)
    asking = [asyncio.create_task(path.reply(model, *each[1:])) for each in calls[1:]]
    await asyncio.sleep(0.5)  # longer than its patience: a reply is in hand
    assert (in_hand.done(), count) == (False, 1)
    other.execute("ROLLBACK")
    other.close()
    assert {reply.text for reply in await asyncio.gather(*asking)} == {"4"}
    assert (await in_hand, count) == (BIG, 40)
    await store.close()


async def test_who_gives_up_on_a_held_store_hears_of_it(tmp_path, asked, caplog, monkeypatch):
    monkeypatch.setattr("moot.ledger.connect.BUSY", 0.05)
    store = Store.open(tmp_path, patience=0.2)
    run = store.begin_run("a-1", "a", b"").id
    other = sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process holds it"):
        await asyncio.to_thread(store.set_status, run, "stopped")
    other.execute("COMMIT")
    async with asyncio.timeout(5):
        assert await store.find(asked()[0]) is None  # calls go on once the lock is gone
    other.execute("BEGIN IMMEDIATE")
    paid = Reply(text="4", cost=0.5)
    replies = [asyncio.create_task(store.record(*asked(each), paid)) for each in range(3)]
    await asyncio.sleep(1.5)
    assert "another process holds it; no call is made meanwhile" in caplog.text
    with pytest.raises(StoreError, match=r"3 replies that had been paid for \(\$1.5000\)"):
        await store.close()
    assert [type(each) for each in await ends(replies)] == [StoreError] * 3
    other.close()
