"""One connection: what it makes of bytes, how much it takes, and when it is used again."""

import asyncio
import gzip
import socket
import struct
import threading
import time
from contextlib import asynccontextmanager

import pytest

from moot.models.body import TransportError
from moot.models.plain_http import PlainTransport
from support.raw_server import Peer, Raw, answering, until

OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"Content-Length: 4\r\n\r\nbody"


HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer sk-never-seen"}


@asynccontextmanager
async def opened(handler, host="127.0.0.1", *, timeout=5.0, **options):
    """A server and a direct way to it."""
    async with Raw(handler, host) as server:
        transport = PlainTransport(server.base, HEADERS, timeout, **options)
        yield server, transport


LONG = b"0123456789abcdef" * (1 << 19)
"""8 MiB."""


async def test_a_long_request_waits_for_its_reader():
    read, got = asyncio.Event(), []

    async def handler(peer: Peer) -> None:
        while True:
            await read.wait()
            got.append((await peer.request())[1])
            await peer.send(GOOD)

    async with opened(handler) as (server, transport):
        waiting = asyncio.create_task(transport.post(LONG))
        await until(lambda: bool(transport.all))
        await asyncio.sleep(0.1)
        (connection,) = transport.all
        assert 0 < len(connection.unsent) < len(LONG)
        read.set()
        assert (await waiting)[2] == b"body"
        assert (await transport.post(LONG + b"."))[2] == b"body"
        assert got == [LONG, LONG + b"."]
        assert server.connections == 1


@pytest.mark.parametrize("early", [b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100])
async def test_a_head_without_end(early):
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(early + OK + b"X-More: and more\r\n" * 5000 + b"\r\n")
        await peer.gone()

    async with opened(handler) as (_server, transport):
        said = r"^the response's head has more than 65,536 bytes$"
        with pytest.raises(TransportError, match=said):
            await transport.post(b"{}")


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

    async with opened(handler) as (server, transport):
        for number in range(3):
            assert (await transport.post(b"{}"))[2] == b"body"
            assert server.connections == number + 1
        assert not transport.idle
        await until(lambda: closed == [True] * 3)


async def test_an_old_server_that_keeps_connections_and_nothing_of_one_response_in_the_next():
    kept = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody"
    head = OK + b"X-Limit: 1\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = gzip.compress(b"first")
    first = head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(chunk), chunk)
    async with opened(answering(kept, kept, first, GOOD)) as (server, transport):
        bodies = [(await transport.post(b"{}"))[2] for _ in range(3)]
        assert bodies == [b"body", b"body", b"first"]
        assert await transport.post(b"{}") == (200, {"content-length": "4"}, b"body")
        assert server.connections == 1


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

    async with opened(handler, stale=stale) as (server, transport):
        if replies[0][0]:
            await transport.post(b"{}")
        if replies[-1][-1] == GOOD:
            assert (await transport.post(b"{}"))[2] == b"body"
        else:
            with pytest.raises(TransportError):
                await transport.post(b"{}")
        assert server.connections == connections


@pytest.mark.parametrize("host", ["::1", "localhost"])
async def test_other_hosts_than_a_plain_address(host):
    try:
        async with opened(answering(GOOD), host) as (server, transport):
            for _ in range(2):
                await asyncio.gather(*(transport.post(b"{}") for _ in range(3)))
            assert server.connections == 3
            await transport.close()
    except OSError as error:
        pytest.skip(f"this machine has no {host}: {error}")


async def test_closing_ends_what_is_under_way():
    async def handler(peer: Peer) -> None:
        await peer.request()
        asked.set()
        await peer.gone()

    asked = asyncio.Event()
    async with opened(handler) as (server, transport):
        waiting = asyncio.create_task(transport.post(b"{}"))
        await asked.wait()
        await transport.close()
        with pytest.raises(TransportError, match=r"^the connection was closed$"):
            await waiting
        await until(lambda: server.open == 0)
        assert not transport.all


