"""Workers die, keys stay secret, and Ctrl-C lets what is in flight end."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import moot
from support.chaos import Chaos
from support.commands import environment
from support.named_calls import CallAccount, NamedCalls
from support.stored import read_spent, read_states
from support.sums import sums

KEY = "sk-7a91c2-of-nobody"
pytestmark = pytest.mark.soak


def make_study(server, n=12):
    model = {"base": server.url, "model": "ok", "key_env": "OWN_KEY", "concurrency": 8}
    return sums("killed", "own", n, [{"protocol": "society-of-minds"}], models={"own": model})


def find_workers():
    """Return the processes of the workers: they are this process's alone, for tests start them."""
    found = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::ChunkWorker" in command.read_bytes():
                found.append(int(command.parent.name))
        except OSError:
            continue
    return found


def is_below(process, above):
    """Return whether a process is a descendant of another."""
    while process > 1:
        stat = Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
        if process == above:
            return True
    return False


async def until(what, seconds=60.0):
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.02)


async def kill_worker(account):
    """Kill the worker that has made most calls, while some are in flight, and count these.

    It is suspended first, so that all it has sent has arrived when its calls are counted.
    """
    workers = [each for each in find_workers() if is_below(each, os.getpid())]
    victim = max(workers, key=lambda each: len(account.find_calls(each)))
    async with asyncio.timeout(60):
        while True:
            os.kill(victim, signal.SIGSTOP)
            await asyncio.sleep(0.4)
            if lost := await account.find_flying(account.find_calls(victim)):
                break
            os.kill(victim, signal.SIGCONT)
            await asyncio.sleep(0.05)
    os.kill(victim, signal.SIGKILL)
    account.lost.update(lost)


async def test_a_worker_that_is_killed_costs_no_more_than_its_calls_in_flight(
    ray, address, monkeypatch
):
    """A call is in flight from its request until its reply is in the store."""
    monkeypatch.setenv("OWN_KEY", KEY)
    async with NamedCalls(latency=0.1) as server:
        running = asyncio.create_task(
            moot.run(make_study(server, 20), store=address, ray="", workers=2)
        )
        account = CallAccount(server, address)
        for calls in (20, 60):
            await until(lambda most=calls: len(server.seen) > most or running.done())
            await kill_worker(account)
            await asyncio.sleep(0.3)
        outcome = await running
    asked = account.count_asked()
    assert (outcome.done, outcome.failed, outcome.stopped) == (20, 0, None)
    assert (await read_spent(address, outcome.run)).calls == len(asked) == 120
    assert asked == Counter(asked.keys()) + account.lost


async def test_keys_reach_workers_and_stand_in_no_file_and_no_command_of_ray(
    ray, address, monkeypatch
):
    monkeypatch.setenv("OWN_KEY", KEY)
    async with Chaos() as server:
        outcome = await moot.run(make_study(server, 2), store=address, ray="", workers=2)
        keys = {entry["headers"].get("authorization") for entry in server.seen}
    assert (outcome.failed, keys) == (0, {f"Bearer {KEY}"})
    session = Path(ray.ray._private.worker._global_node.get_session_dir_path())
    files = [each for each in session.rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files if KEY.encode() in each.read_bytes()]
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert KEY.encode() not in command.read_bytes()
        except OSError:
            continue


def test_others_on_the_network_may_not_use_our_ray(ray):
    code = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False)"
    place = ray.ray.get_runtime_context().gcs_address
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    command = [sys.executable, "-c", f"{code}; print('joined', file=sys.stderr)", place]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=own) as other:
        told = (line for line in other.stderr if "InvalidAuthToken" in line or "joined" in line)
        assert "InvalidAuthToken" in next(told)
        other.kill()


async def test_ctrl_c_keeps_what_is_in_flight_and_the_run_goes_on(address, tmp_path, monkeypatch):
    async with Chaos(latency=0.3) as server:
        file = tmp_path / "study.toml"
        data = '[[datasets]]\nname = "arithmetic"\nn = 10\n[[arms]]\n'
        model = f'[settings]\nmodel = "{server.url}/ok?concurrency=6"\n'
        file.write_text(f'name = "stopped"\n{model}{data}protocol = "society-of-minds"\n')
        command = [sys.executable, "-m", "moot", "run", file, "--store", address, "--yes"]
        command += ["--ray", "--workers", "2"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, env=environment(), start_new_session=True, **pipes)
        await until(lambda: len(server.seen) > 8, 60)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: Ray's processes get it, too
        out, err = await asyncio.to_thread(process.communicate, timeout=60)
        asked = len(server.seen)
        assert (process.returncode, out) == (130, ""), err
        assert "Traceback" not in err
        assert "moot: \n" not in err
        assert "in flight end first, and are kept" in err
        assert "run again to go on" in err
        assert await read_states(address) == ["stopped"]
        assert (await read_spent(address, "stopped")).calls == asked
        outcome = await moot.run(file, store=address)
        assert (outcome.done, len(server.seen)) == (10, 60)
