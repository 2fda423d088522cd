"""A run that is killed at random moments loses nothing that was recorded, and pays for it once."""

import json
import os
import random
import signal
import sqlite3
import time
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from moot.core.calls import Call, Draw, Message, Sampling
from support.chaos import start_chaos
from support.forks import Fork

Asked = tuple[str, tuple[Message, ...], Sampling]
STUDY = """
name = "crash"
baseline = "single"
retry = { first = 0.01, attempts = 20 }
[settings]
model = "{url}/storm=0.05?concurrency=8"
temperature = 0.7
[[datasets]]
name = "arithmetic"
n = 60
[[arms]]
protocol = "single"
[[arms]]
protocol = "self-consistency"
samples = 3
[[arms]]
protocol = "society-of-minds"
"""


@pytest.fixture
def server(tmp_path):
    """A chat-completions server in a process of its own: its URL and its log."""
    with start_chaos(tmp_path, latency=0.02) as made:
        yield made


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def recorded(store: Path) -> set[str]:
    """The calls in the ledger, under the identity the server gives them."""
    connection = sqlite3.connect(store / "moot.db")
    found = set()
    for request, *draw in connection.execute(
        "SELECT request, replicate, seat, repeat FROM replies"
    ):
        model, messages, sampling = msgspec.json.decode(request, type=Asked)
        call = Call(model=model, messages=messages, sampling=sampling, draw=Draw(*draw))
        key = [msgspec.to_builtins(messages), call.seed(), model.rpartition("/")[2]]
        key = json.dumps(key, sort_keys=True)
        found.add(blake2b(key.encode(), digest_size=8).hexdigest())
    connection.close()
    return found


def arms(output: str) -> list[dict]:
    """The results per arm, without what depends on how often a reply was replayed or tried."""
    told = json.loads(output)["results"]["arms"]
    timed = ("replayed", "retries", "seconds", "others")
    return [{key: value for key, value in arm.items() if key not in timed} for arm in told]


@pytest.mark.soak
def test_twenty_kills_change_nothing_and_nothing_recorded_is_asked_again(server, tmp_path, forks):
    def start(study: Path, store: Path) -> Fork:
        return forks.start(tmp_path, ["run", study, "--store", store, "--json"])

    url, log = server
    study = tmp_path / "study.toml"
    study.write_text(STUDY.replace("{url}", url))
    undisturbed = start(study, tmp_path / "undisturbed").communicate(timeout=60)[0]
    store = tmp_path / "disturbed"
    draw = random.Random(20)
    kills = 0
    for _ in range(20):
        before, known = len(lines(log)), recorded(store) if kills else set()
        process = start(study, store)
        wanted = before + draw.randint(1, 14)
        while len(lines(log)) < wanted and process.poll() is None:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.03)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        asked = {json.loads(line)["identity"] for line in lines(log)[before:]}
        assert not asked & known
    assert kills == 20
    before, known = len(lines(log)), recorded(store)
    process = start(study, store)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert arms(output) == arms(undisturbed)
    asked = {json.loads(line)["identity"] for line in lines(log)[before:]}
    assert asked
    assert not asked & known
    integrity = sqlite3.connect(store / "moot.db").execute("PRAGMA integrity_check").fetchone()
    assert integrity == ("ok",)
