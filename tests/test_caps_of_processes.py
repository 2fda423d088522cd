"""Caps hold for all processes on a store together."""

import asyncio
import json
import signal
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from support.commands import environment

BENCH = Path(__file__).parent.parent / "bench" / "caps.py"
RUN_BENCH = f"""
import runpy, sys
sys.path.insert(0, {str(BENCH.parent)!r})
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@asynccontextmanager
async def counting(tmp_path):
    """A server that counts what it is asked, and what counts it."""
    words = [sys.executable, str(BENCH), "serve", "500", "0.03", "1"]
    started = await asyncio.create_subprocess_exec(
        *words, stdin=-1, stdout=-1, cwd=tmp_path, env=environment() | {"PYTHONUNBUFFERED": "1"}
    )
    try:
        address = f"http://127.0.0.1:{int(await started.stdout.readline())}"
        async with aiohttp.ClientSession() as session:

            async def counts():
                async with session.get(f"{address}/counts") as reply:
                    return await reply.json(content_type=None)

            yield address, counts
    finally:
        with suppress(ProcessLookupError):
            started.kill()
        await started.communicate()


@asynccontextmanager
async def paying(forks, tmp_path, address, budget, number, calls=400):
    given = {"address": address, "store": str(tmp_path / "store"), "budget": budget}
    given |= {"first": 10_000 * number, "calls": calls, "at_once": 8}
    words = ["-c", RUN_BENCH, BENCH, "work", json.dumps(given)]
    started = forks.start(tmp_path, words, environment())
    try:
        yield started
    finally:
        started.kill()
        await asyncio.to_thread(started.wait, 30)


async def ended(worker):
    out, err = await asyncio.to_thread(worker.communicate, 90)
    assert worker.returncode == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("many", "budget"),
    [(2, {"calls": 60}), pytest.param(4, {"cost": 0.3}, marks=pytest.mark.soak)],
)
async def test_processes_together_keep_to_a_cap(forks, tmp_path, many, budget):
    ((name, cap),) = budget.items()
    async with counting(tmp_path) as (address, counts):
        async with asyncio.TaskGroup() as group:

            async def work(number):
                async with paying(forks, tmp_path, address, budget, number) as worker:
                    await ended(worker)

            for number in range(many):
                group.create_task(work(number))
        found = await counts()
    if name == "calls":
        assert found["calls"] == cap
    else:  # a reply may be longer by what one of its kind never was before
        assert 0.9 * cap < found[name] <= cap * 1.02


@pytest.mark.soak
async def test_a_process_that_is_killed_breaks_no_cap_and_leaves_the_rest(forks, tmp_path):
    async with counting(tmp_path) as (address, counts):
        async with (
            paying(forks, tmp_path, address, {"calls": 90}, 0) as killed,
            paying(forks, tmp_path, address, {"calls": 90}, 1, calls=30) as other,
        ):
            async with asyncio.timeout(60):  # the other leaves it 60 calls
                while (await counts())["first"] < 10:
                    await asyncio.sleep(0.005)
            killed.send_signal(signal.SIGKILL)
            await ended(other)
        async with paying(forks, tmp_path, address, {"calls": 90}, 2) as later:
            await ended(later)
        # What may have been in flight when it was killed counts as paid for.
        assert 90 - 16 <= (await counts())["calls"] <= 90
