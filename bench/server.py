"""An OpenAI-compatible server with a fixed latency, made to take as little CPU as it can.

    python bench/server.py --latency 0.2 [--rate-limits] [--forms]

It prints its port on the first line and ends when its standard input closes. ``POST`` to any path
is answered after the latency by one of 64 replies of some 60 words that end in a final answer,
chosen by the request's body alone, or with ``--forms`` by a reply of a few words in the form that
is asked for; ``GET`` of any path returns what was counted so far.
"""

import argparse
import asyncio
import json
import resource
import sys
from collections.abc import Callable
from zlib import crc32

from forms import in_form
from shared import HttpConnection

REASONS = (
    "Let me take this one step at a time. The expression has several operations, and products come "
    "before sums and differences, so I work out the products first and keep them aside. Then I go "
    "from left to right, adding and subtracting each term in the order in which it stands. I check "
    "the results once more, find no slip in them, and commit to what follows."
)


def response(text: str, number: int, *, rate_limits: bool) -> bytes:
    """A whole HTTP response with this reply."""
    usage = {"prompt_tokens": 120, "completion_tokens": 82, "total_tokens": 202}
    body = json.dumps(
        {
            "id": f"chatcmpl-{number:024x}",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": "bench",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": usage | {"prompt_tokens_details": {"cached_tokens": 0}},
            "system_fingerprint": "fp_bench",
        }
    ).encode()
    head = ["HTTP/1.1 200 OK", "content-type: application/json", f"content-length: {len(body)}"]
    if rate_limits:
        for what, most in (("requests", 1_000_000), ("tokens", 1_000_000_000)):
            head += [f"x-ratelimit-limit-{what}: {most}", f"x-ratelimit-remaining-{what}: {most}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


class Counts:
    """What the server has counted."""

    calls = 0
    waiting = 0
    most_waiting = 0
    connections = 0

    def as_dict(self) -> dict[str, float]:
        """Return the counts, with the CPU seconds of this process."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "calls": self.calls,
            "waiting": self.waiting,
            "most_waiting": self.most_waiting,
            "connections": self.connections,
            "cpu": used.ru_utime + used.ru_stime,
        }


class Connection(HttpConnection):
    """One connection: each request is answered after the latency."""

    def __init__(self, counts: Counts, reply: Callable[[bytes], bytes], latency: float) -> None:
        super().__init__()
        self.seen, self.reply, self.latency = counts, reply, latency

    def connection_made(self, transport):
        """Count it."""
        super().connection_made(transport)
        self.seen.connections += 1

    def counts(self):
        """Return what the server has counted."""
        return self.seen.as_dict()

    def handle(self, body):
        """Count a request, and answer it after the latency."""
        seen = self.seen
        seen.calls += 1
        seen.waiting += 1
        seen.most_waiting = max(seen.most_waiting, seen.waiting)
        self.later(self.latency, self.answer, self.reply(body))

    def answer(self, reply: bytes) -> None:
        """Send a reply."""
        self.seen.waiting -= 1
        self.transport.write(reply)


def prepared(*, rate_limits: bool) -> Callable[[bytes], bytes]:
    """One of 64 replies made beforehand."""
    replies = [
        response(f"{REASONS}\n\nFinal answer: {number - 16}", number, rate_limits=rate_limits)
        for number in range(64)
    ]
    return lambda body: replies[crc32(body) % len(replies)]


def formed(*, rate_limits: bool) -> Callable[[bytes], bytes]:
    """A reply in the form that is asked for."""
    return lambda body: response(in_form(body), crc32(body), rate_limits=rate_limits)


async def serve(latency: float, *, rate_limits: bool, forms: bool) -> None:
    counts = Counts()
    reply = (formed if forms else prepared)(rate_limits=rate_limits)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(counts, reply, latency), "127.0.0.1", 0, backlog=4096
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds (0.2)")
    parser.add_argument("--rate-limits", action="store_true", help="send rate-limit headers")
    parser.add_argument("--forms", action="store_true", help="reply in the form asked for")
    options = parser.parse_args()
    asyncio.run(serve(options.latency, rate_limits=options.rate_limits, forms=options.forms))
