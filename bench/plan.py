"""What a store in PostgreSQL takes as it grows: bytes, commits, look-ups. For docs/scale.md.

    python bench/plan.py                            100,000 and 1,000,000 replies; some 4 minutes
    python bench/plan.py --rows 100000 --seconds 2  a short one
    python bench/plan.py --parts 16 --rows 10000000 look-ups where ``replies`` is in parts
    python bench/plan.py --pooler                   whether moot works behind PgBouncer

It starts a server of PostgreSQL on this machine, with 32 MB of shared buffers and other settings as
they come, and runs a study of bench/overhead.py: its replies are the pattern. First what a call and
a debate take in tables, indexes and the log; then moot's own statement for groups of replies, over
some connections at once, and the memory of a connection; then moot's own query in tables of copies
of those replies, under other identities: for calls that are recorded, and for calls that are new.
The client takes a part of the CPU: it is one process of Python on the same machine. With
``--parts`` two tables that have the same identities are asked in turn, one of them in so many parts
by a hash of the identity; their rows have no texts, since new calls are looked up in the index
alone.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from hashlib import md5
from pathlib import Path
from random import Random
from time import monotonic

import asyncpg
from overhead import AGENTS, HERE, ROUNDS, environment, server
from shared import read_cpu

sys.path.insert(0, str(HERE.parent / "tests"))

from moot.contrib.cluster.postgres import FIND, INSERT_REPLIES, REPLY_COLUMNS
from support.pgbouncer import start_pgbouncer
from support.postgres import PostgresServer, postgres_server

QUESTIONS = 500
CALLS = QUESTIONS * AGENTS * ROUNDS
IDENTITY = 16  # bytes
GROUP = 64  # identities in one look-up
_SIZES = """
    SELECT relname, pg_relation_size(oid, 'main'), pg_indexes_size(oid),
        pg_total_relation_size(oid) - pg_indexes_size(oid) - pg_relation_size(oid, 'main')
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'moot'::regnamespace
        AND relname IN ('replies', 'debates')
"""
_COPIES = f"""
    INSERT INTO replies ({", ".join(REPLY_COLUMNS)})
    SELECT decode(md5(number::text), 'hex'), {", ".join([*REPLY_COLUMNS][1:])}
    FROM generate_series($1::bigint, $2::bigint) AS number
    JOIN (SELECT *, row_number() OVER () - 1 AS place FROM pattern) AS pattern
        ON place = number % {CALLS}
