"""What remains of a study on workers of Ray that are killed: ``bench/cluster.py --kills``.

Workers, the driver and PostgreSQL get ``kill -9`` at random instants, until all kills of the plan
are made, or the run has ended. A run that says why it stopped is run again, as people do. All holds
when each debate ended as it does undisturbed, no call was made again but those that were in flight
at the kills, and no cap was exceeded. A call is in flight from its request until its reply is in
the store. Where PostgreSQL is killed, no process loses its calls, but one may be taken for dead
before it has connected again: so the calls in flight there may be made again, too.
"""

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from overhead import HERE

sys.path.insert(0, str(HERE.parent / "tests"))

from moot.studies.lab import open_lab
from support.named_calls import CallAccount, NamedCalls
from support.postgres import PostgresServer

KILLS = {"worker": 30, "driver": 5, "postgres": 3}
LATENCY = 0.2
SETTLE = 0.4
"""Seconds until all that a suspended process has sent has arrived."""
CALLS = 6
"""Calls of a question: society-of-minds with 3 agents and 2 rounds."""
TOKENS = 28
"""Tokens of a call, as the server reports them: 20 and 8."""
PRICE = 10.0
"""US dollars for a million tokens of either kind."""
START = 60.0


@contextmanager
def serve_named(latency: float) -> Iterator[NamedCalls]:
    """Yield a server that answers in a thread of its own."""
    loop, server = asyncio.new_event_loop(), NamedCalls(latency)
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


class Kills:
    """Kills what a plan names, and counts the calls that were in flight.

    Attributes:
        made: what was killed, and the calls in flight of those that were killed.
        unsure: calls in flight when PostgreSQL was killed: they may be made again.
    """

    def __init__(
        self,
        account: CallAccount,
        database: PostgresServer,
        start: Callable[[], "subprocess.Popen[bytes]"],
        random: Random,
    ) -> None:
        self.account, self._database, self._start = account, database, start
        self._random = random
        self.made: list[tuple[str, int]] = []
        self.unsure = set[str]()
        self.runs = 0
        self.running = self.start()

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the run, or start it again."""
        self.runs += 1
        self.running = self._start()
        return self.running

    async def make(self, plan: list[str], seconds: float) -> None:
        """Kill what is named, one after the other, while the run goes on."""
        end = time.monotonic() + seconds
        while plan and time.monotonic() < end:
            await asyncio.sleep(self._random.uniform(0.2, 2.5))
            if (code := self.running.poll()) is not None:
                if code in (0, 3):
                    return
                self.start()
            begun = self._wait_for_workers()
            if not begun:
                continue
            what = plan.pop()
            flying = await getattr(self, f"_kill_{what}")(begun)
            self.made.append((what, flying))
            print(f"  {what:<9}{flying:>4} in flight", flush=True)

    def _wait_for_workers(self) -> list[int]:
        """Return the workers, once one of them has made calls."""
        end = time.monotonic() + START
        while self.running.poll() is None and time.monotonic() < end:
            workers = find_workers(self.running.pid)
            if any(self._find_calls(each) for each in workers):
                return workers
            time.sleep(0.1)
        return []

    def _find_calls(self, process: int) -> set[str]:
        with suppress(OSError):
            return self.account.find_calls(process)
        return set()

    async def _kill_worker(self, workers: list[int]) -> int:
        victim = self._random.choice(workers)
        try:
            os.kill(victim, signal.SIGSTOP)
            await asyncio.sleep(SETTLE)
            lost = await self.account.find_flying(self._find_calls(victim))
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return 0
        self.account.lost.update(lost)
        return len(lost)

    async def _kill_driver(self, workers: list[int]) -> int:
        """Kill the driver: its workers end with it, and all that they had in flight is lost."""
        self.running.kill()
        self.running.wait()
        while any(_is_up(each) for each in workers):  # noqa: ASYNC110 -- processes have no event
            await asyncio.sleep(0.05)
        await asyncio.sleep(SETTLE)
        lost = await self.account.find_flying()
        self.account.lost.update(lost)
        self.start()
        return len(lost)

    async def _kill_postgres(self, _: list[int]) -> int:
        flying = await self.account.find_flying()
        self._database.stop(signal.SIGKILL)
        restart(self._database)
        flying |= await self.account.find_flying()
        self.unsure |= flying
        return len(flying)


def _is_up(process: int) -> bool:
    """Return whether a process has not ended."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2][:3]
    except OSError:
        return False


