import asyncio
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from moot.core.errors import InputError, StoreError, UnknownName
from moot.ledger.locks import LOCKS
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE
from moot.ledger.values import Span, Update
from moot.ledger.watermark import note_path


async def test_a_run_is_found_by_key_name_or_prefix(open_store):
    async with open_store() as store:
        for key, name in [("light-1a", "light"), ("light-2b", "light"), ("dark-3c", "dark")]:
            store.begin_run(key, name, b"")
        assert store.find_run("light-1a").key == "light-1a"
        assert store.find_run("light").key == "light-2b"
        assert store.find_run("da").key == "dark-3c"
        with pytest.raises(InputError, match="light-2b, light-1a"):
            store.find_run("li")
        with pytest.raises(UnknownName) as caught:
            store.find_run("ligth")
        assert caught.value.nearest == "light"
        with pytest.raises(UnknownName):
            store.find_run("")


async def test_debates_come_back_in_order_and_by_filter(transcript, open_store):
    async with open_store() as store:
        run, other = (store.begin_run(key, key, b"").id for key in ("a", "b"))
        questions = [f"q{number:03}" for number in range(50)]
        keys = list(product(("debate", "vote"), ("chess", "sums"), questions, (0, 1)))
        for key in reversed(keys):
            values = {"accuracy": 1.0, "cost": None}
            await store.save_debate(run, *key, transcript(key[2]), values)
        await store.save_debate(other, "debate", "sums", "q000", 0, transcript(), {})
        await store.flush()
        found = list(store.debates(run))
        assert [(row.arm, row.dataset, row.question, row.replicate) for row in found] == keys
        assert [tuple(row)[:4] for row in store.values(run)] == keys
        some = list(store.debates(run, arm="vote", question="q007"))
        assert [(row.dataset, row.replicate) for row in some] == [
            *(("chess", 0), ("chess", 1), ("sums", 0), ("sums", 1))
        ]
        assert len(list(store.debates(run, dataset="sums"))) == 200
        assert list(store.debates(run, arm="vot")) == []
        assert some[0].transcript == transcript("q007")
        assert some[0].values == {"accuracy": 1.0, "cost": None}


async def test_a_debate_replaces_the_earlier_one_of_its_key(transcript, open_store):
    async with open_store() as store:
        run = store.begin_run("a", "a", b"").id
        await store.save_debate(run, "x", "d", "q1", 0, transcript(failed=True), {"accuracy": 0.0})
        await store.save_debate(run, "x", "d", "q1", 0, transcript(), {"accuracy": 1.0})
        await store.save_debate(run, "x", "d", "q2", 0, transcript("q2", failed=True), {})
        await store.flush()
        found = [(*row[2:],) for row in store.values(run)]
        assert found == [("q1", 0, False, {"accuracy": 1.0}), ("q2", 0, True, {})]
        assert [row.failed for row in store.debates(run)] == [False, True]


async def test_each_debate_takes_a_replicate_that_none_has_taken(transcript, open_store):
    async with open_store() as store, open_store() as other:
        begun = [each.open_debate("a-1", "a", b"", None) for each in (store, other) * 5]
        took = [replicate for _, replicate in await asyncio.gather(*begun)]
        assert sorted(took) == list(range(10))
        assert (await store.open_debate("a-1", "a", b"", 3))[1] == 3  # named, and taken before
        assert (await store.open_debate("a-1", "a", b"", 20))[1] == 20
        assert (await other.open_debate("a-1", "a", b"", None))[1] == 21
        store.set_status(1, "done")
        run, took = await store.open_debate("a-1", "a", b"", None)
        assert (took, store.find_run("a-1").status) == (22, "done")  # it may wait, and never begin
    async with open_store() as store:
        assert await store.open_debate("a-1", "a", b"", None) == (run, 23)
        row = store.begin_run("b-1", "b", b"")  # what an older moot has held counts, too
        await store.save_debate(row.id, "x", "d", "q1", 4, transcript(), {})
        await store.flush()
        assert (await store.open_debate("b-1", "b", b"", 0))[1] == 0
        assert (await store.open_debate("b-1", "b", b"", None))[1] == 5


async def test_a_run_is_made_once_and_listed_newest_first(open_store):
    async with open_store() as store:
        first = store.begin_run("a-1", "a", b"one")
        store.begin_run("b-2", "b", b"two")
        assert store.begin_run("a-1", "other", b"three") == first
        assert (first.key, first.name, first.study, first.status) == ("a-1", "a", b"one", "running")
        store.set_status(first.id, "done")
        listed = [(run.key, run.status) for run in store.runs()]
        assert listed == [("b-2", "running"), ("a-1", "done")]
    for use in (store.runs, lambda: store.begin_run("a", "a", b"")):
        with pytest.raises(StoreError, match="closed"):
            use()
    async with open_store(readonly=True) as store:
        assert [run.key for run in store.runs()] == ["b-2", "a-1"]
        with pytest.raises(StoreError, match="for reading only"):
            store.begin_run("a", "a", b"")