async def test_a_call_cancelled_as_its_response_comes():
    async with opened(answering(GOOD)) as (_server, transport):
        await transport.post(b"{}")
        (connection,) = transport.idle
        waiting = asyncio.create_task(transport.post(b"{}"))
        await asyncio.sleep(0)
        assert connection.waiter is not None
        connection.read(GOOD)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert connection in transport.idle


async def test_the_last_used_is_used_first_and_after_a_long_rest_all_are_new():
    async with opened(answering(GOOD)) as (server, transport):
        await asyncio.gather(*(transport.post(b"{}") for _ in range(3)))
        *others, last = transport.idle
        for _ in range(3):
            await transport.post(b"{}")
        assert list(transport.idle) == [*others, last]
        assert server.connections == 3
        for connection in transport.idle:
            connection.since -= 16
        await transport.post(b"{}")
        assert server.connections == 4
        await until(lambda: server.open == 1)


@pytest.mark.parametrize("end", ["cancel", "close"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("turns", range(6))
async def test_a_call_that_ends_while_it_connects(host, turns, end):
    async with Raw(answering(GOOD)) as server:
        transport = PlainTransport(f"http://{host}:{server.port}/v1", HEADERS, 5.0)
        waiting = asyncio.create_task(transport.post(b"{}"))
        for _ in range(turns + (end == "close")):
            await asyncio.sleep(0)
        await transport.close() if end == "close" else waiting.cancel()
        with pytest.raises(TransportError if end == "close" else asyncio.CancelledError) as caught:
            await waiting
        assert str(caught.value) == ("the connection was closed" if end == "close" else "")
        await asyncio.sleep(0.02)  # the server may yet have to notice that there was a connection
        await until(lambda: server.open == 0 and not transport.all)
        assert not transport.idle


@pytest.mark.parametrize("more", [b"HTTP/1.1 408 Timeout\r\n\r\n", b"\r\n", b"", None])
async def test_what_comes_unasked_ends_a_connection(more):
    """A response, junk, an end, or a reset."""
    speak = asyncio.Event()

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(GOOD)
        await speak.wait()
        if more:
            await peer.send(more)
            await peer.gone()
        elif more is None:
            sock = peer.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.writer.transport.abort()

    async with opened(handler) as (server, transport):
        await transport.post(b"{}")
        assert len(transport.idle) == 1
        speak.set()
        await until(lambda: not transport.all)
        assert not transport.idle
        assert (await transport.post(b"{}"))[2] == b"body"
        assert server.connections == 2


async def test_a_response_before_the_request_is_sent():
    async def handler(peer: Peer) -> None:
        await peer.head()
        await peer.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await peer.reader.read()

    async with opened(handler) as (server, transport):
        assert (await transport.post(LONG))[::2] == (413, b"no")
        assert not transport.idle
        await until(lambda: server.open == 0)


async def test_every_call_has_its_own_time():
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.gone()

    async with opened(handler, timeout=0.6) as (server, transport):
        loop, took = asyncio.get_running_loop(), []

        async def call(after: float) -> None:
            await asyncio.sleep(after)
            started = loop.time()
            with pytest.raises(TransportError, match=r"^no reply within 0.6 s$"):
                await transport.post(b"{}")
            took.append(loop.time() - started)

        await asyncio.gather(*(call(number * 0.06) for number in range(10)))
        assert all(0.57 < each < 0.9 for each in took)
        await until(lambda: server.open == 0)
        assert not transport.all


async def test_what_is_sent():
    seen = []

    async def handler(peer: Peer) -> None:
        seen.append(await peer.request())
        await peer.send(GOOD)

    async with opened(handler) as (server, transport):
        assert await transport.post(b'{"a": 1}') == (200, {"content-length": "4"}, b"body")
        await transport.close()
    assert seen == [
        (
            b"POST /v1/chat/completions HTTP/1.1\r\n"
            b"Host: 127.0.0.1:%d\r\n"
            b"Content-Type: application/json\r\n"
            b"Authorization: Bearer sk-never-seen\r\n"
            b"Content-Length: 8\r\n\r\n" % server.port,
            b'{"a": 1}',
        )
    ]


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