"""


def run_study(address: str) -> None:
    """Run a study in the store at an address."""
    with server(0.02, rate_limits=False) as model:
        job = {"url": f"{model}/v1", "questions": QUESTIONS, "at_once": 64, "store": address}
        job |= {"agents": AGENTS, "rounds": ROUNDS}
        command = [sys.executable, HERE / "peers" / "moot_run.py", json.dumps(job)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment()
        )
    if done.returncode:
        sys.exit(f"the study failed:\n{done.stderr[-2000:]}")


async def connect(address: str) -> asyncpg.Connection:
    """Connect as moot does."""
    return await asyncpg.connect(address, server_settings={"search_path": "moot"})


async def measure_bytes(address: str) -> None:
    """Print what the calls and debates of one study take."""
    connection = await connect(address)
    await connection.execute("CHECKPOINT")
    start = await connection.fetchval("SELECT pg_current_wal_lsn()")
    await asyncio.to_thread(run_study, address)
    log = await connection.fetchval("SELECT pg_current_wal_lsn() - $1::pg_lsn", start)
    calls, texts = await connection.fetchrow(
        "SELECT COUNT(*), SUM(LENGTH(request) + LENGTH(reply)) FROM replies"
    )
    print(f"\n{calls} calls, {QUESTIONS} debates\n")
    print("| | tables | indexes | TOAST and maps |")
    print("|---|---|---|---|")
    whole = 0.0
    for name, *sizes in await connection.fetch(_SIZES):
        whole += sum(sizes) / CALLS
        of = CALLS if name == "replies" else QUESTIONS
        cells = " | ".join(f"{size / of:.0f}" for size in sizes)
        print(f"| bytes of one of the {name} | {cells} |")
    print(
        f"\nrequest and reply of a call: {texts / calls:.0f} bytes; in all {whole:.0f} bytes a call"
    )
    print(f"write-ahead log: {log / calls:.0f} bytes a call")
    await connection.close()


async def repeat(
    address: str, connections: int, seconds: float, work: Callable[..., Awaitable[object]]
) -> float:
    """Return how often work is done in a second over so many connections at once."""
    opened = [await connect(address) for _ in range(connections)]
    counts = [0] * connections
    for connection in opened:
        await work(connection)  # prepares the statement
    end = monotonic() + seconds

    async def go_on(number: int) -> None:
        while monotonic() < end:
            await work(opened[number])
            counts[number] += 1

    began = monotonic()
    await asyncio.gather(*map(go_on, range(connections)))
    took = monotonic() - began
    for connection in opened:
        await connection.close()
    return sum(counts) / took


async def measure_commits(address: str, postgres: PostgresServer, seconds: float) -> None:
    """Print how many groups of replies are committed in a second."""
    connection = await connect(address)
    rows = await connection.fetch(f"SELECT {', '.join(REPLY_COLUMNS)} FROM replies LIMIT 256")
    await connection.close()
    draw = Random(0)
    print("\n| connections | replies in a group | commits a second | replies a second | CPU of the "
          "server, µs a reply |\n|---|---|---|---|---|")  # fmt: skip
    for connections in (1, 4, 16, 64):
        for size in (1, 8, 64):

            async def write(connection: asyncpg.Connection, size: int = size) -> None:
                some = [list(row) for row in rows[:size]]
                for row in some:
                    row[0] = draw.randbytes(IDENTITY)
                await connection.fetch(INSERT_REPLIES, *zip(*sorted(some), strict=True))

            used = read_cpu(postgres.pid)
            rate = await repeat(address, connections, seconds, write)
            used = (read_cpu(postgres.pid) - used) / (rate * size * seconds) * 1e6
            print(f"| {connections} | {size} | {rate:,.0f} | {rate * size:,.0f} | {used:.0f} |")


async def measure_connections(address: str) -> None:
    """Print the memory that one connection takes of the server for itself, after moot's queries."""
    opened = [await connect(address) for _ in range(8)]
    kept = list[int]()
    for connection in opened:
        for _ in range(20):
            await connection.fetch(FIND, [os.urandom(IDENTITY) for _ in range(GROUP)])
        kept.append(_read_private(connection.get_server_pid()))
    for connection in opened:
        await connection.close()
    print(f"\nmemory of a connection of its own: {sum(kept) / len(kept) / 1024:.1f} MB")


