"""Copies of runs between stores of both kinds."""

import os
import signal
import subprocess
import sys
from itertools import count

import pytest

from moot import run
from moot.contrib.essays.rate.rankings import ComparedItem, RankingChoice, Rankings
from moot.core.calls import Call, Draw, Message, Reply, identity
from moot.core.errors import DamagedError, RunBusy
from moot.ledger.database import Record
from moot.ledger.store import Store
from moot.ledger.store_copy import StoreCopy
from moot.ledger.writer import Writer
from moot.studies.lab import open_lab
from support.commands import STUDY

FOREVER = """
import sys, time
from moot.cli.main import moot
from moot.ledger.store_copy import StoreCopy
def stop(self, *_):
    print("half", flush=True)
    time.sleep(60)
StoreCopy._copy_rest = stop
moot(["store", "copy", *sys.argv[1:]])
"""


OTHERS = ("postgresql-sqlite", "sqlite-sqlite", "postgresql-postgresql")
PAIRS = ["sqlite-postgresql", *(pytest.param(each, marks=pytest.mark.soak) for each in OTHERS)]


@pytest.fixture(params=PAIRS)
def places(request, tmp_path):
    """The places of two stores, as a user writes them."""
    made = []
    for number, kind in enumerate(request.param.split("-")):
        postgres = kind == "postgresql" and request.getfixturevalue("postgres")
        made.append(postgres.make_database() if postgres else str(tmp_path / f"s{number}"))
    return made


