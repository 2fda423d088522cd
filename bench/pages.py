"""How fast the pages of a run of 10,000 questions answer, and how much they send.

    python bench/pages.py [--questions 10000] [--arms 4] [--store FOLDER]

A store is made of 200 simulated debates, each of which comes again under other ids, and served in
a process of its own. Of the run's page the parts are printed as they come, with the CPU time that
the server and its process for results had taken by then. Of every page the first answer and the
median and the slowest of the next 20 are printed, with their bytes; then how long the slowest of
small requests had to wait while the run was worked out, and the memory of the server. It fails
where a page answers in over 200 ms when warm or sends more than 300 KB, and where the answer of the
run takes over 5 s of CPU.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import aiohttp
import msgspec

import moot
from moot.core.events import Transcript
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.studies.lab import open_lab

MOST_SECONDS, MOST_BYTES, MOST_CPU = 0.2, 300_000, 5.0
PARTS = {"name": "<h1", "answer": 'class="found"', "matrix": 'id="matrix"', "end": "</html>"}
"""What each part of a run's page has in it."""
KINDS = [
    {"protocol": "single"},
    {"protocol": "society-of-minds", "agents": 3, "rounds": 2},
    {"protocol": "self-consistency", "samples": 5},
    {"protocol": "multi-persona", "rounds": 2},
]
SERVE = """
import asyncio, sys
from moot.contrib.server.config import config_from
from moot.contrib.server.serving import make_server, open_socket
if __name__ == "__main__":
    socket = open_socket("127.0.0.1", 0)
    print(socket.getsockname()[1], flush=True)
    running = make_server(config_from(models=["simulated/crowd"]), store=sys.argv[1])
    asyncio.run(running.serve(sockets=[socket]))
"""


async def fill(place: Path, questions: int, arms: int) -> str:
    """A run of so many questions and arms."""
    names = [f"{KINDS[n % 4]['protocol']} {n}" for n in range(arms)]
    study = {
        "name": "big",
        "settings": {"model": "simulated/people?accuracy=0.6&unparseable=0.02"},
        "datasets": [{"name": "arithmetic", "n": 200, "difficulty": 4}],
        "arms": [
            KINDS[n % 4] | {"name": name, "temperature": n / 100} for n, name in enumerate(names)
        ],
    }
    outcome = await moot.run(study, store=place / "few")
    known: dict[str, list[tuple[Transcript, dict]]] = {}
    async with open_lab(place / "few", readonly=True) as lab:
        few = lab.store.find_run(outcome.run)
        for row in lab.store.debates(few.id):
            known.setdefault(row.arm, []).append((row.transcript, measure(row.transcript)))
    async with Store.open(place / "store") as store:
        run = store.begin_run("big-1", "big", few.study)
        for name in names:
            for number in range(questions):
                transcript, values = known[name][number % 200]
                opened = transcript.opened
                question = msgspec.structs.replace(opened.question, id=f"q{number}")
                first = msgspec.structs.replace(opened, question=question)
                again = Transcript((first, *transcript.events[1:]))
                await store.save_debate(run.id, name, "sums", f"q{number}", 0, again, values)
        store.set_status(run.id, "done")
    return names[0], names[1]


async def page(session: aiohttp.ClientSession, url: str) -> tuple[float, int, bool]:
    """Seconds, bytes, and whether it says that it is still worked out."""
    began = perf_counter()
    async with session.get(url) as response:
        size = len(await response.read())
        assert response.status == 200, (url, response.status)
        return perf_counter() - began, size, "refresh" in response.headers


async def first(session: aiohttp.ClientSession, url: str) -> float:
    """Seconds until there is the page itself."""
    began = perf_counter()
    while (await page(session, url))[2]:  # noqa: ASYNC110 -- a browser waits like this
        await asyncio.sleep(0.2)
    return perf_counter() - began


async def waiting(session: aiohttp.ClientSession, url: str) -> float:
    """The longest that a small request waits, until this is cancelled."""
    longest = 0.0
    try:
        while True:
            longest = max(longest, (await page(session, url))[0])
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        return longest