def _read_private(process: int) -> int:
    """Return the memory that a process shares with no other, in kB."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Private"))


async def measure_look_ups(address: str, sizes: list[int], seconds: float) -> None:
    """Print how many calls are looked up in a second, as the table grows."""
    connection = await connect(address)
    await connection.execute("CREATE TEMPORARY TABLE pattern AS SELECT * FROM moot.replies LIMIT 0")
    await connection.execute(
        f"INSERT INTO pattern SELECT * FROM moot.replies ORDER BY id LIMIT {CALLS}"
    )
    await connection.execute("TRUNCATE replies")
    print("\n| replies | GB | index of identities, MB | new calls looked up a second | recorded "
          "calls | copying, replies a second |\n|---|---|---|---|---|---|")  # fmt: skip
    there, draw = 0, Random(0)
    for size in sizes:
        began = monotonic()
        for first in range(there, size, 100_000):
            await connection.execute(_COPIES, first, min(first + 100_000, size) - 1, timeout=3600)
        copied = (size - there) / (monotonic() - began)
        there = size
        await connection.execute("VACUUM ANALYZE replies")
        whole, index = await connection.fetchrow(
            "SELECT pg_total_relation_size('replies'), pg_relation_size('replies_identity_key')"
        )

        async def find_new(connection: asyncpg.Connection) -> None:
            found = await connection.fetch(FIND, [draw.randbytes(IDENTITY) for _ in range(GROUP)])
            assert not found

        async def find_recorded(connection: asyncpg.Connection, size: int = size) -> None:
            numbers = [draw.randrange(size) for _ in range(GROUP)]
            some = _digests(numbers)
            assert len(await connection.fetch(FIND, some)) >= GROUP - 2

        rates = [
            await repeat(address, 4, seconds, work) * GROUP for work in (find_new, find_recorded)
        ]
        cells = f"{whole / 1e9:.2f} | {index / 1e6:.0f} | {rates[0]:,.0f} | {rates[1]:,.0f}"
        print(f"| {size:,} | {cells} | {copied:,.0f} |", flush=True)
    await connection.close()


async def measure_parts(address: str, rows: int, parts: int, seconds: float) -> None:
    """Print how many calls are looked up in a second in one table, and in one of several parts."""
    connection = await connect(address)
    columns = "identity bytea NOT NULL, run bigint, reply bytea, digest bigint"
    tables = {"one table": "plain", f"{parts} parts": "parted"}
    await connection.execute(f"CREATE TABLE plain ({columns})")
    await connection.execute(f"CREATE TABLE parted ({columns}) PARTITION BY HASH (identity)")
    for part in range(parts):
        await connection.execute(
            f"CREATE TABLE parted_{part} PARTITION OF parted "
            f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})"
        )
    for table in tables.values():
        await connection.execute(
            f"INSERT INTO {table} SELECT decode(md5(number::text), 'hex'), 1, '', number "
            f"FROM generate_series(0, {rows - 1}) AS number",
            timeout=3600,
        )
        await connection.execute(f"CREATE UNIQUE INDEX ON {table} (identity)", timeout=3600)
        await connection.execute(f"VACUUM ANALYZE {table}", timeout=3600)
    draw = Random(0)
    print(f"\n{rows:,} replies, look-ups of {GROUP} and of 4, twice in turn\n")
    print("| | calls in a look-up | new calls a second | recorded calls |\n|---|---|---|---|")
    for size in (GROUP, 4) * 2:
        for name, table in tables.items():
            query = FIND.replace("FROM replies", f"FROM {table}")

            async def find_new(
                connection: asyncpg.Connection, size: int = size, query: str = query
            ) -> None:
                some = [draw.randbytes(IDENTITY) for _ in range(size)]
                assert not await connection.fetch(query, some)

            async def find_recorded(
                connection: asyncpg.Connection, size: int = size, query: str = query
            ) -> None:
                some = _digests([draw.randrange(rows) for _ in range(size)])
                assert len(await connection.fetch(query, some)) >= size - 2

            rates = [
                await repeat(address, 4, seconds, work) * size for work in (find_new, find_recorded)
            ]
            load = os.getloadavg()[0]
            print(f"| {name} | {size} | {rates[0]:,.0f} | {rates[1]:,.0f} | load {load:.0f}")
    await connection.close()


def _digests(numbers: list[int]) -> list[bytes]:
    return [md5(str(number).encode(), usedforsecurity=False).digest() for number in numbers]


def try_pooler(postgres: PostgresServer) -> None:
    """Print what a study does behind PgBouncer, in each of its modes."""
    for mode in ("session", "transaction"):
        with start_pgbouncer(postgres.make_database(), mode) as address:
            study = {"name": "pooled", "datasets": [{"name": "arithmetic", "n": 20}]}
            study |= {"arms": [{"protocol": "society-of-minds", "model": "simulated/crowd"}]}
            code = (
                "import asyncio, json, sys, moot\n"
                "study, store = json.loads(sys.argv[1]), sys.argv[2]\n"
                "for _ in range(2):\n"
                "    outcome = asyncio.run(moot.run(study, store=store))\n"
                "    print(outcome.done, outcome.failed, outcome.stopped)\n"
            )
            done = subprocess.run(
                [sys.executable, "-c", code, json.dumps(study), address],
                capture_output=True, text=True, check=False, timeout=120,
            )  # fmt: skip
        said = done.stdout.split("\n")[:-1] or done.stderr.strip().splitlines()[-1:]
        print(f"PgBouncer, pool_mode = {mode}: exit code {done.returncode}: {said}")


async def measure(options: argparse.Namespace, postgres: PostgresServer) -> None:
    """Measure all of it."""
    address = postgres.make_database()
    await measure_bytes(address)
    await measure_commits(address, postgres, options.seconds)
    await measure_connections(address)
    other = postgres.make_database()
    await asyncio.to_thread(run_study, other)
    await measure_look_ups(other, options.rows, options.seconds)


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement (3)")
    parser.add_argument("--parts", type=int, default=0, help="compare look-ups in so many parts")
    parser.add_argument("--pooler", action="store_true", help="try PgBouncer alone")
    options = parser.parse_args()
    with postgres_server() as postgres:
        if options.pooler:
            try_pooler(postgres)
        elif options.parts:
            address = postgres.make_database()
            postgres.execute("CREATE SCHEMA moot", address)
            most = max(options.rows)
            asyncio.run(measure_parts(address, most, options.parts, options.seconds))
        else:
            asyncio.run(measure(options, postgres))


if __name__ == "__main__":
    main()
