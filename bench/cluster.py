"""A study on 1, 2 and 4 workers of Ray, and what remains of it when they are killed.

    python bench/cluster.py                    throughput with 1, 2 and 4 workers, some 2 minutes
    python bench/cluster.py --kills            30 times a worker, 5 times the driver, 3 times
                                               PostgreSQL, at random instants; some 8 minutes
    python bench/cluster.py --kills --cap 0.6  the same with caps on calls, tokens and cost, which
                                               are this share of what the study takes

Real Ray and real PostgreSQL on this machine, and a server of 200 ms on loopback. Each worker may
have so few calls in flight that the CPU stays free. What is counted is the throughput of the
server's middle half of calls: starting Ray is not in it. The exit code is 1 unless 4 workers have
3.6 times the throughput of one; for ``--kills`` see bench/kills.py.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from kills import measure_kills
from overhead import HERE, server
from shared import read_counts

sys.path.insert(0, str(HERE.parent / "tests"))

from support.postgres import PostgresServer, postgres_server

LATENCY = 0.2
"""Seconds of the server."""
EACH = 12
"""Calls that each worker may have in flight."""
SECONDS = 25.0
"""Seconds that a run of throughput is to take."""
AIM = 3.6
CALLS = 6
"""Calls of a question: society-of-minds with 3 agents and 2 rounds."""


def make_study(address: str, workers: int) -> dict[str, Any]:
    """Return a study whose limit on calls is ``EACH`` for each worker."""
    model = f"{address}/v1/bench?concurrency={EACH * workers}"
    return {
        "name": "cluster",
        "datasets": [{"name": "file", "path": "questions.jsonl"}],
        "settings": {"model": model, "agents": 3, "rounds": 2},
        "arms": [{"protocol": "society-of-minds"}],
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
    for name, table in study.items():
        if isinstance(table, dict):
            lines += [f"[{name}]", *(f"{key} = {json.dumps(v)}" for key, v in table.items())]
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--cap", type=float, help="caps, as a share of what the study takes")
    parser.add_argument("--questions", type=int, default=3000, help="of the study with kills")
    parser.add_argument("--in-flight", type=int, default=48, help="requests at once, with kills")
    parser.add_argument("--seconds", type=float, default=420.0, help="for kills, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with postgres_server() as database:
        if options.kills:
            good = measure_kills(database, options, write_study, start_run)
        else:
            good = measure_throughput(database, options.workers)
    sys.exit(not good)


if __name__ == "__main__":
    main()
