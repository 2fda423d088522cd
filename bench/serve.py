"""What a debate costs through the endpoint, against the same debate in one's own process.

    python bench/serve.py                     200 clients at once, a 200 ms model, 5 rounds of both
    python bench/serve.py --only first        from a model's reply to its first byte in a stream
    python bench/serve.py --only memory       memory over 20,000 requests
    python bench/serve.py --only peer --optillm path/to/bin/optillm   self-consistency, 5 samples
    python bench/serve.py --json figures.json

Server and direct contender are processes of their own; both hold the same debates, each with a
store of its own and every reply recorded durably. bench/README.md says what is measured and how.
"""

import argparse
import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from contenders import MINDS, SAMPLES, Child, Optillm, Way
from overhead import HERE
from overhead import server as model_server
from server import Connection, Counts, prepared
from shared import spread


class Took(NamedTuple):
    """CPU in µs a call and wall seconds of one run."""

    cpu: float
    wall: float


def questions(number: int, seed: int) -> list[str]:
    """Expressions such as Du et al. ask."""
    draw = random.Random(seed)
    return [
        "What is the result of {}+{}*{}+{}-{}*{}?".format(*draw.choices(range(1000), k=6))
        for _ in range(number)
    ]


@contextlib.contextmanager
def endpoint(address: str, *, at_once: int, way: Way | None = None) -> Iterator[Child]:
    """A server in front of the model at this address, with a fresh store."""
    with TemporaryDirectory() as store:
        at_model = f"{address}/v1/bench?concurrency={at_once * SAMPLES.calls}"
        child = Child(at_model, store, way or MINDS)
        try:
            yield child
        finally:
            child.close()


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, child: Child, text: str
) -> bytes:
    """One completion over an open connection."""
    body = _body(child, text)
    writer.write(_head(body) + body)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head + await reader.read(2000)
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    return await reader.readexactly(length)


def _body(child: Child, text: str, **more: Any) -> bytes:
    message = {"role": "user", "content": text}
    return json.dumps({"model": child.model, "messages": [message], **child.more, **more}).encode()


def _head(body: bytes) -> bytes:
    return (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    )


async def load(child: Child, clients: int, texts: list[str]) -> float:
    """Ask everything, so many clients at once; gives the wall seconds."""
    links = [
        await asyncio.open_connection("127.0.0.1", child.port, limit=1 << 24)
        for _ in range(clients)
    ]
    left = iter(texts)

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for text in left:
            child.check(json.loads(await ask(reader, writer, child, text)))

    began = time.perf_counter()
    await asyncio.gather(*(client(*link) for link in links))
    wall = time.perf_counter() - began
    for _, writer in links:
        writer.close()
    return wall


def through(latency: float, clients: int, texts: list[str], *, way: Way | None = None) -> Took:
    """The debates through the endpoint."""
    with (
        model_server(latency, rate_limits=False) as address,
        endpoint(address, at_once=clients, way=way) as child,
    ):
        return measured(child, clients, texts)


def by_optillm(latency: float, clients: int, texts: list[str], command: Path) -> Took:
    """The same samples through optillm."""
    with model_server(latency, rate_limits=False) as address:
        child = Optillm(command, address)
        try:
            return measured(child, clients, texts)
        finally:
            child.close()


def measured(child: Child, clients: int, texts: list[str]) -> Took:
    """What a server takes for these, once it is warm."""
    asyncio.run(load(child, 1, ["Warm?"]))
    before = child.cpu
    wall = asyncio.run(load(child, clients, texts))
    return Took((child.cpu - before) / len(texts) / child.way.calls * 1e6, wall)


