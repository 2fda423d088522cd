"""Real https on loopback, with a certificate made for the purpose, and a proxy before it."""

import asyncio
import ssl
import subprocess
from pathlib import Path
from typing import Self

from raw import Peer, Raw


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
    """What a server with this certificate needs."""
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
        """What ``HTTPS_PROXY`` is set to."""
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
