"""What a call costs with its store in PostgreSQL, beside SQLite.

    python bench/stores.py                          7 interleaved rounds, some 3 minutes
    python bench/stores.py --rounds 3 --json figures.json
    python bench/stores.py --before ../other/src    PostgreSQL beside that of another commit

The work is that of bench/overhead.py. Each run has a process of its own, a server for the model of
its own, and a store that is made beforehand and empty: a folder, or a database of a PostgreSQL
server that this bench starts on the same machine, with its settings as they come. Both write to the
disk of the temporary folder, and both wait for it (fsync). The CPU of the server of PostgreSQL is
that of all its processes, and is not in the CPU of the client. The exit code is 1 where PostgreSQL
takes more than 1.3 times the CPU, or 1.10 times the wall time of SQLite in the first shape.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from overhead import AGENTS, HERE, ROUNDS, environment, ideal, server
from shared import read_counts, read_cpu, spread

sys.path.insert(0, str(HERE.parent / "tests"))

from support.postgres import PostgresServer, postgres_server

MAKE = """
import asyncio, sys
from moot.ledger.store import Store
from moot.ledger.store_place import find_place
asyncio.run(Store.open(find_place(sys.argv[1])).close())
"""
BOUNDS = {"cpu": 1.3, "wall": 1.10}
"""The greatest ratios of PostgreSQL to SQLite, in the first shape."""


class Shape(NamedTuple):
    """How much work, how wide, and against which latency in seconds."""

    name: str
    questions: int
    at_once: int
    latency: float

    @property
    def calls(self) -> int:
        """The calls of one run."""
        return self.questions * AGENTS * ROUNDS


SHAPES = (
    Shape("256 debates at once, 200 ms a call", 500, 256, 0.2),
    Shape("258 calls in flight, 200 ms a call", 430, 86, 0.2),
    Shape("1,002 calls in flight, 200 ms a call", 1002, 334, 0.2),
)


class StoreRun(NamedTuple):
    """What one run took; CPU in µs a call, that of the PostgreSQL server apart, wall in s."""

    store: str
    shape: str
    round: int
    cpu: float
    server_cpu: float
    wall: float
    rate: float
    of_ideal: float
    peak: float


def make_store(place: str, sources: dict[str, str]) -> None:
    """Make an empty store, with the tables of the sources that use it."""
    subprocess.run([sys.executable, "-c", MAKE, place], check=True, env=sources)


def run(store: str, number: int, shape: Shape, postgres: PostgresServer, before: Path) -> StoreRun:
    """Run the debates once, with a store and a model's server of their own."""
    with (
        TemporaryDirectory() as folder,
        server(shape.latency, rate_limits=False) as address,
    ):
        place = folder if store == "sqlite" else postgres.make_database()
        sources = environment(before if store == "before" else None)
        make_store(place, sources)
        job = {
            "url": f"{address}/v1",
            "questions": shape.questions,
            "at_once": shape.at_once,
            "agents": AGENTS,
            "rounds": ROUNDS,
            "store": place,
        }
        began = read_cpu(postgres.pid)
        done = subprocess.run(
            [sys.executable, HERE / "peers" / "moot_run.py", json.dumps(job)],
            capture_output=True,
            text=True,
            check=False,
            env=sources,
        )
        used = read_cpu(postgres.pid) - began
        seen = read_counts(address)
    if done.returncode:
        sys.exit(f"{store} failed:\n{done.stderr[-3000:]}")
    took = json.loads(done.stdout.splitlines()[-1])
    if (seen["calls"], took["verdicts"]) != (shape.calls, shape.questions):
        sys.exit(f"{store}: {seen['calls']} calls and {took['verdicts']} verdicts")
    return StoreRun(
        store=store,
        shape=shape.name,
        round=number,
        cpu=took["cpu"] / shape.calls * 1e6,
        server_cpu=used / shape.calls * 1e6,
        wall=took["wall"],
        rate=shape.calls / took["wall"],
        of_ideal=took["wall"] / ideal(shape.questions, shape.at_once, shape.latency),
        peak=took["peak"],
    )


def ratios(runs: list[StoreRun], store: str, to: str, field: str) -> list[float]:
    """Return one store's figure over another's, round by round."""
    ours, theirs = (
        {each.round: getattr(each, field) for each in runs if each.store == name}
        for name in (store, to)
    )
    return [ours[number] / theirs[number] for number in ours]


def print_table(runs: list[StoreRun], shape: Shape, stores: tuple[str, ...]) -> None:
    """Print what one shape took: every figure as median [range] of the rounds."""
    least = ideal(shape.questions, shape.at_once, shape.latency)
    print(f"\n{shape.name}: {shape.calls} calls, ideal {least:.1f} s\n")
    print("| | CPU µs a call | server's CPU | calls a second | wall s | wall / ideal | peak MB |")
    print("|---|---|---|---|---|---|---|")
    for store in stores:
        mine = [each for each in runs if each.store == store]
        forms = {"cpu": ".0f", "server_cpu": ".0f", "rate": ".0f", "wall": ".2f"}
        forms |= {"of_ideal": ".2f", "peak": ".0f"}
        cells = [spread([getattr(e, f) for e in mine], form) for f, form in forms.items()]
        cells[1] = "" if store == "sqlite" else cells[1]
        print(f"| {store} | {' | '.join(cells)} |")
    first, *others = stores
    for store in others:
        found = [f"{f} {spread(ratios(runs, store, first, f), '.2f')}" for f in ("cpu", "wall")]
        print(f"\n{store} / {first}: {', '.join(found)}")


def choose_options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds (7)")
    parser.add_argument("--shapes", type=int, nargs="+", help="which of the shapes, from 1 on")
    parser.add_argument("--before", type=Path, help="sources of another commit, as a third store")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    return parser.parse_args()


def main() -> None:
    """Run the bench."""
    options = choose_options()
    shapes = [SHAPES[number - 1] for number in options.shapes or range(1, len(SHAPES) + 1)]
    stores = ("sqlite", "postgresql", *["before"] * (options.before is not None))
    runs = list[StoreRun]()
    with postgres_server() as postgres:
        for number in range(-1, options.rounds):  # the first one warms up and does not count
            for shape in shapes:
                small = shape._replace(questions=1) if number < 0 else shape
                for store in stores:
                    print(f"round {number + 1}: {shape.name}, {store} …", file=sys.stderr)
                    took = run(store, number, small, postgres, options.before)
                    runs += [took] * (number >= 0)
    print(
        f"society of minds, {AGENTS} agents x {ROUNDS} rounds; median [range] of {options.rounds} "
        "interleaved rounds"
    )
    for shape in shapes:
        print_table([each for each in runs if each.shape == shape.name], shape, stores)
    if options.json:
        options.json.write_text(json.dumps([each._asdict() for each in runs], indent=1) + "\n")
    first = [each for each in runs if each.shape == SHAPES[0].name]
    found = {f: median(ratios(first, "postgresql", "sqlite", f)) for f in BOUNDS} if first else {}
    sys.exit(any(ratio > BOUNDS[field] for field, ratio in found.items()))


if __name__ == "__main__":
    main()