def spent(process: int) -> float:
    """Seconds of CPU that a process and its children have taken."""
    found = [process]
    for thread in Path(f"/proc/{process}/task").iterdir():
        found += map(int, (thread / "children").read_text().split())
    took = 0
    for each in found:
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        took += sum(map(int, fields[11:15]))  # its own, and those of children that have ended
    return took / os.sysconf("SC_CLK_TCK")


async def parts(session: aiohttp.ClientSession, url: str, process: int) -> dict[str, tuple]:
    """Seconds and CPU seconds until each part of a page is there."""
    began, before = perf_counter(), spent(process)
    found, text = {}, ""
    async with session.get(url) as response:
        async for part in response.content.iter_any():
            text += part.decode(errors="replace")
            for name, mark in PARTS.items():
                if name not in found and mark in text:
                    found[name] = perf_counter() - began, spent(process) - before
    return found


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text().split()
    return int(status[status.index("VmRSS:") + 1]) / 1024


def tell(steps: dict[str, tuple], rows: list[tuple]) -> None:
    """Print the parts of the run's page, and every page."""
    print("| part of the run's page | there after | CPU of the server |\n|---|---:|---:|")
    for name, (seconds, took) in steps.items():
        print(f"| {name} | {seconds:.2f} s | {took:.2f} s |")
    print()
    print("| page | first | median | slowest | KB |\n|---|---:|---:|---:|---:|")
    for name, cold, middle, slowest, size in rows:
        told = f"{cold:.2f} s | {1000 * middle:.0f} ms | {1000 * slowest:.0f} ms"
        print(f"| {name} | {told} | {size / 1000:.1f} |")


async def look(place: Path, questions: int, arms: int) -> bool:
    began = perf_counter()
    one, two = await fill(place, questions, arms)
    print(f"store made in {perf_counter() - began:.1f} s", file=sys.stderr)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, str(place / "store")), stdout=asyncio.subprocess.PIPE
    )
    base = f"http://127.0.0.1:{int(await process.stdout.readline())}"
    run = f"{base}/runs/big-1"
    arm = two.replace(" ", "+")
    pages = {
        "run": run,
        "debates": f"{run}/debates",
        "wrong, of one arm": f"{run}/debates?show=wrong&arm={arm}",
        "flipped, dearest first": f"{run}/debates?show=flipped&order=dearest",
        "all arms": f"{run}/results",
        "search, often": f"{run}/debates?q=result+of",
        "search, never": f"{run}/debates?q=zebra",
        "compare": f"{base}/compare?a=big-1&arm_a={one.replace(' ', '+')}&arm_b={arm}",
        "runs": f"{base}/runs",
    }
    good, rows = True, []
    try:
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    await page(session, f"{base}/healthz")
                    break
                except aiohttp.ClientError:
                    await asyncio.sleep(0.05)
            small = asyncio.create_task(waiting(session, f"{base}/healthz"))
            await asyncio.sleep(0.5)
            steps = await parts(session, run, process.pid)
            small.cancel()
            waited = await small
            good &= steps["answer"][1] < MOST_CPU
            for name, url in pages.items():
                cold = await first(session, url)
                warm = [await page(session, url) for _ in range(20)]
                took, size = [each[0] for each in warm], warm[0][1]
                rows.append((name, cold, median(took), max(took), size))
                if not name.startswith("search"):
                    good &= median(took) < MOST_SECONDS and size < MOST_BYTES
        used = memory(process.pid)
    finally:
        process.terminate()
        await process.wait()
    print(f"{questions:,} questions, {arms} arms, {questions * arms:,} debates\n")
    tell(steps, rows)
    print(f"\nwhile the run was worked out, a small request waited {1000 * waited:.0f} ms at most;")
    print(f"the server holds {used:.0f} MB afterwards")
    print(json.dumps({"good": good}), file=sys.stderr)
    return good


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--arms", type=int, default=4)
    parser.add_argument("--store", type=Path, help="where to make it; a temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="moot-pages-") as folder:
        ok = asyncio.run(look(given.store or Path(folder), given.questions, given.arms))
    sys.exit(not ok)
