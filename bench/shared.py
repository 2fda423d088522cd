"""Shared by benches: servers in processes of their own, requests, stored calls, figures."""

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from moot.core.calls import Call, Draw, Message, Sampling

_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode


@contextlib.contextmanager
def server_process(command: Sequence[object]) -> Iterator[str]:
    """Start a server that prints its port on its first line; yield its address, and end it.

    The server ends when its standard input closes.
    """
    with subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.stdin.close()


def read_counts(address: str) -> dict[str, float]:
    """Return what a server has counted so far."""
    with urllib.request.urlopen(address, timeout=10) as response:
        return json.load(response)


def read_cpu(pid: int) -> float:
    """Return the CPU seconds of a process and all its children, also those that have ended."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            # The name of the program stands in brackets, and may have spaces.
            fields = stat.read_text().rpartition(") ")[2].split()
            if int(stat.parent.name) == pid:
                ticks += sum(map(int, fields[11:15]))
            elif int(fields[1]) == pid:
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class HttpConnection(asyncio.Protocol):
    """One connection to a server: it parses requests, which may come one after the other."""

    def __init__(self) -> None:
        self.buffer = b""
        self.later = asyncio.get_running_loop().call_later

    def connection_made(self, transport):
        """Remember the transport."""
        self.transport = transport

    def data_received(self, data):
        """Handle every request that is complete."""
        self.buffer = self.buffer + data if self.buffer else data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4 : end + 4 + length]
            self.buffer = self.buffer[end + 4 + length :]
            if head.startswith(b"get"):
                self.send_json(self.counts())
            else:
                self.handle(body)

    def counts(self) -> dict[str, Any]:
        """Return the counts that a GET of any path is answered with."""
        raise NotImplementedError

    def handle(self, body: bytes) -> None:
        """Answer the body of a POST."""
        raise NotImplementedError

    def send_json(self, value: object) -> None:
        """Send a response with a JSON value, unless the connection is closed."""
        content = json.dumps(value).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        if not self.transport.is_closing():
            self.transport.write(head % len(content) + content)


def completion(text: str, prompt: int, written: int) -> dict[str, Any]:
    """Return a chat completion with this text and these tokens."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": prompt, "completion_tokens": written}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"choices": [choice], "usage": usage | {"total_tokens": prompt + written}}


def stored_rows(file: Path, columns: str) -> list[tuple[Any, ...]]:
    """Return these columns of all replies in a store; none where it is not made yet."""
    if not file.exists():
        return []
    with contextlib.closing(
        sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=30)
    ) as connection:
        try:
            return connection.execute(f"SELECT {columns} FROM replies").fetchall()
        except sqlite3.OperationalError:  # another process makes it at this moment
            return []


def stored_calls(file: Path) -> list[Call]:
    """Return the calls of all replies in a store."""
    calls = []
    for request, *draw in stored_rows(file, "request, replicate, seat, repeat"):
        model, messages, sampling = _decode_request(request)
        calls.append(Call(model=model, messages=messages, sampling=sampling, draw=Draw(*draw)))
    return calls


def spread(values: Sequence[float], form: str = ".3g") -> str:
    """Return the median and the range, e.g. ``215 [210-230]``."""
    if not values:
        return "-"
    low, high = min(values), max(values)
    return f"{median(values):{form}} [{low:{form}}-{high:{form}}]"
