"""A server on loopback that reads and sends bytes as a test says, with and without TLS."""

import asyncio
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

Handler = Callable[["Peer"], Awaitable[Any]]


class Peer:
    """One connection, from the server's side; ``number`` counts them from 0."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int):
        self.reader, self.writer, self.number = reader, writer, number

    async def request(self) -> tuple[bytes, bytes]:
        head = await self.head()
        length = next(
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        )
        return head, await self.reader.readexactly(length)

    async def head(self) -> bytes:
        return await self.reader.readuntil(b"\r\n\r\n")

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def gone(self) -> bool:
        """Wait until the client has closed; False if it sends something instead."""
        with suppress(ConnectionError):
            return await self.reader.read(1) == b""
        return True


class Raw:
    """The server: every connection is handed to ``handler`` and closed when that returns."""

    def __init__(
        self, handler: Handler, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> None:
        self._handler, self._host, self._tls = handler, host, tls
        self.connections = self.open = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, self._host, 0, limit=1 << 17, backlog=2048, ssl=self._tls
        )
        self.port = self._server.sockets[0].getsockname()[1]
        name = f"[{self._host}]" if ":" in self._host else self._host
        self.base = f"http{'s' * bool(self._tls)}://{name}:{self.port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        peer = Peer(reader, writer, self.connections)
        self.connections += 1
        self.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._handler(peer)
        finally:
            self.open -= 1
            writer.close()


def answering(*responses: bytes) -> Handler:
    """Answer requests by these, in order, on any connection; the last one is for all further."""
    left = list(responses)

    async def handler(peer: Peer) -> None:
        while True:
            await peer.request()
            await peer.send(left.pop(0) if len(left) > 1 else left[0])

    return handler


async def until(what: Callable[[], bool]) -> None:
    for _ in range(400):
        if what():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError


def certificate(folder: Path) -> Path:
    """A file with a new key and a certificate of 127.0.0.1 and localhost, good for two days."""
    path = folder / "loopback.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
            *("-keyout", str(path), "-out", str(folder / "public.pem")),
        ],
        check=True,
        capture_output=True,
    )
    with path.open("a") as both:
        both.write((folder / "public.pem").read_text())
    return path


def context(path: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(path)
    return made


class Proxy:
    """A proxy that lets through what it is asked to by CONNECT; ``asked`` has the hosts."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._raw = Raw(self._serve)

    @property
    def url(self) -> str:
        return self._raw.base.removesuffix("/v1")

    async def __aenter__(self) -> Self:
        await self._raw.__aenter__()
        return self

    async def __aexit__(self, *all_: object) -> None:
        await self._raw.__aexit__(*all_)

    async def _serve(self, peer: Peer) -> None:
        method, where, _ = (await peer.head()).split(b" ", 2)
        assert method == b"CONNECT"
        self.asked.append(where.decode())
        host, _, port = where.decode().rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        await peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        ways = (_pass_on(peer.reader, writer), _pass_on(reader, peer.writer))
        await asyncio.gather(*ways, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