@pytest.fixture
def study(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(STUDY)
    return file


async def copied(places, *runs):
    async with open_lab(places[0], readonly=True) as source, open_lab(places[1]) as target:
        return await StoreCopy(source.store, target.store, lambda _: None).copy(runs)


async def test_a_copy_replays_to_the_same_verdicts_without_a_call(places, study):
    before = await run(study, store=places[0])
    (count, loose) = await copied(places)
    assert count.run == before.run
    assert count.new_debates == count.debates == before.debates
    assert count.new_replies == count.replies > 0
    assert (count.unlike, loose.replies) == (0, 0)
    async with open_lab(places[0]) as source, open_lab(places[1]) as target:
        old, new = (each.store.find_run(before.run) for each in (source, target))
        assert (old.key, old.name, old.study) == (new.key, new.name, new.study)
        assert old.status == new.status == "done"
        assert abs(old.created - new.created) < 1e-5
        assert source.store.sum_spent(old.id) == target.store.sum_spent(new.id)
        assert [*source.store.values(old.id)] == [*target.store.values(new.id)]
    second, _ = await copied(places)
    assert (second.new_debates, second.new_replies, second.unlike) == (0, 0, 0)
    assert (second.debates, second.replies) == (count.debates, count.replies)
    same = await run(study, store=places[1])
    assert same.unchanged == same.debates
    after = await run(study, store=places[1], replay=True)
    old, new = ({arm.arm: arm for arm in each.results.arms} for each in (before, after))
    assert old.keys() == new.keys()
    assert all(arm.accuracy == old[name].accuracy for name, arm in new.items())
    assert all(arm.replayed == arm.calls > 0 for arm in new.values())


async def test_one_run_brings_the_replies_that_another_has_paid(places, study, tmp_path):
    payer = await run(study, store=places[0])
    later = tmp_path / "later.toml"
    later.write_text(STUDY.replace('name = "', 'name = "later-', 1))
    copy = await run(later, store=places[0])
    assert copy.run != payer.run
    (count,) = await copied(places, copy.run)
    assert count.new_replies == count.replies > 0
    async with open_lab(places[1]) as target:
        assert [row.key for row in target.store.runs()] == [copy.run]
        assert target.store.sum_spent(target.store.find_run(copy.run).id).calls == 0
        query = "SELECT COUNT(*) FROM replies WHERE run IS NULL"
        assert target.store.query(query) == [(count.replies,)]
    (paid,) = await copied(places, payer.run)
    assert (paid.new_replies, paid.unlike) == (0, 0)
    async with open_lab(places[0]) as source, open_lab(places[1]) as target:
        both = (source.store, target.store)
        spent = [each.sum_spent(each.find_run(payer.run).id) for each in both]
        assert spent[0] == spent[1]
        assert spent[0].calls > 0


@pytest.mark.soak
async def test_a_killed_copy_is_finished_by_the_next(places, study):
    outcome = await run(study, store=places[0])
    command = [sys.executable, "-c", FOREVER, *places]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as copying:
        assert copying.stdout is not None
        assert copying.stdout.readline() == "half\n"
        with pytest.raises(RunBusy, match=f"process {copying.pid}"):
            await copied(places)
        os.kill(copying.pid, signal.SIGKILL)
    async with open_lab(places[1], readonly=True) as target:
        assert target.store.find_run(outcome.run).status == "stopped"
    count, _ = await copied(places)
    assert (count.new_debates, count.debates, count.unlike) == (0, outcome.debates, 0)
    async with open_lab(places[1], readonly=True) as target:
        assert target.store.find_run(outcome.run).status == "done"


async def test_other_replies_and_raters(places):
    call = Call(model="m", messages=(Message("user", "?"),), draw=Draw())
    asked = identity(call.request(), call.draw), call, call.request()
    choice = RankingChoice(ComparedItem("d", "q", 0), "overall", "a", 1, 1, 2)
    for place, text in zip(places, ("one", "two"), strict=True):
        async with open_lab(place) as lab:
            await lab.store.record(*asked, Reply(text=text))
    async with open_lab(places[0]) as lab:
        made = lab.store.begin_run("a-1", "a", b"")
        rater = await Rankings(lab.store).add_rater(made.id, "Ada", "key", 7)
        await Rankings(lab.store).add_choices(rater.id, [choice, choice])
        lab.store.set_status(made.id, "done")
    for _ in range(2):
        count, loose = await copied(places)
        assert (loose.replies, loose.unlike_replies, loose.new_replies) == (0, 1, 0)
    async with open_lab(places[1]) as lab:
        assert (await lab.store.find(asked[0])).text == "two"
        found = Rankings(lab.store).choices_about(lab.store.find_run(count.run).id)
        assert [(each.rater, each.choice) for each in found] == [("Ada", choice)] * 2


async def test_a_damaged_record_is_not_copied(tmp_path, study):
    places = [str(tmp_path / "one"), str(tmp_path / "two")]
    await run(study, store=places[0])
    async with Store.open(tmp_path / "one") as store:
        wrong = "UPDATE replies SET digest = digest + 1 WHERE id = 3"
        await store.change(lambda connection: connection.execute(wrong))
    with pytest.raises(DamagedError, match="not what was written"):
        await copied(places)


async def test_a_reply_with_another_request_or_date_is_said_to_differ(places, study, monkeypatch):
    """A disk, or an error of moot's own, may change what no digest is about."""
    outcome = await run(study, store=places[0])
    enqueue = Writer.enqueue
    changed = {0: (2, 1.5), 1: (12, b'["m",[["user","other"]],{}]'), 2: (9, 99.0)}
    seen = count()

    def enqueue_changed(writer, entry):
        if isinstance(entry, Record):
            row = list(entry.row)
            place, value = changed.get(next(seen), (2, row[2]))
            row[place] = value
            entry = Record(tuple(row), entry.reply, entry.future)
        enqueue(writer, entry)

    monkeypatch.setattr(Writer, "enqueue", enqueue_changed)
    first, _ = await copied(places)
    assert (first.run, first.unlike_replies) == (outcome.run, 3)
    monkeypatch.undo()
    again, _ = await copied(places)  # there already: only what makes up the call must be the same
    assert (again.new_replies, again.unlike_replies) == (0, 1)