async def test_debates_wait_for_a_disk_that_is_slower(transcript, tmp_path):
    async with Store.open(tmp_path) as store:
        run = store.begin_run("a", "a", b"").id

        async def save() -> None:
            for number in range(1500):
                await store.save_debate(run, "x", "d", str(number), 0, transcript(), {})

        with closing(sqlite3.connect(store.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            saving = asyncio.create_task(save())
            await asyncio.sleep(0.3)
            assert store.writer
            assert store.writer.backlog() < 1000
            assert not saving.done()
            other.execute("COMMIT")
        await saving
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == [STORE_FILE, note_path(Path(STORE_FILE)).name, LOCKS]
    async with Store.open(tmp_path, readonly=True) as store:
        assert len(list(store.values(run))) == 1500


async def test_what_is_read_while_others_write_is_whole_with_any_text(transcript, open_store):
    texts = ["\x00", "\ud800 x \udc00", "\u202eabc", "{{ 7 * 7 }}", "é" * 10**6]
    async with open_store() as store, open_store() as other:
        run = store.begin_run("a", "a", b"").id
        for number in range(200):
            told = transcript(text=texts[number]) if number < 5 else transcript()
            await store.save_debate(run, "x", "d", f"{number:03}", 0, told, {})
        await store.flush()
        seen = []
        for row in store.debates(run):
            seen.append(row.question)
            if int(row.question) < 5 and not row.replicate:
                said = texts[int(row.question)].replace("\ud800", "\ufffd")
                assert row.transcript.turns[0].text == said.replace("\udc00", "\ufffd")
            await other.save_debate(run, "x", "d", row.question, 1, transcript(), {})
            await other.flush()
        assert sorted(set(seen)) == [f"{number:03}" for number in range(200)]


NEW = b'{"calls":5.0}'


@pytest.fixture
async def store(open_store, transcript):
    """An open store, and in ``held`` a debate."""
    async with open_store() as opened:
        opened.held = transcript()
        yield opened


async def keep(store, run, *questions, **values):
    for question in questions:
        await store.save_debate(run, "arm", "set", question, 0, store.held, values or {"calls": 1})
    await store.flush()


def kept(store, run):
    return {row.question: row.values for row in store.values(run)}


async def test_debates_are_found_by_place_between_those_of_other_runs(store):
    one = store.begin_run("one", "one", b"").id
    two = store.begin_run("two", "two", b"").id
    assert store.debate_values.find_span(one) == Span(0, -1, 0)
    await keep(store, one, "a", "b")
    await keep(store, two, "a")
    await keep(store, one, "c")
    assert store.debate_values.find_span(one) == Span(1, 4, 3)
    assert store.debate_values.find_span(two) == Span(3, 3, 1)
    found = store.debate_values.read_span(one, 1, 4)
    assert [each.number for each in found] == [1, 2, 4]
    assert {each.values for each in found} == {b'{"calls":1}'}
    assert [each.number for each in store.debate_values.read_span(one, 2, 3)] == [2]


async def test_a_debate_that_was_held_or_measured_since_it_was_read_stays_as_it_is(store):
    run = store.begin_run("one", "one", b"").id
    await keep(store, run, "a", "b", "c")
    read = store.debate_values.read_span(run, 1, 3)
    await keep(store, run, "c", calls=7)
    assert await store.debate_values.replace([Update(2, read[1].stored, b'{"calls":6.0}')]) == 1
    updates = [Update(each.number, each.stored, NEW) for each in read]
    assert await store.debate_values.replace(updates) == 1
    assert kept(store, run) == {"a": {"calls": 5}, "b": {"calls": 6}, "c": {"calls": 7}}
    assert await store.debate_values.replace([]) == 0


async def test_all_of_a_group_are_replaced_or_none(store, open_store):
    run = store.begin_run("one", "one", b"").id
    await keep(store, run, "a", "b")
    first, second = store.debate_values.read_span(run, 1, 2)
    wrong = Update(second.number, second.stored, None)
    with pytest.raises(TypeError):  # what stands there may not be nothing
        await store.debate_values.replace([Update(first.number, first.stored, NEW), wrong])
    assert all(dict(each) == {"calls": 1.0} for each in kept(store, run).values())
    await keep(store, run, "d")  # and the store goes on
    await store.debate_values.replace([Update(first.number, first.stored, NEW)])
    async with open_store(readonly=True) as other:
        assert kept(other, run)["a"] == {"calls": 5}
        with pytest.raises(StoreError, match="for reading only"):
            await other.debate_values.replace([Update(first.number, first.stored, NEW)])
