"""The servers that bench/serve.py asks, and the contender without one: each in its own process."""

import asyncio
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

AGENTS, ROUNDS = 3, 2
TICK = os.sysconf("SC_CLK_TCK")


class Way(NamedTuple):
    """A protocol, its settings as in a model's name, and the calls that a debate makes."""

    protocol: str
    settings: str
    calls: int


MINDS = Way("society-of-minds", f"agents={AGENTS}&rounds={ROUNDS}", AGENTS * ROUNDS)
SAMPLES = Way("self-consistency", "samples=5", 5)


async def serving(job: dict[str, Any]) -> None:
    """A server, until standard input closes."""
    from moot.contrib.server import config, serving

    limits = {"debates": 10_000, "connections": 10_000, "idle": 60.0}
    made = config.config_from(models=[job["model"]], limits=limits, pages=False)

    def told(text: str) -> None:
        if "moot serves" in text:
            print(text.split("/v1", maxsplit=1)[0].rpartition(":")[2], flush=True)

    work = asyncio.ensure_future(
        serving.serve(made, host="127.0.0.1", port=0, store=job["store"], told=told)
    )
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


async def direct(job: dict[str, Any]) -> None:
    """The debates, without a server; prints what they took."""
    import aiohttp  # noqa: F401 -- what moot imports at its first call
    import jinja2.sandbox  # noqa: F401

    from moot.ledger.store import RunLedger
    from moot.metrics.metric import registry
    from moot.runtime.budget import Budget, BudgetGuard
    from moot.studies.lab import open_lab, run_and_save
    from moot.studies.question_plan import plan_question

    registry.all()
    async with open_lab(job["store"]) as lab:
        left = enumerate(job["questions"])

        async def client() -> None:
            for number, text in left:
                settings = {"model": job["model"], "agents": AGENTS, "rounds": ROUNDS}
                asked = {"protocol": "society-of-minds", "settings": settings, "kind": "number"}
                ready = plan_question(text, **asked)
                row, _ = await ready.begin(lab)
                path = lab.path.branch(RunLedger(lab.store, row.id), BudgetGuard(Budget()))
                transcript = await run_and_save(lab, row, ready.task(0, number), path)
                assert transcript.verdict is not None, transcript.failed

        await asyncio.wait_for(_once(lab, job), 60)  # its imports, and the first connection
        before, began = _used(), time.perf_counter()
        await asyncio.gather(*(client() for _ in range(job["clients"])))
        wall, cpu = time.perf_counter() - began, _used() - before
    print(json.dumps({"cpu": cpu, "wall": wall}))


async def _once(lab: Any, job: dict[str, Any]) -> None:
    from moot.studies.lab import run_and_save
    from moot.studies.question_plan import plan_question

    settings = {"model": job["model"], "agents": AGENTS, "rounds": ROUNDS}
    ready = plan_question("Warm?", protocol="society-of-minds", settings=settings, kind="number")
    await run_and_save(lab, (await ready.begin(lab))[0], ready.task(), lab.path)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Child:
    """A server in a process of its own.

    Args:
        model: the model that it asks.
        store: a folder.
        way: a protocol with its settings, and the calls that a debate makes.
    """

    def __init__(self, model: str, store: str, way: Way) -> None:
        self._of = subprocess.Popen(
            [sys.executable, __file__, "serving", json.dumps({"model": model, "store": store})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.way, self.more = way, {"moot": {"kind": "number"}}
        self.model = f"{way.protocol}:{model}&{way.settings}"
        self.port = int(self._of.stdout.readline())

    def check(self, told: dict[str, Any]) -> None:
        """Whether an answer is one for which the calls were really made."""
        assert told["moot"]["calls"] == self.way.calls, told
        assert not told["moot"]["replayed"], told

    @property
    def cpu(self) -> float:
        """CPU seconds so far, all its threads."""
        fields = Path(f"/proc/{self._of.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def megabytes(self) -> float:
        """Its memory now."""
        pages = int(Path(f"/proc/{self._of.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        """Let it end."""
        self._of.stdin.close()
        self._of.wait(60)


class Optillm(Child):
    """optillm's proxy, its own self-consistency behind it."""

    def __init__(self, command: Path, address: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.model, self.more, self.way = "bench", {}, SAMPLES
        options = ["--approach", "self_consistency", "--base-url", f"{address}/v1"]
        self._of = subprocess.Popen(
            [command, *options, "--port", str(self.port), "--log", "critical"],
            env={**os.environ, "OPENAI_API_KEY": "none", "OPTILLM_API_KEY": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(600):
            time.sleep(0.1)
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return

    def check(self, told: dict[str, Any]) -> None:
        """Whether an answer is one."""
        assert told["choices"][0]["message"]["content"], told

    def close(self) -> None:
        """End it."""
        self._of.terminate()
        self._of.wait(60)


if __name__ == "__main__":
    asyncio.run({"serving": serving, "direct": direct}[sys.argv[1]](json.loads(sys.argv[2])))