def find_workers(driver: int) -> list[int]:
    """Return the processes of the workers below a driver."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
                names[int(entry.name)] = (entry / "cmdline").read_text()

    def is_below(process: int) -> bool:
        while process > 1:
            process = parents.get(process, 0)
            if process == driver:
                return True
        return False

    return [each for each, name in names.items() if "ChunkWorker" in name and is_below(each)]


def restart(database: PostgresServer) -> None:
    """Start PostgreSQL again; what is left of the killed one may be in the way for a moment."""
    for _ in range(50):
        with suppress(RuntimeError):
            database.start()
            return
        time.sleep(0.2)
    sys.exit("PostgreSQL did not start again")


async def read_verdicts(store: str) -> dict[tuple[str, str, int], Any]:
    """Return the verdict of each debate of the newest run."""
    async with open_lab(store, readonly=True) as lab:
        run = lab.store.runs()[0]
        return {
            (row.arm, row.question, row.replicate): (
                None
                if row.transcript.verdict is None
                else (row.transcript.verdict.answer, row.transcript.verdict.votes),
                [turn.text for turn in row.transcript.turns],
            )
            for row in lab.store.debates(run.id)
        }


def make_study(server: NamedCalls, in_flight: int, share: float | None) -> dict[str, Any]:
    """Return a study with so many requests at once, and caps at a share of what it takes."""
    caps: dict[str, Any] = {}
    if share is not None:
        calls = round(share)
        caps = {"calls": calls, "tokens": calls * TOKENS, "cost": calls * TOKENS * PRICE / 1e6}
    return {
        "name": "killed",
        "datasets": [{"name": "file", "path": "questions.jsonl"}],
        "arms": [{"protocol": "society-of-minds"}],
        "settings": {"model": "own", "agents": 3, "rounds": 2},
        "models.own": {"base": server.url, "model": "ok", "concurrency": in_flight},
        "prices.own": {"input": PRICE, "output": PRICE},
        "budget": caps,
    }


def measure_kills(
    database: PostgresServer,
    options: argparse.Namespace,
    write: Callable[[Path, dict[str, Any], int], Path],
    start: Callable[[Path, str, int, Path], "subprocess.Popen[bytes]"],
) -> bool:
    """Run a study once undisturbed, once with kills; return whether all holds."""
    random, many = Random(options.seed), options.workers[-1]
    plan = [what for what, times in KILLS.items() for _ in range(times)]
    random.shuffle(plan)
    whole = options.questions * CALLS
    most = round(options.cap * whole) if options.cap else None
    with TemporaryDirectory() as name, serve_named(0.01) as server:
        folder = Path(name)
        plain = write(folder, make_study(server, 64, None), options.questions)
        plain = plain.rename(folder / "plain.toml")
        alone = str(folder / "alone")
        command = [sys.executable, "-m", "moot", "run", plain, "--store", alone, "--yes"]
        subprocess.run(command, check=True, capture_output=True)
        skip, server.latency = len(server.seen), LATENCY
        file = write(folder, make_study(server, options.in_flight, most), options.questions)
        store, log = database.make_database(), folder / "log"
        kills = Kills(
            CallAccount(server, store, skip),
            database,
            lambda: start(file, store, many, log),
            random,
        )
        begun = time.monotonic()
        asyncio.run(kills.make(plan, options.seconds))
        server.latency = 0.02
        while (code := kills.running.wait()) not in (0, 3) and kills.runs < 40:
            print(f"  exit code {code}: {log.read_text()[-3000:]}")
            kills.start()
        took = time.monotonic() - begun
        asked = kills.account.count_asked()
        recorded = asyncio.run(kills.account.read_recorded())
        noise = re.findall(r".*(?:Traceback|never retrieved).*", log.read_text())
        verdicts, wanted = asyncio.run(read_verdicts(store)), asyncio.run(read_verdicts(alone))
    same = sum(wanted[key] == verdict for key, verdict in verdicts.items())
    killed = {what: sum(each == what for each, _ in kills.made) for what in KILLS}
    lost, again = kills.account.lost, asked - type(asked)(asked.keys())
    other = {each for each in again if again[each] > lost[each] and each not in kills.unsure}
    print(f"{took:.0f} s, killed: {killed}, runs started: {kills.runs}, exit code {code}")
    print(f"debates as undisturbed: {same} of {len(verdicts)}, of {len(wanted)} in all")
    print(f"calls at the server {asked.total()}, recorded {len(recorded)}")
    print(f"made again {again.total()}; in flight at the kills {lost.total()}, and when ", end="")
    print(f"PostgreSQL was killed {len(kills.unsure)}; made again and not in flight {len(other)}")
    print(f"lines of errors that are not moot's: {len(noise)}", *noise[:3], sep="\n  ")
    if most is not None:
        taken = asked.total() * TOKENS
        print(f"cap {most} calls, {most * TOKENS} tokens, ${most * TOKENS * PRICE / 1e6:.4f}: ")
        print(f"{asked.total()} calls, {taken} tokens, ${taken * PRICE / 1e6:.4f} at the server")
    return (
        (len(verdicts) == len(wanted) or most is not None)
        and not noise
        and same == len(verdicts)
        and not other
        and (most is None or asked.total() <= most)
    )
