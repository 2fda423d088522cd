"""A damaged store is found to be, and put right with nothing thrown away."""

import asyncio
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from moot.cli.main import moot
from moot.core.calls import Call, Message, Reply, identity
from moot.core.errors import StoreError
from moot.core.stored import BudgetTerms, StudyRow
from moot.ledger.checking import check
from moot.ledger.log import count_lost_frames, log_of
from moot.ledger.repairing import repair
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE
from moot.ledger.watermark import Newest, note_path, read_note, set_note

STUDY = msgspec.json.encode(StudyRow(name="a", arms=(), baseline=None))
REPLY = Reply(text="y" * 500, prompt_tokens=1, completion_tokens=1, cost=0.25)


def a_call(number: int) -> tuple[bytes, Call, bytes]:
    call = Call(model="m", messages=(Message("user", f"{number} " + "x" * 2000),))
    return identity(call.request(), call.draw), call, call.request()


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A store with 60 replies, most of them in the log, as a kill leaves it: nothing is closed."""
    made, folder = (tmp_path_factory.mktemp("killed") / name for name in ("made", "left"))

    async def fill():
        async with Store.open(made) as store:
            store.run = store.begin_run("a", "a", STUDY).id
            for start in range(0, 60, 6):
                calls = [store.record(*a_call(start + more), REPLY) for more in range(6)]
                await asyncio.gather(*calls)
            shutil.copytree(made, folder)

    asyncio.run(fill())
    (folder / f"{STORE_FILE}-shm").unlink()
    return folder


@pytest.fixture
def copy(killed, tmp_path) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(killed, folder)
    return folder


async def found(folder: Path, count: int = 60) -> int:
    async with Store.open(folder) as store:
        replies = await asyncio.gather(*[store.find(a_call(number)[0]) for number in range(count)])
        return sum(reply is not None for reply in replies)


def run_sql(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / STORE_FILE)) as connection:
        connection.execute(statement, values)
        connection.commit()


SEEDS = [0, 1, 5, 6, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(7, 15))]


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_flipped_log_is_told_of_and_put_right(copy, seed):
    log, chance = log_of(copy / STORE_FILE), random.Random(seed)
    content = bytearray(log.read_bytes())
    at = chance.randrange(len(content)) if seed > 3 else chance.randrange(56)
    content[at] ^= 1 << chance.randrange(8)
    log.write_bytes(content)
    for readonly in (True, False):
        with pytest.raises(StoreError, match="moot store repair"):
            Store.open(copy, readonly=readonly)
    assert log.read_bytes() == content
    assert check(copy / STORE_FILE).damaged
    done = repair(copy / STORE_FILE)
    assert not done.missing
    assert (Path(done.kept) / log.name).read_bytes() == content
    assert await found(copy) + done.set_aside.get("reply", 0) == 60
    assert check(copy / STORE_FILE).damage == ()


def run_repair(folder: Path, *more: str, code: int = 0) -> str:
    done = CliRunner().invoke(moot, ["store", "repair", "--store", str(folder), *more])
    assert done.exit_code == code
    return done.stdout


async def test_damaged_records_are_put_right_or_set_aside(copy):
    assert await found(copy) == 60
    run_sql(copy, "UPDATE replies SET cost = 99, model = 'x', prompt_tokens = 'a' WHERE id = 1")
    run_sql(copy, "UPDATE replies SET run = 7 WHERE id = 2")
    run_sql(copy, "UPDATE replies SET request = x'00' WHERE id = 3")
    run_sql(copy, "UPDATE replies SET identity = x'00' WHERE id = 4")
    run_sql(copy, "UPDATE replies SET reply = replace(reply, 'yyy', 'yzy') WHERE id = 5")
    run_sql(copy, "UPDATE replies SET reply = CAST(reply AS BLOB) WHERE id = 5")
    run_sql(copy, "UPDATE runs SET status = 'odd'")
    before = check(copy / STORE_FILE)
    assert before.damaged == {"reply": 5, "run": 1}
    assert [each.number for each in before.damage if not each.restorable] == [5]
    done = repair(copy / STORE_FILE)
    assert (done.restored, done.set_aside) == ({"reply": 4, "run": 1}, {"reply": 1})
    assert (done.cost, done.unreadable, done.rebuilt) == (0.25, 0, False)
    after = check(copy / STORE_FILE)
    assert (after.damage, after.records["reply"], after.set_aside) == ((), 59, 6)
    assert await found(copy) == 59
    async with Store.open(copy, readonly=True) as store:
        assert store.sum_spent(1).cost == 59 * 0.25


@pytest.mark.parametrize("page", [1, 2, 5, 9])
async def test_a_file_whose_pages_are_damaged_is_written_anew(copy, page):
    assert await found(copy) == 60
    file = copy / STORE_FILE
    content = bytearray(file.read_bytes())
    content[(page - 1) * 8192 : (page - 1) * 8192 + 40] = b"\xa5" * 40
    file.write_bytes(content)
    with pytest.raises(StoreError, match="moot store repair"):
        Store.open(copy)
    assert check(file).damaged
    done = repair(file)
    assert done.rebuilt
    assert (Path(done.kept) / STORE_FILE).read_bytes() == content
    assert done.unreadable <= 8
    if done.missing:
        repair(file, accept_loss=True)
    assert check(file).damage == ()
    assert await found(copy) == 60 - done.unreadable - done.set_aside.get("reply", 0)


async def test_a_file_written_anew_keeps_what_was_paid_out_of_budgets(tmp_path, asked):
    hour = BudgetTerms("hour of a", 10, None, None, period=3600.0)
    async with Store.open(tmp_path) as store:
        lease = store.open_lease(hour)
        store.lease = lease.id
        for number in range(4):
            await store.record(*asked(number), Reply(text="y" * 9000))
        lease.end()
        for name in ("hour of b", "hour of c"):
            store.open_lease(BudgetTerms(name, 10, None, None, period=3600.0))
    content = bytearray((tmp_path / STORE_FILE).read_bytes())
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_replies_1'"
        (page,) = connection.execute(query).fetchone()
    start = 8192 * (page - 1)
    content[start : start + 64] = bytes(64)
    (tmp_path / STORE_FILE).write_bytes(content)
    assert repair(tmp_path / STORE_FILE).rebuilt
    async with Store.open(tmp_path) as store:
        for name in ("hour of b", "hour of d"):
            first = store.open_lease(BudgetTerms(name, 10, None, None, period=3600.0)).first
            assert (first.spent.calls, first.elsewhere) == (0, False)
        assert store.open_lease(hour).first.spent.calls == 4


@pytest.mark.parametrize("readonly", [False, True])
async def test_a_store_that_a_process_has_open_is_not_repaired(copy, readonly):
    """It pays nothing yet, and would write to a log that is no more."""
    code = (
        "import sys; from pathlib import Path; from moot.ledger.store import Store; "
        f"store = Store.open(Path(sys.argv[1]), readonly={readonly}); "
        "print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(copy)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"open\n"
        with pytest.raises(StoreError, match="a process has it open now"):
            repair(copy / STORE_FILE)
        child.kill()
    assert repair(copy / STORE_FILE).missing == ""
    async with Store.open(copy):
        with pytest.raises(StoreError, match="a process has it open now"):
            repair(copy / STORE_FILE)
    assert repair(copy / STORE_FILE).missing == ""


async def test_a_kill_and_a_log_whose_last_transaction_is_torn_are_no_damage(copy, tmp_path):
    shutil.copytree(copy, torn := tmp_path / "torn")
    assert count_lost_frames(copy / STORE_FILE) == 0
    assert read_note(copy / STORE_FILE) == Newest(replies=60)
    assert await found(copy) == 60
    assert check(copy / STORE_FILE).damage == ()
    log = log_of(torn / STORE_FILE)
    content = bytearray(log.read_bytes())
    # What a power cut leaves: the note is behind as well, the last transaction is half there.
    content[-9000:-5000] = bytes(4000)
    log.write_bytes(content)
    note_path(torn / STORE_FILE).unlink()
    assert count_lost_frames(torn / STORE_FILE) == 0
    assert 50 <= await found(torn) < 60


@pytest.mark.parametrize("size", [0, 20, 100_000, None])
async def test_a_log_that_was_cut_is_told_of_and_its_loss_accepted(copy, size):
    log = log_of(copy / STORE_FILE)
    content = bytearray(log.read_bytes())
    if size is None:  # flipped, and without a note
        content[len(content) // 3] ^= 1
        note_path(copy / STORE_FILE).unlink()
    log.write_bytes(content[:size])
    lost = r"has lost the newest \d+ replies"
    lost = r"[1-9]\d* changes behind the damage would be lost" if size is None else lost
    for readonly in (True, False):
        with pytest.raises(StoreError, match=lost):
            Store.open(copy, readonly=readonly)
    assert check(copy / STORE_FILE).damaged
    if size is None:
        done = repair(copy / STORE_FILE)
        assert done.log > 0
        assert await found(copy) + done.set_aside.get("reply", 0) == 60
        return
    assert "still missing: the newest " in run_repair(copy, code=1)
    with pytest.raises(StoreError, match=r"has lost"):
        Store.open(copy)
    assert "accepted as lost: the newest " in run_repair(copy, "--accept-loss")
    newest = await found(copy)
    assert newest < 60
    assert repair(copy / STORE_FILE).missing == ""
    assert await found(copy) == newest


def test_what_lost_replies_had_cost_is_not_told_as_nothing(copy):
    run_sql(copy, "UPDATE replies SET reply = x'00', cost = NULL WHERE id IN (5, 60)")
    told = run_repair(copy)
    assert "2 replies again: what they had cost is not known" in " ".join(told.split())
    assert read_note(copy / STORE_FILE).replies == 59  # the newest is set aside, and not missed
    run_sql(copy, "UPDATE replies SET reply = x'00', cost = NULL WHERE id = 6")
    run_sql(copy, "UPDATE replies SET reply = x'00' WHERE id = 7")
    wanted = "1 of them had cost $0.2500; what 1 others had cost is not known"
    assert wanted in " ".join(run_repair(copy).split())


async def test_what_is_in_use_or_not_there_is_not_repaired(copy, tmp_path):
    for work in (check, repair):
        with pytest.raises(StoreError, match="there is no store"):
            work(tmp_path / STORE_FILE)
    async with Store.open(copy) as store:
        set_note(copy / STORE_FILE, Newest(replies=59))
        store.database.mark.note(Newest(rankings=1))  # what a repair has set is not overwritten
        assert read_note(copy / STORE_FILE) == Newest(replies=59, rankings=1)
        store.begin_run("b", "b", STUDY)
        with pytest.raises(StoreError, match="a process pays with it now"):
            repair(copy / STORE_FILE)
