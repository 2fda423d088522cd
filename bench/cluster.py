"""A study on 1, 2 and 4 workers of Ray, and what remains of it when they are killed.

    python bench/cluster.py                    throughput with 1, 2 and 4 workers, some 2 minutes
    python bench/cluster.py --kills            30 times a worker, 5 times the driver, 3 times
                                               PostgreSQL, at random instants; some 5 minutes
    python bench/cluster.py --kills --cap 0.6  the same with a cap on calls

Real Ray and real PostgreSQL on this machine, and a server of 200 ms on loopback. Each worker may
have so few calls in flight that the CPU stays free. What is counted is the throughput of the
server's middle half of calls: starting Ray is not in it. The exit code is 1 unless 4 workers have
3.6 times the throughput of one; with ``--kills`` unless each debate ended as it does undisturbed,
the server got no more calls twice than were in flight at the kills, and no cap was exceeded.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from overhead import HERE, server
from shared import read_counts

sys.path.insert(0, str(HERE.parent / "tests"))

from moot.studies.lab import open_lab
from support.postgres import PostgresServer, postgres_server

LATENCY = 0.2
"""Seconds of the server."""
EACH = 12
"""Calls that each worker may have in flight."""
SECONDS = 25.0
"""Seconds that a run of throughput is to take."""
AIM = 3.6
KILLS = {"worker": 30, "driver": 5, "postgres": 3}
CALLS = 6
"""Calls of a question: society-of-minds with 3 agents and 2 rounds."""


def make_study(address: str, workers: int, cap: int | None = None) -> dict[str, Any]:
    """Return a study whose limit on calls is ``EACH`` for each worker."""
    model = f"{address}/v1/bench?concurrency={EACH * workers}"
    return {
        "name": "cluster",
        "datasets": [{"name": "file", "path": "questions.jsonl"}],
        "settings": {"model": model, "agents": 3, "rounds": 2},
        "arms": [{"protocol": "society-of-minds"}],
        "budget": {} if cap is None else {"calls": cap},
    }


def write_study(folder: Path, study: dict[str, Any], questions: int) -> Path:
    """Write a study as TOML, which reads JSON's values as they are, and its questions."""
    with (folder / "questions.jsonl").open("w") as file:
        for each in range(questions):
            row = {"id": f"q{each}", "kind": "number", "question": f"{each} + 7?", "answer": "3"}
            file.write(json.dumps(row) + "\n")
    lines = [f"name = {json.dumps(study['name'])}"]
    for name in ("datasets", "arms"):
        for table in study[name]:
            lines += [f"[[{name}]]", *(f"{key} = {json.dumps(v)}" for key, v in table.items())]
    for name in ("settings", "budget"):
        lines += [f"[{name}]", *(f"{key} = {json.dumps(v)}" for key, v in study[name].items())]
    file = folder / "study.toml"
    file.write_text("\n".join(lines))
    return file


def start_run(file: Path, store: str, workers: int, log: Path) -> subprocess.Popen[bytes]:
    """Start ``moot run --ray`` in a process of its own."""
    command = [sys.executable, "-m", "moot", "run", file, "--store", store, "--ray"]
    with log.open("ab") as out:
        return subprocess.Popen(
            [*command, "--workers", str(workers), "--yes", "--wait", "--json"],
            stdout=out,
            stderr=out,
        )


class Watched(NamedTuple):
    """Calls a second at the server, and the most that were in flight."""

    rate: float
    most: int


def watch_server(address: str, running: subprocess.Popen[bytes]) -> Watched:
    """Look at the server until the run has ended; its throughput is that of the middle half."""
    seen: list[tuple[float, int]] = []
    while running.poll() is None:
        seen.append((time.monotonic(), int(read_counts(address)["calls"])))
        time.sleep(0.1)
    counts = read_counts(address)
    total = int(counts["calls"])
    middle = [each for each in seen if total / 4 <= each[1] <= total * 3 / 4]
    (begun, first), (ended, last) = middle[0], middle[-1]
    return Watched((last - first) / (ended - begun), int(counts["most_waiting"]))


def measure_throughput(database: PostgresServer, workers: list[int]) -> bool:
    """Print the throughput with so many workers; return whether it grows as it should."""
    rates: dict[int, float] = {}
    print(f"\n{'workers':>8}{'calls/s':>10}{'ideal':>8}{'times 1':>9}{'in flight':>11}{'load':>7}")
    for many in workers:
        with TemporaryDirectory() as folder, server(LATENCY, rate_limits=False) as address:
            questions = max(40, round(EACH * many / LATENCY * SECONDS / CALLS))
            file = write_study(Path(folder), make_study(address, many), questions)
            log = Path(folder) / "log"
            running = start_run(file, database.make_database(), many, log)
            found = watch_server(address, running)
            if running.returncode:
                sys.exit(f"the run failed: {log.read_text()[-2000:]}")
        rates[many] = found.rate
        print(
            f"{many:>8}{found.rate:>10.1f}{EACH * many / LATENCY:>8.0f}"
            f"{found.rate / rates[workers[0]]:>9.2f}{found.most:>7} of {EACH * many:<3}"
            f"{os.getloadavg()[0]:>5.1f}"
        )
    return max(workers) < 4 or rates[4] >= AIM * rates[1]


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


