"""Several real processes on one store, and processes that are killed."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE

CHILD = """
import asyncio, os, sys
from pathlib import Path
from moot.core.calls import Call, Draw, Message, Reply, identity
from moot.ledger.store import Store

folder, name, start, count, workers = sys.argv[1:]

async def main():
    async with Store.open(Path(folder)) as store:
        store.run = store.begin_run(name, name, b"").id
        numbers = iter(range(int(start), int(start) + int(count)))
        new = 0
        async def work():
            nonlocal new
            for number in numbers:
                messages = (Message("user", f"{number} " + "x" * 2000),)
                call = Call(model="m", messages=messages, draw=Draw(seat=number % 3))
                key = identity(call.request(), call.draw)
                text = f"by {name} " + "y" * 600
                reply = Reply(text=text, prompt_tokens=1, completion_tokens=0, cost=0.25)
                kept = await store.record(key, call, call.request(), reply)
                assert kept.replayed or kept is reply
                new += not kept.replayed
                os.write(1, f"{key.hex()} {kept.text.split()[1]}\\n".encode())
        await asyncio.gather(*[work() for _ in range(int(workers))])
        spent = store.sum_spent(store.run)
        assert (spent.calls, spent.tokens, spent.cost) == (new, new, new / 4)

asyncio.run(main())
"""


def start(*arguments, output=PIPE) -> "subprocess.Popen[bytes]":
    """Start the child: its folder, name, first number, count and workers."""
    command = [sys.executable, "-W", "error", "-c", CHILD, *map(str, arguments)]
    return subprocess.Popen(command, stdout=output, stderr=PIPE)


def whole(folder: Path) -> dict[bytes, str]:
    """Who wrote each reply of a store that passes SQLite's own check."""
    connection = sqlite3.connect(folder / STORE_FILE)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    query = "SELECT identity, json_extract(reply, '$.text') FROM replies"
    rows = connection.execute(query).fetchall()
    connection.close()
    return {key: text.split()[1] for key, text in rows}


def said(output: bytes) -> dict[bytes, str]:
    """What a child printed, its last line left out where it was cut off."""
    lines = output[: output.rfind(b"\n") + 1].decode().splitlines()
    return {bytes.fromhex(key): by for key, by in (line.split() for line in lines)}


@pytest.mark.soak
def test_killed_ten_times_no_reply_is_lost(tmp_path):
    told: dict[bytes, str] = {}
    chance = random.Random(7)
    for life in range(10):
        log = tmp_path / "log"
        with log.open("wb") as output:
            child = start(tmp_path, f"life{life}", life * 50_000, 50_000, 64, output=output)
        while not log.stat().st_size and child.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.4))
        child.kill()
        _, errors = child.communicate()
        assert (child.returncode, errors) == (-9, b"")
        told |= said(log.read_bytes())
    assert len(told) > 500
    stored = whole(tmp_path)
    assert told.items() <= stored.items()

    async def read() -> None:
        async with Store.open(tmp_path) as store:
            assert all([await store.find(key) for key in told])
            assert sum(store.sum_spent(run.id).calls for run in store.runs()) == len(stored)

    asyncio.run(read())


def test_two_processes_share_a_store_that_they_make_at_once(tmp_path):
    pair = [start(tmp_path, name, first, 400, 16) for name, first in [("a", 0), ("b", 200)]]
    outputs = [child.communicate(timeout=120) for child in pair]
    assert [errors for _, errors in outputs] == [b"", b""]
    one, two = (said(output) for output, _ in outputs)
    assert len(one) == len(two) == 400
    assert len(one.keys() & two.keys()) == 200
    assert one | two == two | one == whole(tmp_path)


def test_a_program_that_fails_without_closing_ends_and_leaves_what_it_was_told(tmp_path):
    opened = "async with Store.open(Path(folder)) as store:"
    code = CHILD.replace(opened, "if store := Store.open(Path(folder)):")
    code = code.replace("spent = ", "raise KeyError('mine'); spent = ")
    command = [sys.executable, "-c", code, str(tmp_path), "a", "0", "50", "4"]
    child = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert child.returncode == 1
    assert b"KeyError: 'mine'" in child.stderr
    told = said(child.stdout)
    assert len(told) == 50
    assert told == whole(tmp_path)
