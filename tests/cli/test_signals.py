"""Signals end a command as Ctrl-C does, and how a run stands is what its process does."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial

import pytest

from moot.contrib.server.pages.run_progress import run_state
from moot.ledger.sqlite import open_reader
from moot.ledger.store import Store
from support.commands import SIMULATED, STUDY, environment, wait_until_begun

SLOW = STUDY.replace("n = 4", "n = 40").replace(SIMULATED, f"{SIMULATED}&latency=0.05")

HOLDS = """
import asyncio, signal, time
from moot.cli.console import catch_errors, run_async
from moot.cli.signals import signals

async def work():
    print("ready", flush=True)
    {body}

signals.install()
with catch_errors():
    run_async(work())
"""
PLANS = "end = time.monotonic() + 20\n    while time.monotonic() < end: sum(range(1000))"
LINGERS = "try: await asyncio.sleep(20)\n    finally: await asyncio.sleep(20)"
MASKED = """from threading import Thread
    Thread(target=time.sleep, args=(60,), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    await asyncio.Event().wait()"""
"""Work whose signals are delivered to another thread and interrupt no waiting of the loop."""
BLOCKS = "from threading import Lock; lock = Lock(); lock.acquire(); lock.acquire(timeout=20)"


@pytest.fixture
def holding():
    """Starts a process of the given code, at the moment it has said that it is ready."""
    processes = []

    def start(body):
        code = HOLDS.format(body=body)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-c", code], env=environment(), **pipes)
        processes.append(process)
        assert process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def start_process(tmp_path, words, **options):
    """Start a process of Python's own, whose start and end are those of a user's command."""
    command = [sys.executable, "-m", "moot", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=tmp_path, env=environment(), **pipes, **options)


def started(tmp_path, start):
    """A run of the slow study that has got its first reply."""
    (tmp_path / "slow.toml").write_text(SLOW)
    process = start(tmp_path, ["run", "slow.toml", "--json"])
    wait_until_begun(tmp_path / ".moot", process)
    return process


def status(tmp_path):
    with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as connection:
        return connection.execute("SELECT status FROM runs").fetchone()[0]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_stops_a_run_that_says_so_and_it_goes_on(tmp_path, name, forks):
    process = started(tmp_path, partial(forks.start, env=environment()))
    for _ in range(1 + (name == "SIGINT")):  # by the terminal, and by a parent that passes it on
        process.send_signal(getattr(signal, name))
        time.sleep(0.02)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + getattr(signal, name)
    assert "run again to go on" in err
    assert "Traceback" not in err
    assert status(tmp_path) == "stopped"
    if name == "SIGINT":
        again = forks.run(tmp_path, ["run", "slow.toml", "--json"], environment())
        assert (again.returncode, json.loads(again.stdout)["done"]) == (0, 80)


@pytest.mark.soak
def test_signals_that_the_parent_ignores_are_ignored(tmp_path):
    def ignoring():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = started(tmp_path, partial(start_process, preexec_fn=ignoring))
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=40)
    assert (process.returncode, status(tmp_path)) == (0, "done")


@pytest.mark.parametrize("body", [PLANS, BLOCKS, MASKED], ids=["plans", "locks", "masked"])
def test_work_that_keeps_the_loop_busy_is_interrupted(holding, body):
    process = holding(body)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 143
    assert b"Traceback" not in err
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("body", [LINGERS, BLOCKS], ids=["lingers", "waits for a lock"])
def test_a_second_signal_stops_at_once_and_is_told(holding, body):
    process = holding(body)
    process.send_signal(signal.SIGINT)
    time.sleep(0.6 if body == LINGERS else 0.4)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=5)
    assert process.returncode == 130  # of the first
    assert b"Traceback" not in err
    assert body != LINGERS or b"stopped at once" in err


@pytest.mark.soak
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_ctrl_c_at_any_moment_of_a_start_shows_no_traceback(tmp_path, delay):
    start = "import runpy; print(flush=True); runpy.run_module('moot', run_name='__main__')"
    command = [sys.executable, "-c", start, "protocols"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), **pipes)
    process.stdout.readline()  # Python itself has begun
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode in {130, -signal.SIGINT, 0}
    if process.returncode == 130:
        assert b"Traceback" not in err


SLOWER = "at_once = 2\n" + STUDY.replace("n = 4", "n = 40").replace(
    SIMULATED, f"{SIMULATED}&latency=0.3"
)


@pytest.fixture
def running(tmp_path, forks):
    """A run under way, in a process of its own."""
    (tmp_path / "slow.toml").write_text(SLOWER)
    process = forks.start(tmp_path, ["run", "slow.toml", "--json"], environment())
    wait_until_begun(tmp_path / ".moot", process)
    yield process
    process.kill()
    process.communicate()


def listed(moot):
    [row] = json.loads(moot("show", "--json")[1])
    return row["status"], row["process"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_names_its_process_and_is_stopped_when_that_is_gone(moot, running, tmp_path, sent):
    status, process = listed(moot)
    assert status == "running"
    assert process.startswith(f"process {running.pid} on host ")
    assert f"running ({process})" in moot("show")[1]
    running.send_signal(sent)
    running.wait(timeout=20)
    assert listed(moot) == ("stopped", None)
    shown = moot("show")[1]
    assert ("stopped" in shown, "running" in shown) == (True, False)
    assert "stopped: these are the " in moot("show", "small")[1]
    assert " · stopped · reported by moot" in moot("report", "small", "--no-figures")[2]
    file = tmp_path / ".moot" / "moot.db"
    with open_reader(file) as reader:
        [listing] = reader.list_runs("small", other=False, before=None, most=9)
        assert listing.row.status == reader.run(listing.row.key).status == "stopped"
        told = run_state(listing.row, listing.standing, time.time()).words
        assert told == "interrupted before its end"
    store = Store.open(file.parent, readonly=True)
    assert [row.status for row in store.runs()] == ["stopped"]
