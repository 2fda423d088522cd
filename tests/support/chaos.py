"""A chat-completions server that misbehaves on request, for tests against the real network.

What a request meets stands in the name of its model: one or more directives joined by ``+``.

    ok                  a reply that depends on messages and seed alone
    429x2               the first two attempts at these messages and seed meet 429, then ok
    429x1+after=0.2     the same, with Retry-After: 0.2
    storm=0.3           3 in 10 attempts meet one of ``PASSING``, drawn by request and attempt

Directives are: any status from 400 on; the names of ``support.quirks.QUIRKS``; ``hang``;
``redirect=URL``; ``after=SECONDS`` and ``date`` (Retry-After); ``late=SECONDS``;
``say=TEXT`` and ``type=TEXT`` (of the error); ``echo`` (the request's key in the error);
``nosystem`` (400 where a message is of the role system; ``say`` has the words);
``fits=CHARACTERS`` (400 where the messages have more; ``say`` has the words);
``refuse=PARAMETER`` (400 where it is sent; with ``noparam`` only the message names it);
``limits`` (rate-limit headers).

Run alone, in ``tests``: ``python -m support.chaos --port-file FILE --latency 0.05 --log FILE``. The
log gets one JSON object for each request, written before it is answered. It can be an
``HTTP_PROXY``, too: then it answers in place of every host.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from support.quirks import QUIRKS, Broken, Refuses, Sent, Shape, as_events, completion, error

PASSING = ("429", "500", "503", "reset", "cut", "html", "malformed", "empty")


def reply_text(messages: Any, seed: object) -> str:
    """What the server answers: a number from 0 to 9 that messages and seed decide."""
    digest = blake2b(json.dumps([messages, seed], sort_keys=True).encode()).digest()
    return f"Let me think. The answer is {digest[0] % 10}."


LIMITS = {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-remaining-requests": "499",
    "x-ratelimit-reset-requests": "120ms",
    "x-ratelimit-limit-tokens": "30000",
    "x-ratelimit-remaining-tokens": "29000",
    "x-ratelimit-reset-tokens": "2s",
}


class Chaos:
    """The server. ``seen`` has one entry for each request, as in the log but whole."""

    def __init__(self, latency: float = 0.0, log: Path | None = None, port: int = 0) -> None:
        self.latency, self.port = latency, port
        self.seen: list[dict[str, Any]] = []
        self.models: list[str] = []
        """What ``/v1/models`` lists; 404 without any."""
        self.open = 0
        self._log = log.open("a", encoding="utf-8") if log else None
        self._attempts: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self.port, limit=1 << 26, backlog=2048
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._log:
            self._log.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.open += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; False when the connection is done."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if head[0].startswith("GET "):
            listed = json.dumps({"data": [{"id": each} for each in self.models]}).encode()
            status = 200 if self.models else 404
            writer.write(b"HTTP/1.1 %d S\r\nContent-Length: %d\r\n\r\n" % (status, len(listed)))
            writer.write(listed)
            return True
        entry = self._note(head[0], headers, json.loads(body or b"{}"))
        entry["port"] = writer.get_extra_info("peername")[1]
        meets = entry["meets"]
        late = 3600.0 if "hang" in meets else float(meets.get("late") or self.latency)
        if late:
            # A client that goes away while it waits is noticed as the end of the stream.
            gone = asyncio.ensure_future(reader.read(1))
            if (await asyncio.wait({gone}, timeout=late))[0]:
                return False
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        broken = next((each for each in _find_quirks(meets) if isinstance(each, Broken)), None)
        if broken is not None:
            writer.write(broken.data)
            if not broken.data:
                writer.transport.abort()
            return False
        status, content, extra = self._answer(entry)
        lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in extra.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        await writer.drain()
        return True

    def _note(self, line: str, headers: dict[str, str], request: dict[str, Any]) -> dict[str, Any]:
        """Log a request with what it meets, this being its n-th attempt."""
        seed = request.get("seed", request.get("random_seed"))
        model = str(request.get("model", "ok"))
        key = json.dumps([request.get("messages"), seed, model], sort_keys=True)
        identity = blake2b(key.encode(), digest_size=8).hexdigest()
        attempt = self._attempts[identity]
        self._attempts[identity] += 1
        meets: dict[str, str] = {}
        for part in model.split("+"):
            name, _, value = part.partition("=")
            counted = re.fullmatch(r"(.+)x(\d+)", name)
            if not counted:
                meets[name] = value
            elif attempt < int(counted[2]):
                meets[counted[1]] = value
        if "storm" in meets:
            draw = random.Random(f"{identity} {attempt}")
            if draw.random() < float(meets["storm"]):
                meets[draw.choice(PASSING)] = ""
        entry = {"identity": identity, "attempt": attempt, "seed": seed, "time": time.time()}
        entry["did"] = "+".join(meets)
        if self._log:
            self._log.write(json.dumps(entry) + "\n")
            self._log.flush()
        entry |= {"meets": meets, "line": line, "headers": headers, "request": request}
        self.seen.append(entry)
        return entry

    def _answer(self, entry: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        meets, request = entry["meets"], entry["request"]
        extra = LIMITS.copy() if "limits" in meets else {}
        if "after" in meets:
            extra["Retry-After"] = meets["after"]
        if "date" in meets:
            extra["Retry-After"] = formatdate(time.time() + 5, usegmt=True)
        if "redirect" in meets:
            return 307, b"", {"Location": meets["redirect"]}
        if refusal := _refuse(meets, request):
            return 400, refusal, extra
        status = next((name for name in meets if name.isdecimal()), None)
        if status is not None:
            message = meets.get("say") or "it did not work"
            if "echo" in meets:
                sent = entry["headers"].get("authorization"), entry["headers"].get("api-key")
                message = f"\x1b[31m{'.' * 165} {sent[0]} {sent[1]}"
            return int(status), error(message=message, type=meets.get("type")), extra
        return answer_with(_find_quirks(meets), request, entry["seed"], extra)


def _find_quirks(meets: dict[str, str]) -> list[Any]:
    """What the rows that a request meets send; statuses are the server's own."""
    return [QUIRKS[name].sends for name in meets if name in QUIRKS and not name.isdecimal()]


