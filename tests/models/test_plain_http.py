"""The direct way to an endpoint: what it sends, where, and how many calls at once."""

import asyncio
import gc
import weakref

import pytest

from moot.models.body import TransportError
from moot.models.plain_connection import Connection
from moot.models.plain_http import PlainTransport
from support.raw_server import Peer, Raw, answering, until

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer sk-never-seen"}
OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"Content-Length: 4\r\n\r\nbody"


def direct(server: Raw, timeout: float = 5.0) -> PlainTransport:
    return PlainTransport(server.base, HEADERS, timeout)


async def test_what_is_sent():
    seen = []

    async def handler(peer: Peer) -> None:
        seen.append(await peer.request())
        await peer.send(GOOD)

    async with Raw(handler) as server:
        transport = direct(server)
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


@pytest.mark.parametrize("host", ["::1", "localhost"])
async def test_other_hosts_than_a_plain_address(host):
    try:
        async with Raw(answering(GOOD), host) as server:
            transport = direct(server)
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
    async with Raw(handler) as server:
        transport = direct(server)
        waiting = asyncio.create_task(transport.post(b"{}"))
        await asked.wait()
        await transport.close()
        with pytest.raises(TransportError, match=r"^the connection was closed$"):
            await waiting
        await until(lambda: server.open == 0)
        assert not transport.all


async def test_a_call_cancelled_as_its_response_comes():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
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
        await transport.close()


async def test_every_call_has_its_own_time():
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.gone()

    async with Raw(handler) as server:
        transport = direct(server, timeout=0.2)
        loop, took = asyncio.get_running_loop(), []

        async def call(after: float) -> None:
            await asyncio.sleep(after)
            started = loop.time()
            with pytest.raises(TransportError, match=r"^no reply within 0.2 s$"):
                await transport.post(b"{}")
            took.append(loop.time() - started)

        await asyncio.gather(*(call(number * 0.02) for number in range(10)))
        assert all(0.19 < each < 0.3 for each in took)
        await until(lambda: server.open == 0)
        assert not transport.all
        await transport.close()


async def test_nothing_is_left_for_the_garbage_collector():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
        await transport.post(b"{}")
        (connection,) = transport.idle
        assert isinstance(connection, Connection)
        gone = weakref.ref(connection)
        gc.disable()
        try:
            del connection
            await transport.close()
            await asyncio.sleep(0)
            assert gone() is None
        finally:
            gc.enable()


async def test_many_calls_at_once_and_one_after_the_other():
    together = asyncio.Barrier(200)

    async def handler(peer: Peer) -> None:
        while True:
            _, body = await peer.request()
            await together.wait()
            await peer.send(OK + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async with Raw(handler) as server:
        transport = direct(server)
        for _ in range(3):
            bodies = [b"%d" % number for number in range(200)]
            got = await asyncio.gather(*map(transport.post, bodies))
            assert [body for _, _, body in got] == bodies
        assert server.connections == len(transport.idle) == 200
        await transport.close()
        await until(lambda: server.open == 0)


async def test_the_last_used_is_used_first_and_after_a_long_rest_all_are_new():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
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
        await transport.close()


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
        await transport.close()