class KillPlan(NamedTuple):
    """What is killed, in random order, and how many calls were in flight then."""

    log: list[tuple[str, int]]

    @property
    def in_flight(self) -> int:
        """The calls in flight of those that were killed, over all kills."""
        return sum(calls for _, calls in self.log)


def kill_again_and_again(
    kills: list[str],
    random: Random,
    start: "list[subprocess.Popen[bytes]]",
    again: Any,
    database: PostgresServer,
    address: str,
) -> KillPlan:
    """Kill what is named, one after the other, until all is killed or the run has ended."""
    plan = KillPlan([])
    for what in kills:
        time.sleep(random.uniform(0.3, 4.0))
        running = start[-1]
        if running.poll() is not None:
            break
        flying = int(read_counts(address)["waiting"])
        if what == "worker":
            while not (workers := find_workers(running.pid)) and running.poll() is None:
                time.sleep(0.1)
            if not workers:
                break
            flying = min(EACH, int(read_counts(address)["waiting"]))
            with suppress(ProcessLookupError):
                os.kill(random.choice(workers), signal.SIGKILL)
        elif what == "driver":
            flying = int(read_counts(address)["waiting"])
            running.kill()
            running.wait()
            start.append(again())
        else:
            database.stop(signal.SIGKILL)
            flying = int(read_counts(address)["waiting"])
            restart(database)
        plan.log.append((what, flying))
        print(f"  {what:<9}{flying:>4} in flight", flush=True)
    return plan


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


async def count_replies(store: str) -> int:
    """Return how many replies the newest run has paid for, as its store has them."""
    async with open_lab(store, readonly=True) as lab:
        return lab.store.sum_spent(lab.store.runs()[0].id).calls


def measure_kills(database: PostgresServer, options: argparse.Namespace) -> bool:
    """Run a study once undisturbed, once with kills; return whether all holds."""
    random, many = Random(options.seed), options.workers[-1]
    kills = [what for what, times in KILLS.items() for _ in range(times)]
    random.shuffle(kills)
    with TemporaryDirectory() as name, server(LATENCY, rate_limits=False) as address:
        folder = Path(name)
        questions, cap = options.questions, None
        if options.cap:
            cap = round(options.cap * questions * CALLS)
        plain = write_study(folder, make_study(address, many), questions)
        plain = plain.rename(folder / "plain.toml")
        file = write_study(folder, make_study(address, many, cap), questions)
        alone = str(folder / "alone")
        subprocess.run(
            [sys.executable, "-m", "moot", "run", plain, "--store", alone, "--yes"],
            check=True,
            capture_output=True,
        )
        before = int(read_counts(address)["calls"])
        store, log = database.make_database(), folder / "log"

        def again() -> subprocess.Popen[bytes]:
            return start_run(file, store, many, log)

        started = [again()]
        begun = time.monotonic()
        plan = kill_again_and_again(kills, random, started, again, database, address)
        started[-1].wait()
        took = time.monotonic() - begun
        code = started[-1].returncode
        while code not in (0, 3):  # a run that says why it stopped is run again, as people do
            print(f"  exit code {code}: {log.read_text()[-3000:]}")
            started.append(again())
            code = started[-1].wait()
            if len(started) > 40:
                break
        asked = int(read_counts(address)["calls"]) - before
        paid = asyncio.run(count_replies(store))
        noise = re.findall(r".*(?:Traceback|never retrieved).*", log.read_text())
        verdicts, wanted = asyncio.run(read_verdicts(store)), asyncio.run(read_verdicts(alone))
    same = sum(wanted[key] == verdict for key, verdict in verdicts.items())
    killed = {what: sum(each == what for each, _ in plan.log) for what in KILLS}
    print(f"{took:.0f} s, killed: {killed}, runs started: {len(started)}, exit code {code}")
    print(f"debates as undisturbed: {same} of {len(verdicts)}, of {len(wanted)} in all")
    print(f"calls in the store {paid}, at the server {asked}: {asked - paid} twice or lost")
    print(f"calls in flight at the kills: {plan.in_flight}")
    print(f"lines of errors that are not moot's: {len(noise)}", *noise[:3], sep="\n  ")
    if cap is not None:
        print(f"cap {cap}: {asked} calls at the server")
    whole = len(verdicts) == len(wanted) or cap is not None
    return (
        whole
        and not noise
        and same == len(verdicts)
        and asked - paid <= plan.in_flight
        and (cap is None or asked <= cap)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--cap", type=float, help="a cap on calls, as a share of the study's")
    parser.add_argument("--questions", type=int, default=3000, help="of the study with kills")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with postgres_server() as database:
        if options.kills:
            good = measure_kills(database, options)
        else:
            good = measure_throughput(database, options.workers)
    sys.exit(not good)


if __name__ == "__main__":
    main()
