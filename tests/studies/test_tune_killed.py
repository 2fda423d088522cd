"""A search that is killed goes on where it was, and pays for nothing twice."""

import json
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
SCRIPT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import moot, msgspec
from moot.core.calls import identity
from moot.studies.tuning_run import tune
from support.commands import knows, study

log, store = sys.argv[2:]

async def told(call):
    with open(log, "a") as file:
        file.write(identity(call.request(), call.draw).hex() + "\\n")
    await asyncio.sleep(0.004)
    return knows(call)

limits = moot.Limits(concurrency=8)
model = moot.Scripted(told, name="planted", limits=limits)
found = asyncio.run(tune(study(40), store=store, models=[model], trials=7))
print(msgspec.json.encode(found).decode())
"""


@pytest.fixture
def start(forks, tmp_path):
    """Begin the search in a process of its own."""
    return lambda log, store: forks.start(tmp_path, ["-c", SCRIPT, HERE, log, store])


def asked(log):
    return log.read_text().splitlines() if log.exists() else []


def recorded(store):
    if not (store / "moot.db").exists():
        return set()
    with sqlite3.connect(store / "moot.db") as connection:
        return {key.hex() for (key,) in connection.execute("SELECT identity FROM replies")}


def outcome(process):
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    told = json.loads(out)
    return told["trials"], told["arm"], told["test"]["difference"], told["spent"]


@pytest.mark.soak
def test_kills_change_nothing_and_nothing_recorded_is_asked_again(tmp_path, start):
    log, store = tmp_path / "log", tmp_path / "disturbed"
    undisturbed = outcome(start(tmp_path / "other", tmp_path / "undisturbed"))
    whole = len(asked(tmp_path / "other"))
    draw = random.Random(2)
    for _ in range(2):
        before, known = len(asked(log)), recorded(store)
        process = start(log, store)
        wanted = before + whole // 4 + draw.randint(0, 9)
        while len(asked(log)) < wanted:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert not set(asked(log)[before:]) & known
    before, known = len(asked(log)), recorded(store)
    assert outcome(start(log, store)) == undisturbed
    assert len(asked(log)) > before
    assert not set(asked(log)[before:]) & known
    assert recorded(store) == recorded(tmp_path / "undisturbed")
