"""Runs against a server that misbehaves, and killed ones: retried or failed, never lost."""

import json
import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

import moot
from moot.core.calls import Call, Draw, Message, Sampling
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from support.chaos import Chaos, start_chaos
from support.commands import run_command
from support.forks import Fork
from support.stored import read_debates, read_states
from support.sums import sums

KEY = "sk-secret-0123456789"
TRIED_AGAIN = ["429x2", "429x1+after=0.05", "resetx2", "malformedx1", "gatewayx1", "storm=0.4"]
NOT_TRIED_AGAIN = {"400": "RefusedError", "context": "ContextTooLong"}
ENDS_THE_RUN = {
    "401": "the key in MOOT_API_KEY is not accepted|set MOOT_API_KEY",
    "403": "the key in MOOT_API_KEY is not accepted|set MOOT_API_KEY",
    "404": "is the model's name right",
    "quota": "is used up",
}


def study(url, directive, n=3, **more):
    arms = [{"protocol": "society-of-minds", "agents": 2, "rounds": 2}]
    more = {"retry": {"first": 0.01, "attempts": 20}} | more
    return sums("chaos", f"{url}/{directive}?timeout=5", n, arms, **more)


async def transcripts(store, run):
    return [debate.transcript for debate in await read_debates(store, run)]


@pytest.mark.parametrize("directive", TRIED_AGAIN)
async def test_what_may_pass_is_tried_again_and_counted(tmp_path, directive):
    async with Chaos() as server:
        outcome = await moot.run(study(server.url, directive), store=tmp_path)
        [arm] = outcome.results.arms
        assert (outcome.done, outcome.failed) == (3, 0)
        assert arm.calls == 12
        assert arm.retries == len(server.seen) - arm.calls > 0
        turns = [turn for each in await transcripts(tmp_path, outcome.run) for turn in each.turns]
        assert sum(turn.retries for turn in turns) == arm.retries


@pytest.mark.parametrize("directive", NOT_TRIED_AGAIN)
async def test_what_will_not_pass_fails_its_question_at_once(tmp_path, directive):
    async with Chaos() as server:
        outcome = await moot.run(study(server.url, directive), store=tmp_path)
        assert (outcome.done, outcome.failed) == (3, 3)
        assert outcome.results.arms[0].accuracy.mean == 0
        assert len(server.seen) == len({entry["identity"] for entry in server.seen})
        for each in await transcripts(tmp_path, outcome.run):
            assert NOT_TRIED_AGAIN[directive] in each.failed.kind


@pytest.mark.parametrize("directive", ENDS_THE_RUN)
async def test_what_every_call_would_meet_is_told_once_and_ends_the_run(tmp_path, directive):
    async with Chaos() as server:
        many = study(server.url, directive, n=50, at_once=4)
        with pytest.raises(InputError, match=ENDS_THE_RUN[directive]) as caught:
            await moot.run(many, store=tmp_path)
        assert "the run stops here" in str(caught.value)
        assert len(server.seen) <= 8  # two agents in each of the debates that had begun
    assert await read_states(tmp_path) == ["stopped"]
    async with open_lab(tmp_path, readonly=True) as lab:
        [run] = lab.store.runs()
        assert not list(lab.store.debates(run.id))  # it says nothing of any question


async def test_a_wrong_model_name_names_the_right_ones_and_the_corrected_run_is_whole(tmp_path):
    async with Chaos() as server:
        server.models = ["ok"]
        with pytest.raises(InputError, match=r"no such model: .*unknown model .*Valid: ok"):
            await moot.run(study(server.url, "404", n=20), store=tmp_path)
        outcome = await moot.run(study(server.url, "ok", n=20), store=tmp_path)
    assert (outcome.done, outcome.failed, outcome.stopped) == (20, 0, None)


@pytest.fixture(scope="module")
def another_process(tmp_path_factory):
    """Run the server in another process. Returns its address."""
    with start_chaos(tmp_path_factory.mktemp("chaos")) as (url, _):
        yield url


@pytest.mark.parametrize("directive", ["401+echo", "400+echo", "ok", "500x1+echo"])
def test_the_key_appears_nowhere(tmp_path, another_process, directive):
    """Not on the terminal, in the store, in the report, nor in an error that quotes it back."""
    url = f"{another_process}/{directive}"
    options = ["--model", url, "--protocol", "single", "--kind", "number", "--store", tmp_path]
    told = ""
    for command in (["ask", "2 + 2?", *options], ["show", "ask", "--store", tmp_path],
                    ["report", "ask", "--store", tmp_path]):  # fmt: skip
        _, out, err = run_command(tmp_path, *command, MOOT_API_KEY=KEY)
        told += out + err
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"2 + 2?" in written
    assert KEY not in told
    assert KEY.encode() not in written


Asked = tuple[str, tuple[Message, ...], Sampling]
KILLED = """
name = "crash"
baseline = "single"
retry = { first = 0.01, attempts = 20 }
settings = { model = "{url}/storm=0.05?concurrency=8", temperature = 0.7 }
datasets = [{ name = "arithmetic", n = 60 }]
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
    query, found = "SELECT request, replicate, seat, repeat FROM replies", set()
    with closing(sqlite3.connect(store / "moot.db")) as connection:
        for request, *draw in connection.execute(query):
            model, messages, sampling = msgspec.json.decode(request, type=Asked)
            call = Call(model=model, messages=messages, sampling=sampling, draw=Draw(*draw))
            key = [msgspec.to_builtins(messages), call.seed(), model.rpartition("/")[2]]
            told = json.dumps(key, sort_keys=True).encode()
            found.add(blake2b(told, digest_size=8).hexdigest())
    return found


def arms(output: str) -> list[dict]:
    """The results per arm, without what depends on how often a reply was replayed or tried."""
    told = json.loads(output)["results"]["arms"]
    timed = ("replayed", "retries", "seconds", "others")
    return [{key: value for key, value in arm.items() if key not in timed} for arm in told]


@pytest.mark.soak
def test_twenty_kills_change_nothing_and_nothing_recorded_is_asked_again(server, tmp_path, forks):
    url, log = server
    file, store = tmp_path / "study.toml", tmp_path / "disturbed"
    file.write_text(KILLED.replace("{url}", url))

    def start(store: Path) -> Fork:
        return forks.start(tmp_path, ["run", file, "--store", store, "--json"])

    def asked_since(before: int) -> set[str]:
        return {json.loads(line)["identity"] for line in lines(log)[before:]}

    undisturbed = start(tmp_path / "undisturbed").communicate(timeout=60)[0]
    draw = random.Random(20)
    kills = 0
    for _ in range(20):
        before, known = len(lines(log)), recorded(store) if kills else set()
        process = start(store)
        wanted = before + draw.randint(1, 14)
        while len(lines(log)) < wanted and process.poll() is None:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.03)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        assert not asked_since(before) & known
    assert kills == 20
    before, known = len(lines(log)), recorded(store)
    process = start(store)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert arms(output) == arms(undisturbed)
    assert asked_since(before)
    assert not asked_since(before) & known
    with closing(sqlite3.connect(store / "moot.db")) as ledger:
        assert ledger.execute("PRAGMA integrity_check").fetchone() == ("ok",)