def answer_with(
    quirks: list[Any], request: dict[str, Any], seed: object, extra: dict[str, str]
) -> tuple[int, bytes, dict[str, str]]:
    """Return the status, the body and the headers with which a server of these quirks answers."""
    data = completion(reply_text(request.get("messages"), seed))
    for each in quirks:
        if isinstance(each, Sent):
            return each.status, each.body, extra | each.headers
        if isinstance(each, Refuses) and (refusal := each.refuse(request)):
            return each.status, refusal, extra
        if isinstance(each, Shape):
            choice = data["choices"][0]
            each.change(data, choice, choice["message"])
    streams = bool(request.get("stream")) and any(isinstance(each, Shape) for each in quirks)
    return 200, as_events(data) if streams else json.dumps(data).encode(), extra


def _refuse(meets: dict[str, str], request: dict[str, Any]) -> bytes:
    """What is said of a part of the request that the endpoint does not take; else nothing."""
    roles = [each["role"] for each in request.get("messages", ())]
    if "nosystem" in meets and "system" in roles:
        said = meets.get("say") or "System role not supported"
        return error(message=said, param=f"messages[{roles.index('system')}].role")
    size = sum(len(str(each["content"])) for each in request.get("messages", ()))
    if "fits" in meets and size > int(meets["fits"]):
        return error(message=meets["say"])
    refused = meets.get("refuse")
    if refused not in request:
        return b""
    said = f"Unsupported parameter: '{refused}' is not supported with this model."
    named = None if "noparam" in meets else refused
    return error(message=said, param=named, code="unsupported_parameter")


async def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="A chat-completions server that misbehaves.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, help="gets the port once the server listens")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--log", type=Path, help="gets a JSON line for each request")
    options = parser.parse_args(arguments)
    async with Chaos(options.latency, options.log, options.port) as server:
        if options.port_file:
            # Renamed into place, so that a reader never finds it empty.
            part = options.port_file.with_suffix(".part")
            part.write_text(str(server.port))
            part.rename(options.port_file)
        await asyncio.Event().wait()


@contextmanager
def start_chaos(folder: Path, latency: float = 0.0) -> Iterator[tuple[str, Path]]:
    """Run the server in a process of its own. Gives its address and its log."""
    port, log = folder / "port", folder / "log.jsonl"
    options = ["--port-file", port, "--log", log, "--latency", str(latency)]
    command = [sys.executable, "-m", "support.chaos", *options]
    with subprocess.Popen(command, cwd=Path(__file__).parents[1]) as process:
        end = time.monotonic() + 30
        while not port.exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port.read_text()}/v1", log
        process.kill()


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
