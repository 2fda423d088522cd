"""Which connections the direct way uses again, and which requests it sends again."""

import asyncio
import gzip
import socket
import struct
import threading
import time

import pytest

from moot.models.body import TransportError
from moot.models.plain_http import PlainTransport
from support.raw_server import Peer, Raw, answering, until

OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"Content-Length: 4\r\n\r\nbody"


def direct(server: Raw, **options) -> PlainTransport:
    return PlainTransport(server.base, {}, 5.0, **options)


NOT_AGAIN = {
    "close": OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nbody",
    "an old server": b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    "a second response": GOOD + GOOD,
    "the start of one": GOOD + b"HT",
    "junk": GOOD + b"\x00\x01",
    "junk after close": OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nbody..",
}


@pytest.mark.parametrize("shape", NOT_AGAIN)
async def test_what_is_not_used_again(shape):
    closed = []

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(NOT_AGAIN[shape])
        closed.append(await peer.gone())

    async with Raw(handler) as server:
        transport = direct(server)
        for number in range(3):
            assert (await transport.post(b"{}"))[2] == b"body"
            assert server.connections == number + 1
        assert not transport.idle
        await until(lambda: closed == [True] * 3)
        await transport.close()


async def test_a_connection_reset_while_unused():
    reset = asyncio.Event()

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(GOOD)
        await reset.wait()
        sock = peer.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.writer.transport.abort()

    async with Raw(handler) as server:
        transport = direct(server)
        await transport.post(b"{}")
        reset.set()
        await until(lambda: not transport.all)
        assert not transport.idle
        assert (await transport.post(b"{}"))[2] == b"body"
        await transport.close()


@pytest.mark.parametrize("more", [b"HTTP/1.1 408 Timeout\r\n\r\n", b"\r\n", None])
async def test_what_comes_unasked_ends_a_connection(more):
    speak = asyncio.Event()

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(GOOD)
        await speak.wait()
        if more is not None:
            await peer.send(more)
            await peer.gone()

    async with Raw(handler) as server:
        transport = direct(server)
        await transport.post(b"{}")
        assert len(transport.idle) == 1
        speak.set()
        await until(lambda: not transport.all)
        assert not transport.idle
        assert (await transport.post(b"{}"))[2] == b"body"
        assert server.connections == 2
        await transport.close()


async def test_a_connection_the_server_closes_as_it_is_used():
    """The end is there when the request is sent, and is not yet noticed."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for _ in range(2):
                with listening.accept()[0] as one:
                    one.recv(10_000)
                    one.sendall(GOOD)

        thread = threading.Thread(target=serve)
        thread.start()
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        transport = PlainTransport(base, {}, 5.0, stale=0.01)
        assert (await transport.post(b"{}"))[2] == b"body"
        (first,) = transport.idle
        time.sleep(0.1)  # blocks the loop, which so does not notice the end
        assert first in transport.idle
        assert (await transport.post(b"{}"))[2] == b"body"
        thread.join()
        await transport.close()


async def test_an_old_server_that_keeps_connections_and_nothing_of_one_response_in_the_next():
    kept = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody"
    head = OK + b"X-Limit: 1\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = gzip.compress(b"first")
    first = head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(chunk), chunk)
    async with Raw(answering(kept, kept, first, GOOD)) as server:
        transport = direct(server)
        bodies = [(await transport.post(b"{}"))[2] for _ in range(3)]
        assert bodies == [b"body", b"body", b"first"]
        assert await transport.post(b"{}") == (200, {"content-length": "4"}, b"body")
        assert server.connections == 1
        await transport.close()


@pytest.mark.parametrize(
    ("stale", "replies", "connections"),
    [
        (0.0, [[GOOD, b""], [GOOD]], 2),
        (0.0, [[GOOD, b"H"]], 1),
        (0.0, [[GOOD, GOOD[:-1]]], 1),
        (60.0, [[GOOD, b""]], 1),
        (0.0, [[b""]], 1),  # a new connection that breaks
        (0.0, [[GOOD, b""], [b""]], 2),  # once only
    ],
)
async def test_what_is_sent_again(stale, replies, connections):
    """Each connection gives its replies and breaks off."""

    async def handler(peer: Peer) -> None:
        for reply in replies[peer.number]:
            await peer.request()
            await peer.send(reply)

    async with Raw(handler) as server:
        transport = direct(server, stale=stale)
        if replies[0][0]:
            await transport.post(b"{}")
        if replies[-1][-1] == GOOD:
            assert (await transport.post(b"{}"))[2] == b"body"
        else:
            with pytest.raises(TransportError):
                await transport.post(b"{}")
        assert server.connections == connections
        await transport.close()
