"""Generated tokens per second of the embedded model: of a study, and from llama.cpp alone.

``moot`` is ``moot.run`` on a study: society of minds, 3 agents and 2 rounds, replies of at most 100
tokens; its time includes loading the model, reading answers, recording and the
results. ``llama.cpp`` is ``handle_chat_completions`` of xllamacpp, called from as many threads as
the model has slots, with the very requests that the study left in its ledger; a debate's second
round can be asked when its first is answered, and goes before the first of other debates. It has
the same layout of memory and is loaded before the clock starts. They take turns in one process.

    python bench/local.py [--debates 8] [--rounds 3] [--parallel 8] [--threads 2] [--context 2048]

Run it on a quiet machine: two threads of computation wait for each other at every layer.
"""

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from shared import stored_calls

import moot
from moot.core.calls import Call
from moot.models import llama, weights
from moot.models.llama import Shape

MOST = 100


def study(model: str, debates: int, seed: int) -> dict[str, Any]:
    """The study of one round of the measurement."""
    return {
        "name": "speed",
        "settings": {"model": model, "max_tokens": MOST, "seed": seed},
        "datasets": [{"name": "arithmetic", "difficulty": 2, "n": debates, "seed": seed}],
        "arms": [{"protocol": "society-of-minds", "agents": 3, "rounds": 2}],
    }


def recorded(store: Path) -> list[Call]:
    """Return the calls of a study, debate by debate."""
    calls = stored_calls(store / "moot.db")
    return sorted(calls, key=lambda call: (_debate(call), call.draw))


async def through_moot(spec: dict[str, Any], store: Path) -> int:
    """Tokens a study writes."""
    outcome = await moot.run(spec, store=store)
    assert not outcome.failed, outcome.reasons
    [arm] = outcome.results.arms
    return int(arm.completion_tokens.total or 0)


class Debates:
    """Recorded calls, each to be had when those it waits for are answered."""

    def __init__(self, calls: list[Call]) -> None:
        self._changed = threading.Condition()
        first = min(len(call.messages) for call in calls)
        self._ready = [call for call in calls if len(call.messages) == first]
        self._later: dict[str, list[Call]] = defaultdict(list)
        self._open = Counter(_debate(call) for call in self._ready)
        for call in calls:
            if len(call.messages) > first:
                self._later[_debate(call)].append(call)
        self._left = len(calls)
        self.tokens = 0

    def next(self) -> Call | None:
        """The next call; None when none is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._ready or not self._left)
            if not self._ready:
                return None
            self._left -= 1
            return self._ready.pop(0)

    def answered(self, call: Call, tokens: int) -> None:
        """Take in a reply; a debate's second round goes before other debates."""
        with self._changed:
            self.tokens += tokens
            debate = _debate(call)
            self._open[debate] -= 1
            if not self._open[debate]:
                self._ready[:0] = self._later.pop(debate, [])
            self._changed.notify_all()


def _debate(call: Call) -> str:
    return call.messages[0].content


def alone(server: Any, parallel: int, calls: list[Call]) -> int:
    """Tokens written by llama.cpp called from plain threads."""
    debates = Debates(calls)

    def work() -> None:
        while call := debates.next():
            body = llama.request(call)
            answer = server.handle_chat_completions(body)
            debates.answered(call, answer["usage"]["completion_tokens"])

    threads = [threading.Thread(target=work) for _ in range(parallel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return debates.tokens


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--debates", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--context", type=int, default=2048)
    given = parser.parse_args()
    shape = Shape(parallel=given.parallel, context=given.context, threads=given.threads)
    name = (
        f"local/smollm2?parallel={shape.parallel}&context={shape.context}&threads={shape.threads}"
    )
    server = llama.serve((await weights.obtain("smollm2")).path, shape, "key")
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        warm = Path(folder) / "warm"
        await through_moot(study(name, 1, 0), warm)
        alone(server, shape.parallel, recorded(warm))
        for seed in range(1, given.rounds + 1):
            store = Path(folder) / str(seed)
            began = time.perf_counter()
            tokens = await through_moot(study(name, given.debates, seed), store)
            ours = tokens / (time.perf_counter() - began)
            calls = recorded(store)
            began = time.perf_counter()
            same = await asyncio.to_thread(alone, server, shape.parallel, calls)
            theirs = same / (time.perf_counter() - began)
            ratios.append(ours / theirs)
            print(
                f"{len(calls)} calls: a study {tokens} tokens at {ours:.1f} tokens/s, "
                f"llama.cpp {same} at {theirs:.1f}: {ours / theirs:.2f}",
                flush=True,
            )
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"study / llama.cpp: {statistics.median(ratios):.2f} (median of {len(ratios)}: {told})")


asyncio.run(main())