def beside(latency: float, clients: int, texts: list[str]) -> Took:
    """The same debates in a process of one's own."""
    with model_server(latency, rate_limits=False) as address, TemporaryDirectory() as store:
        model = f"{address}/v1/bench?concurrency={clients * SAMPLES.calls}"
        job = {"model": model, "store": store, "clients": clients, "questions": texts}
        command = [sys.executable, HERE / "contenders.py", "direct", json.dumps(job)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    took = json.loads(done.stdout.splitlines()[-1])
    return Took(took["cpu"] / len(texts) / MINDS.calls * 1e6, took["wall"])


def peer(options: argparse.Namespace) -> dict[str, Any]:
    """Self-consistency with five samples, here and by optillm, round by round."""
    ours, theirs = [], []
    for number in range(options.rounds):
        texts = questions(options.questions, 1000 + number)
        ours.append(through(options.latency, options.clients, texts, way=SAMPLES))
        theirs.append(by_optillm(options.latency, options.clients, texts, options.optillm))
        print(f"round {number + 1}: moot {ours[-1]}, optillm {theirs[-1]}", file=sys.stderr)
    return {
        "moot CPU µs a call": spread([each.cpu for each in ours]),
        "optillm CPU µs a call": spread([each.cpu for each in theirs]),
        "moot wall s": spread([each.wall for each in ours]),
        "optillm wall s": spread([each.wall for each in theirs]),
    }


def compare(options: argparse.Namespace) -> dict[str, Any]:
    """Both, round by round."""
    served, own = [], []
    for number in range(options.rounds):
        texts = questions(options.questions, number)
        pair = [(through, served), (beside, own)]
        for way, kept in pair if number % 2 else reversed(pair):
            kept.append(way(options.latency, options.clients, texts))
        print(f"round {number + 1}: endpoint {served[-1]}, direct {own[-1]}", file=sys.stderr)
    ratio = [s.cpu / o.cpu for s, o in zip(served, own, strict=True)]
    walls = [s.wall / o.wall for s, o in zip(served, own, strict=True)]
    return {
        "endpoint CPU µs a call": spread([each.cpu for each in served]),
        "direct CPU µs a call": spread([each.cpu for each in own]),
        "CPU endpoint / direct": spread(ratio),
        "endpoint wall s": spread([each.wall for each in served]),
        "direct wall s": spread([each.wall for each in own]),
        "wall endpoint / direct": spread(walls),
    }


@contextlib.asynccontextmanager
async def noting(latency: float) -> AsyncIterator[tuple[str, list[float]]]:
    """A model server in this process that notes when it replied; its address and the notes."""
    said: list[float] = []

    class Noting(Connection):
        def answer(self, reply: bytes) -> None:
            said.append(time.perf_counter())
            super().answer(reply)

    reply, counts = prepared(rate_limits=False), Counts()
    loop = asyncio.get_running_loop()
    made = await loop.create_server(lambda: Noting(counts, reply, latency), "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{made.sockets[0].getsockname()[1]}", said
    finally:
        made.close()


async def first(options: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds from a model's first reply to the first byte of it at the client."""
    delays = []
    async with noting(options.latency) as (address, said):
        with endpoint(address, at_once=8) as child:
            for text in ["Warm?", *questions(options.streams, 99)]:
                said.clear()
                reader, writer = await asyncio.open_connection("127.0.0.1", child.port)
                body = _body(child, text, stream=True)
                writer.write(_head(body) + body)
                await reader.readuntil(b"reasoning_content")
                delays.append((time.perf_counter() - said[0]) * 1000)
                while b"[DONE]" not in await reader.readline():
                    pass
                writer.close()
    return {"first byte ms": spread(delays[1:]), "worst ms": round(max(delays[1:]), 1)}


def memory(options: argparse.Namespace) -> dict[str, Any]:
    """Memory of the server in MB as requests go on, each with a debate of its own."""
    told: dict[str, Any] = {}
    steps = [1_000, 2_000, 5_000, 10_000, options.requests]
    with (
        model_server(0.0, rate_limits=False) as address,
        endpoint(address, at_once=64) as child,
    ):
        done = 0
        for step in sorted({min(step, options.requests) for step in steps}):
            asyncio.run(load(child, 64, questions(step - done, step)))
            done = step
            told[f"MB after {step}"] = round(child.megabytes, 1)
            print(f"{step}: {child.megabytes:.1f} MB", file=sys.stderr)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("compare", "first", "memory", "peer"), nargs="*")
    parser.add_argument("--optillm", type=Path, help="the command, where it is installed")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=600, help="debates a round (600)")
    parser.add_argument("--clients", type=int, default=200, help="at once (200)")
    parser.add_argument("--latency", type=float, default=0.2, help="of the model, in seconds (0.2)")
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--json", type=Path, help="gets the figures")
    options = parser.parse_args()
    wanted = options.only or ["compare", "first", "memory"]
    figures: dict[str, Any] = {}
    if "compare" in wanted:
        figures |= compare(options)
    if "first" in wanted:
        figures |= asyncio.run(first(options))
    if "memory" in wanted:
        figures |= memory(options)
    if "peer" in wanted:
        figures |= peer(options)
    for name, value in figures.items():
        print(f"{name:26} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
