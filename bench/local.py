"""Generated tokens per second of the embedded model: through moot, and from llama.cpp alone.

Society of minds, 3 agents and 2 rounds, replies of at most 100 tokens, later rounds first. Both do
the same work in turns, in one process: ``moot`` awaits ``Model.reply`` from as many tasks as the
model has slots; ``llama.cpp`` is ``handle_chat_completions`` of xllamacpp, with the same layout of
memory and the same sampling values, called from as many threads.

    python bench/local.py [--debates 8] [--rounds 3] [--parallel 8] [--threads 2] [--context 2048]

Run it on a quiet machine: two threads of computation wait for each other at every layer.
"""

import argparse
import asyncio
import heapq
import random
import resource
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from moot.core.calls import Call, Draw, Message, Sampling
from moot.models import llama, weights
from moot.models.llama import Shape
from moot.models.names import load

AGENTS = 3
Talk = tuple[Message, ...]


class Debates:
    """Debates being held: yields what can be asked now, later rounds first."""

    def __init__(self, number: int) -> None:
        self._order = count()
        self._ready: list[tuple[int, int, Talk, int, int]] = []
        self._first: dict[int, dict[int, Talk]] = {n: {} for n in range(number)}
        self.left = number * AGENTS * 2
        self.tokens = 0
        for n in range(number):
            draw = random.Random(n)
            a, b, c = (draw.randint(0, 30) for _ in range(3))
            text = f"What is the result of {a}+{b}*{c}? Give your reasons, then state the answer."
            for agent in range(AGENTS):
                self._add(1, (Message("user", text),), n, agent)

    def _add(self, late: int, talk: Talk, debate: int, agent: int) -> None:
        heapq.heappush(self._ready, (late, next(self._order), talk, debate, agent))

    def next(self) -> tuple[Call, Callable[[str, int | None], None]] | None:
        """A call and what takes its reply; None when all that is left waits for others."""
        if not self._ready:
            return None
        late, _, talk, debate, agent = heapq.heappop(self._ready)
        sampling = Sampling(temperature=0.7, max_tokens=100, seed=debate)
        call = Call(model="", messages=talk, sampling=sampling, draw=Draw(seat=agent))

        def done(text: str, tokens: int | None) -> None:
            self.left -= 1
            self.tokens += tokens or 0
            if late:
                self._first[debate][agent] = (*talk, Message("assistant", text))
                if len(self._first[debate]) == AGENTS:
                    self._second(debate)

        return call, done

    def _second(self, debate: int) -> None:
        said = self._first[debate]
        for agent in range(AGENTS):
            others = "\n\n".join(said[i][-1].content for i in range(AGENTS) if i != agent)
            text = f"The other agents said:\n\n{others}\n\nGive an updated answer."
            self._add(0, (*said[agent], Message("user", text)), debate, agent)


async def through_moot(model: Any, parallel: int, number: int) -> int:
    """Tokens written by way of ``Model.reply``."""
    debates, changed = Debates(number), asyncio.Condition()

    async def work() -> None:
        while debates.left:
            if not (job := debates.next()):
                async with changed:
                    await changed.wait()
                continue
            reply = await model.reply(job[0])
            job[1](reply.text, reply.completion_tokens)
            async with changed:
                changed.notify_all()

    await asyncio.gather(*(work() for _ in range(parallel)))
    return debates.tokens


def alone(server: Any, parallel: int, number: int) -> int:
    """Tokens written by llama.cpp called from plain threads."""
    debates, changed = Debates(number), threading.Condition()

    def work() -> None:
        while True:
            with changed:
                while not (job := debates.next()) and debates.left:
                    changed.wait()
            if not job:
                return
            body = llama.request(job[0])
            del body["stream"], body["stream_options"]
            answer = server.handle_chat_completions(body)
            with changed:
                text = answer["choices"][0]["message"]["content"]
                job[1](text, answer["usage"]["completion_tokens"])
                changed.notify_all()

    threads = [threading.Thread(target=work) for _ in range(parallel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return debates.tokens


def in_turns(rounds: int) -> Iterator[tuple[str, ...]]:
    """Who goes first changes with every round."""
    for i in range(rounds):
        yield ("moot", "llama.cpp")[:: 1 if i % 2 == 0 else -1]


async def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--debates", type=int, default=8)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--parallel", type=int, default=8)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--context", type=int, default=2048)
    given = options.parse_args()
    shape = Shape(parallel=given.parallel, context=given.context, threads=given.threads)
    model = load(
        f"local/smollm2?parallel={shape.parallel}&context={shape.context}&threads={shape.threads}"
    )
    server = llama.serve((await weights.obtain("smollm2")).path, shape)
    await through_moot(model, shape.parallel, 1)
    alone(server, shape.parallel, 1)
    rates: dict[str, list[float]] = {"moot": [], "llama.cpp": []}
    for pair in in_turns(given.rounds):
        for side in pair:
            wall, cpu = time.perf_counter(), time.process_time()
            if side == "moot":
                tokens = await through_moot(model, shape.parallel, given.debates)
            else:
                tokens = await asyncio.to_thread(alone, server, shape.parallel, given.debates)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            rates[side].append(tokens / wall)
            told = f"{tokens / wall:7.1f} tokens/s {1000 * cpu / tokens:7.1f} ms CPU a token"
            print(f"{side:10} {tokens:6} tokens {told}", flush=True)
    await model.close()
    ratios = [m / a for m, a in zip(rates["moot"], rates["llama.cpp"], strict=True)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"moot / llama.cpp: {statistics.median(ratios):.2f} (median of {len(ratios)} rounds: ",
        end="",
    )
    print(f"{', '.join(f'{ratio:.2f}' for ratio in ratios)}); peak memory {peak} MiB, two models")


asyncio.run(main())
