"""What is paid beyond a cap: long replies, several processes, one that is killed.

    python bench/caps.py                      # all of it, about a minute
    python bench/caps.py --only lengths       # replies of 2,000 tokens without max_tokens
    python bench/caps.py --only processes     # 2 and 4 processes on one budget, and one is killed

A server of its own, in a process of its own, counts what it is asked and what its replies would
cost. Each figure is what that server counted, divided by the cap. The seed is printed.
"""

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from typing import Any

from shared import HttpConnection, completion, read_counts, server_process

SEED = 20261122
INPUT, OUTPUT = 1.0, 10.0
"""US dollars for a million tokens."""
KINDS = {
    "2,000 tokens each": "2000",
    "median 1,000, some ten times as long": "spread",
    "20 tokens, then 4,000": "late",
}


# The server


def _length(kind: str, number: int, dice: random.Random) -> int:
    if kind == "spread":
        return min(20_000, int(dice.lognormvariate(6.9, 1.0)))
    if kind == "late":
        return 20 if number < 40 else 4000
    return int(kind)


class Connection(HttpConnection):
    """One connection to the server that counts tokens and cost."""

    def __init__(self, kind: str, latency: float, dice: random.Random, seen: dict[str, float]):
        super().__init__()
        self.kind, self.latency, self.dice, self.seen = kind, latency, dice, seen

    def counts(self):
        """Return what all connections have counted."""
        return self.seen

    def handle(self, body):
        """Count a request and its reply, and answer after the latency."""
        seen, text = self.seen, json.loads(body)["messages"][-1]["content"]
        length, prompt = _length(self.kind, seen["calls"], self.dice), len(text) // 4 + 8
        seen["first"] += int(text.split()[1].rstrip(":")) < 10_000
        seen["calls"] += 1
        seen["tokens"] += prompt + length
        seen["cost"] += (prompt * INPUT + length * OUTPUT) / 1e6
        reply = completion("word " * min(length, 50), prompt, length)
        self.later(self.latency, self.send_json, reply)


async def serve(kind: str, latency: float, seed: int) -> None:
    """Answer every POST after the latency, and any GET with the counts."""
    dice, seen = random.Random(seed), {"calls": 0, "tokens": 0, "cost": 0.0, "first": 0}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(kind, latency, dice, seen), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def server(kind: str, latency: float, seed: int) -> AbstractContextManager[str]:
    """Start a server in a process of its own, and yield its address."""
    return server_process([sys.executable, __file__, "serve", kind, latency, seed])


# A process that pays


async def work(given: dict[str, Any]) -> dict[str, float]:
    """Make calls under a budget until it is reached; what this process paid for."""
    from moot import Call, Price
    from moot.core.calls import Draw, Message, Sampling
    from moot.core.errors import BudgetReached
    from moot.runtime.budget import Budget
    from moot.runtime.retry import Retry
    from moot.studies.lab import open_lab

    name = f"{given['address']}/v1/bench?concurrency={given['at_once']}"
    async with open_lab(given["store"]) as lab:
        # Each process runs a part of it, as the workers of one run do.
        row, _ = await lab.store.open_debate("caps", "caps", b"{}", None)
        model = lab.model(name)
        known = {model.name: Price(INPUT, OUTPUT)}
        lab.set_budget(Budget(**given["budget"]), Retry(), known, run=row.id, models=[name])
        sampling = Sampling(max_tokens=given.get("max_tokens"))
        numbers = iter(range(given["first"], given["first"] + given["calls"]))

        async def caller() -> None:
            for number in numbers:
                said = (Message("user", f"Question {number}: {'why? ' * 20}"),)
                call = Call(model=model.name, messages=said, sampling=sampling, draw=Draw())
                try:
                    await lab.path.reply(model, call, call.request())
                except BudgetReached:
                    return

        await asyncio.gather(*(caller() for _ in range(given["at_once"])))
        traffic = lab.path.traffic
        return {"calls": traffic.calls, "tokens": traffic.prompt_tokens + traffic.completion_tokens}


def begin(**given: Any) -> "subprocess.Popen[bytes]":
    """Start a process that pays."""
    command = [sys.executable, __file__, "work", json.dumps(given)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


# What is measured


def lengths(seed: int) -> None:
    """One process, 64 in flight, no ``max_tokens``."""
    print("\none process, 64 calls in flight, no max_tokens: what was paid, by the cap")
    for about, kind in KINDS.items():
        for cap, budget in (("tokens", {"tokens": 100_000}), ("cost", {"cost": 1.0})):
            with tempfile.TemporaryDirectory() as store, server(kind, 0.05, seed) as address:
                began = time.monotonic()
                paying = begin(
                    address=address, store=store, first=0, calls=2000, at_once=64, budget=budget
                )
                paying.communicate()
                found, took = read_counts(address), time.monotonic() - began
            print(
                f"  {about:38} cap on {cap:6}: {found[cap] / budget[cap]:5.2f} x"
                f"  ({found['calls']:.0f} calls, {took:.1f} s)"
            )


def processes(seed: int) -> None:
    """Several processes on one budget."""
    print("\nseveral processes on one budget, 16 calls in flight each: what was paid, of the cap")
    caps: dict[str, dict[str, float]] = {
        "calls": {"calls": 200},
        "tokens": {"tokens": 400_000},
        "cost": {"cost": 2.0},
    }
    for many in (2, 4):
        for killed in (False, True):
            for cap, budget in caps.items():
                print("  " + _together(many, budget, cap, seed, killed=killed))


def _together(many: int, budget: dict[str, float], cap: str, seed: int, *, killed: bool) -> str:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as store, server("2000", 0.05, seed) as address:
        given = {"address": address, "store": store, "at_once": 16, "budget": budget}
        paying = [begin(**given, first=10_000 * n, calls=2000) for n in range(many)]
        if killed:
            while read_counts(address)["first"] < 20 and paying[0].poll() is None:
                time.sleep(0.005)
            paying[0].send_signal(signal.SIGKILL)
        shares = [process.communicate()[0] for process in paying]
        found = read_counts(address)
        # What is left, a process that begins later can use.
        begin(**given, first=10_000 * many, calls=2000).communicate()
        after = read_counts(address)
    own = [json.loads(share)["calls"] if share else "killed" for share in shares]
    return (
        f"{many} processes{', one killed' if killed else '':12} cap on {cap:6}: "
        f"{after[cap]:9.6g} of {budget[cap]:g} (before a later process: {found[cap]:.6g}; "
        f"calls of each: {own}, {time.monotonic() - began:.1f} s)"
    )


def main() -> None:
    """Measure, or be one of the processes."""
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(sys.argv[2], float(sys.argv[3]), int(sys.argv[4])))
        return
    if sys.argv[1:2] == ["work"]:
        print(json.dumps(asyncio.run(work(json.loads(sys.argv[2])))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    every = {"lengths": lengths, "processes": processes}
    parser.add_argument("--only", nargs="+", choices=every, default=list(every))
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    for name in options.only:
        every[name](options.seed)


if __name__ == "__main__":
    main()
