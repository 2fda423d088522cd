"""Records that are not what was written are told of, and the end of a thread is told to all."""

import asyncio
import pickle
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.ledger.sqlite import open_reader
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE

WRONG = [b'{"text":"5"}', b'{"text":"4', b'{"text":"\xff"}', b"", b"\x00" * 10, "{}", 7, 0.5]
WRONG += [b'{"text":' + b"[" * 100_000, b'{"events":[]}']


async def ends(calls):
    return await asyncio.gather(*calls, return_exceptions=True)


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as connection:
        connection.execute(statement, values)
        connection.commit()


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("readonly", [True, False])
async def test_a_damaged_reply_is_named_and_others_are_given(tmp_path, asked, wrong, readonly):
    async with Store.open(tmp_path) as store:
        for number in range(3):
            await store.record(*asked(number), Reply(text="4"))
    change(tmp_path, "UPDATE replies SET reply = ? WHERE id = 2", wrong)
    async with Store.open(tmp_path, readonly=readonly) as store, asyncio.timeout(5):
        found = await ends(store.find(asked(number)[0]) for number in range(3))
        assert [each.text for each in (found[0], found[2])] == ["4", "4"]
        assert isinstance(found[1], DamagedError)
        told = str(found[1])
        where = f"store {tmp_path / STORE_FILE}"
        assert told.startswith(f"{where}: reply 2 of model 'scripted/a', recorded ")
        assert "it was not asked again" in told
        assert "`moot store repair`" in told


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("column", ["transcript", "metrics"])
async def test_a_damaged_debate_is_told_of_by_all_readers(transcript, tmp_path, column, wrong):
    async with Store.open(tmp_path) as store:
        run = store.begin_run("a", "a", b"").id
        await store.save_debate(run, "x", "d", "q", 0, transcript(), {"calls": 1})
    change(tmp_path, f"UPDATE debates SET {column} = ?", wrong)
    if not isinstance(wrong, bytes):
        change(tmp_path, "UPDATE debates SET values_digest = NULL, transcript_digest = NULL")
    async with Store.open(tmp_path, readonly=True) as store:
        with pytest.raises(DamagedError, match="'q' of d, arm 'x'"):
            assert [row.transcript for row in store.debates(run)]
        with pytest.raises(DamagedError):
            store.debate_values.read_span(run, 0, 9)
        if column == "metrics":
            with pytest.raises(DamagedError):
                list(store.values(run))
    with open_reader(tmp_path / STORE_FILE) as reader:
        reads = {
            "metrics": lambda: list(reader.list_debates(run)),
            "transcript": lambda: reader.transcript(run, ("x", "d", "q", 0)),
        }
        with pytest.raises(DamagedError):
            reads[column]()


def die(kind: type[BaseException]):
    def work(_: sqlite3.Connection) -> None:
        raise kind("out of order")

    return work


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
async def test_the_end_of_the_thread_is_told_to_all(tmp_path, asked, kind):
    store = Store.open(tmp_path)
    writer = store.writer
    begun = threading.Event()
    writer.do(lambda _: begun.wait(5))
    end = writer.do(die(kind))
    replies = [store.record(*asked(number), Reply(text="4")) for number in range(9)]
    waiting = [asyncio.create_task(each) for each in (*replies, store.flush())]
    await asyncio.sleep(0.05)
    begun.set()
    async with asyncio.timeout(5):
        outcomes = await ends(waiting)
        assert {type(each) for each in outcomes} <= {StoreError, Reply}
        assert isinstance(outcomes[-1], StoreError)
        assert kind.__name__ in str(outcomes[-1])
        assert isinstance(end.exception(timeout=5), StoreError)
        with pytest.raises(StoreError, match=kind.__name__):
            store.begin_run("a", "a", b"")
        asked_later = (store.record(*asked(77), Reply(text="4")), store.find(asked(77)[0]))
        for use in (*asked_later, store.close()):
            with pytest.raises(StoreError, match=kind.__name__):
                await use


async def test_memory_that_runs_out_in_a_look_is_told_to_all(tmp_path, asked, monkeypatch):
    async with Store.open(tmp_path) as store:
        await store.record(*asked(1), Reply(text="4"))

        def fail(_: object) -> None:
            raise MemoryError

        monkeypatch.setattr(store.database, "_find_replies", fail)
        async with asyncio.timeout(5):
            found = await ends(store.find(asked(1)[0]) for _ in range(3))
        assert [type(each) for each in found] == [StoreError] * 3


async def test_a_reply_is_no_other_call_s_and_no_other_run_s(tmp_path, asked):
    async with Store.open(tmp_path) as store:
        store.run = store.begin_run("a", "a", b"").id
        await store.record(*asked(1), Reply(text="4"))
        await store.record(*asked(2), Reply(text="5"))
    change(tmp_path, "UPDATE replies SET reply = (SELECT reply FROM replies WHERE id = 2)")
    async with Store.open(tmp_path) as store:
        assert (await store.find(asked(2)[0])).text == "5"
        for use in (store.find(asked(1)[0]), store.record(*asked(1), Reply(text="4"))):
            with pytest.raises(DamagedError, match="not what was written"):
                await use
        assert await store.record(*asked(3), Reply(text="4")) == Reply(text="4")
        assert store.request(asked(1)[0]) == asked(1)[1]
    change(tmp_path, "UPDATE replies SET run = NULL")
    async with Store.open(tmp_path) as store:
        with pytest.raises(DamagedError, match="not what was written"):
            await store.find(asked(2)[0])
    for damage in ("request = x'5b'", "seat = 'a'"):
        change(tmp_path, f"UPDATE replies SET {damage} WHERE id = 1")
        async with Store.open(tmp_path) as store:
            with pytest.raises(DamagedError) as caught:
                store.request(asked(1)[0])
        change(tmp_path, "UPDATE replies SET request = ?", asked(1)[2])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


ROWS = [("created", "1e300"), ("created", "'x'"), ("status", "'odd'"), ("key", "x'61'")]
ROWS += [("study", "'{}'"), *((each, "x'61'") for each in ("arm", "dataset", "question"))]
ROWS += [(each, "CAST(x'ff' AS TEXT)") for each in ("arm", "dataset", "question")]


@pytest.mark.parametrize(("column", "wrong"), ROWS)
async def test_a_damaged_row_is_told_of(transcript, tmp_path, column, wrong):
    of_run = column in {"created", "status", "key", "study"}
    async with Store.open(tmp_path) as store:
        run = store.begin_run("a", "a", b"").id
        await store.save_debate(run, "x", "d", "q", 0, transcript(), {"calls": 1})
    change(tmp_path, f"UPDATE {'runs' if of_run else 'debates'} SET {column} = {wrong}")
    async with Store.open(tmp_path, readonly=True) as store:
        if of_run:
            with pytest.raises(DamagedError, match=r"run b?'a'"):
                store.runs()
            return
        for read in (store.values, store.debates):
            with pytest.raises(StoreError, match="moot store check"):
                list(read(run))
