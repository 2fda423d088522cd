"""A chat-completions server that misbehaves on request, for tests against the real network.

What a request meets stands in the name of its model: one or more directives joined by ``+``.

    ok                  a reply that depends on messages and seed alone
    429x2               the first two attempts at these messages and seed meet 429, then ok
    429x1+after=0.2     the same, with Retry-After: 0.2
    storm=0.3           3 in 10 attempts meet one of ``PASSING``, drawn by request and attempt

Directives are: any status from 400 on; the names in ``ANSWERS``, ``BREAKS`` and ``SHAPES``;
``hang``; ``redirect=URL``; ``after=SECONDS`` and ``date`` (Retry-After); ``late=SECONDS``;
``say=TEXT`` and ``type=TEXT`` (of the error); ``echo`` (the request's key in the error);
``nosystem`` (400 where a message is of the role system; ``say`` has the words);
``fits=CHARACTERS`` (400 where the messages have more; ``say`` has the words);
``refuse=PARAMETER`` (400 where it is sent; with ``noparam`` only the message names it);
``limits`` (rate-limit headers).

Run alone: ``python tests/support/chaos.py --port-file FILE --latency 0.05 --log FILE``. The log
gets one JSON object for each request, written before it is answered. It can be an ``HTTP_PROXY``,
too: then it answers in place of every host.
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

PASSING = ("429", "500", "503", "reset", "cut", "html", "malformed", "empty")


def _usage(usage: Any) -> Any:
    return lambda data, _choice, _message: data.update(usage=usage)


THOUGHT = "The user wants a sum. SECRET: 2 and 2 are 4."


def _thinks(written: int, usage: dict[str, Any] | None = None, **message: Any) -> Any:
    """A reply with hidden thought, in the form of one provider; 20 tokens were read."""
    finish = "length" if not message.get("content") or "\nSo" in message["content"] else "stop"
    told = {"prompt_tokens": 20, "completion_tokens": written, "total_tokens": 20 + written}

    def shape(data: Any, choice: Any, own: Any) -> None:
        own.update(message)
        choice.update(finish_reason=finish)
        data.update(usage=told | (usage or {}))

    return shape


def _hidden(tokens: int, **usage: int) -> dict[str, Any]:
    return {"completion_tokens_details": {"reasoning_tokens": tokens}, **usage}


_SAID = "It is 4."
THINKING: dict[str, Any] = {
    "deepseek": _thinks(30, _hidden(22), content=_SAID, reasoning_content=THOUGHT),
    "openai": _thinks(30, _hidden(24), content=_SAID),
    "openaispent": _thinks(64, _hidden(64), content=""),
    "vllm": _thinks(30, content=_SAID, reasoning=THOUGHT),
    "oldvllm": _thinks(30, content=_SAID, reasoning=THOUGHT, reasoning_content=THOUGHT),
    "vllmspent": _thinks(64, content=None, reasoning=THOUGHT),
    "openrouter": _thinks(
        30, _hidden(22), content=_SAID, reasoning=THOUGHT, reasoning_details=[{"text": THOUGHT}]
    ),
    "xai": _thinks(8, _hidden(22, total_tokens=50), content=_SAID, reasoning_content=THOUGHT),
    "gemini": _thinks(8, {"total_tokens": 50}, content=_SAID),
    "sglang": _thinks(30, {"reasoning_tokens": 22}, content=_SAID, reasoning_content=THOUGHT),
    "mistral": _thinks(
        30,
        content=[
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": _SAID},
        ],
    ),
    "think": _thinks(30, content=f"<think>\n{THOUGHT}\n</think>\n\n{_SAID}"),
    "unopened": _thinks(30, content=f"{THOUGHT}\n</think>\n\n{_SAID}"),
    "unclosed": _thinks(30, content=f"<think>\n{THOUGHT}\nSo"),
    "harmony": _thinks(
        30,
        content=f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{_SAID}",
    ),
    "bareharmony": _thinks(30, content=f"analysis{THOUGHT}assistantfinal{_SAID}"),
    "thinking": _thinks(30, content=f"<thinking>\n{THOUGHT}\n</thinking>\n{_SAID}"),
    "magistral": _thinks(30, content=f"[THINK]{THOUGHT}[/THINK]{_SAID}"),
    "cutthinking": _thinks(30, content=f"<thinking>\n{THOUGHT} But let me verify\nSo"),
}
"""Replies of reasoning models, by who sends them so."""


SHAPES: dict[str, Any] = {
    "nousage": lambda data, _choice, _message: data.pop("usage"),
    "nullusage": _usage(None),
    "textusage": _usage("a lot"),
    "listusage": _usage([1]),
    "wrongusage": _usage({"prompt_tokens": -3, "completion_tokens": "many"}),
    "stringusage": _usage({"prompt_tokens": "20", "completion_tokens": 8.0}),
    "hugeusage": _usage({"prompt_tokens": 10**30, "completion_tokens": True}),
    "cachedusage": _usage({"prompt_tokens": 20, "prompt_tokens_details": {"cached_tokens": 12}}),
    "hitusage": _usage({"prompt_tokens": 20, "prompt_cache_hit_tokens": 99}),
    "null": lambda _data, _choice, message: message.update(content=None),
    "refusal": lambda _data, _choice, message: message.update(content=None, refusal="I will not."),
    "filter": lambda _data, choice, _message: choice.update(finish_reason="content_filter"),
    "length": lambda _data, choice, _message: choice.update(finish_reason="length"),
    "maxtokens": lambda _data, choice, message: (
        message.update(content="We add them up. The answer is 1"),
        choice.update(finish_reason="MAX_TOKENS"),
    ),
    "brokenoff": lambda _data, choice, _message: choice.update(finish_reason="error"),
    "parts": lambda _data, _choice, message: message.update(
        content=[{"type": "text", "text": "The answer "}, {"type": "text", "text": "is 4."}, 7]
    ),
    "texts": lambda _data, _choice, message: message.update(content=["The answer ", "is 4."]),
    "huge": lambda _data, _choice, message: message.update(content="é" * 1_000_000),
    "control": lambda _data, _choice, message: message.update(
        content="\x00\x07{{ 7*7 }}\u202e{% raw %}\u2028"
    ),
    "empty": lambda data, _choice, _message: data.update(choices=[]),
    "nochoices": lambda data, _choice, _message: data.pop("choices"),
    "nullchoices": lambda data, _choice, _message: data.update(choices=None),
    "nomessage": lambda _data, choice, _message: choice.pop("message"),
    "extras": lambda data, choice, _message: data.update(x=1, error=None, choices=[choice, choice]),
    **THINKING,
}


def completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}
    return {"id": "c-1", "object": "chat.completion", "choices": [choice], "usage": usage}


def reply_text(messages: Any, seed: object) -> str:
    """What the server answers: a number from 0 to 9 that messages and seed decide."""
    digest = blake2b(json.dumps([messages, seed], sort_keys=True).encode()).digest()
    return f"Let me think. The answer is {digest[0] % 10}."


def _error(**error: Any) -> bytes:
    return json.dumps({"error": error}).encode()


_GOOD = json.dumps(completion("The answer is 4.")).encode()
_CHUNKS = "\n".join(
    json.dumps({"choices": [{"delta": {"content": word}, "finish_reason": reason}], "usage": usage})
    for word, reason, usage in (
        ("The answer ", None, None),
        ("is 4.", "stop", {"prompt_tokens": 20, "completion_tokens": 8}),
    )
).encode()
ANSWERS: dict[str, tuple[int, bytes]] = {
    "html": (200, b"<html><style>p{}</style><body><p>502 Bad Gateway</p></body></html>"),
    "malformed": (200, _GOOD[:-30]),
    "surrogate": (200, _GOOD.replace(b"is 4", b"\\ud83d")),
    "notutf8": (200, _GOOD.replace(b"is 4", b"\xff")),
    "rawbreak": (200, _GOOD.replace(b"is 4", b"is\n4")),
    "deep": (200, b'{"choices": ' + b"[" * 100_000),
    "list": (200, b"[1]"),
    "nothing": (200, b""),
    "gateway": (200, _error(message="upstream is busy", code=429)),
    "gatewaytext": (200, b'{"error": "upstream is busy"}'),
    "binary": (500, b"\xff\xfe no \x00 json"),
    "detail": (
        422,
        json.dumps({"detail": [{"type": "missing", "loc": ["body", "x"], "msg": "no"}]}).encode(),
    ),
    "context": (
        400,
        _error(
            message="This model's maximum context length is 2048 tokens; lower max_tokens.",
            code="context_length_exceeded",
        ),
    ),
    "events": (200, _CHUNKS.replace(b"{", b"data: {", 1).replace(b"\n{", b"\n\ndata: {")),
    "comments": (
        200,
        b": ready\r\n\r\nevent: chunk\r\ndata: %b\r\n\r\ndata: [DONE]\r\n"
        % _CHUNKS.split(b"\n")[-1],
    ),
    "jsonlines": (200, _CHUNKS),
    "jsonline": (200, _CHUNKS.split(b"\n")[-1]),
    "marked": (200, b"\xef\xbb\xbf" + _GOOD),
    "code429": (200, _error(message="upstream is busy", code="429")),
    "code401": (200, _error(message="no such key", code="401")),
    "quota": (429, _error(message="You exceeded your quota", code="insufficient_quota")),
}
BREAKS: dict[str, bytes] = {
    "nothttp": b"\x16\x03 this is not HTTP\r\n\r\n",
    "cut": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(_GOOD) + _GOOD[:50],
    "chunkcut": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n32\r\n" + _GOOD[:50],
    "headcut": b"HTTP/1.1 200 OK\r\nContent-",
    "reset": b"",
}
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
        broken = next((name for name in meets if name in BREAKS), None)
        if broken is not None:
            writer.write(BREAKS[broken])
            if broken == "reset":
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
        whole = next((name for name in meets if name in ANSWERS), None)
        if whole is not None:
            return *ANSWERS[whole], extra
        if refusal := _refuse(meets, request):
            return 400, refusal, extra
        status = next((name for name in meets if name.isdecimal()), None)
        if status is not None:
            message = meets.get("say") or "it did not work"
            if "echo" in meets:
                sent = entry["headers"].get("authorization"), entry["headers"].get("api-key")
                message = f"\x1b[31m{'.' * 165} {sent[0]} {sent[1]}"
            return int(status), _error(message=message, type=meets.get("type")), extra
        data = completion(reply_text(request.get("messages"), entry["seed"]))
        for name in meets:
            if name in SHAPES:
                choice = data["choices"][0]
                SHAPES[name](data, choice, choice["message"])
        return 200, json.dumps(data).encode(), extra


def _refuse(meets: dict[str, str], request: dict[str, Any]) -> bytes:
    """What is said of a part of the request that the endpoint does not take; else nothing."""
    roles = [each["role"] for each in request.get("messages", ())]
    if "nosystem" in meets and "system" in roles:
        said = meets.get("say") or "System role not supported"
        return _error(message=said, param=f"messages[{roles.index('system')}].role")
    size = sum(len(str(each["content"])) for each in request.get("messages", ()))
    if "fits" in meets and size > int(meets["fits"]):
        return _error(message=meets["say"])
    refused = meets.get("refuse")
    if refused not in request:
        return b""
    said = f"Unsupported parameter: '{refused}' is not supported with this model."
    named = None if "noparam" in meets else refused
    return _error(message=said, param=named, code="unsupported_parameter")


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
    with subprocess.Popen([sys.executable, __file__, *options]) as process:
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
