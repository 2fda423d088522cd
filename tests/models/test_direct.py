"""The direct way to an endpoint: its connections, and that splits change nothing."""

import asyncio
import gzip
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.direct import Connection, Direct
from moot.models.transport import Broken
from raw import Peer, Raw, answering, until

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer sk-never-seen"}
OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"Content-Length: 4\r\n\r\nbody"


def direct(server: Raw, timeout: float = 5.0, **options) -> Direct:
    return Direct(server.base, HEADERS, timeout, **options)


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


# Splits

NAMES = st.sampled_from(["content-length", "Content-Length", "CONTENT-LENGTH"])
BODIES = st.binary(max_size=200)


@st.composite
def responses(draw):
    """The bytes of a response, with its status, one header, its body, and how it ends."""
    status = draw(st.sampled_from([200, 201, 400, 429, 503]))
    value = draw(st.text("ab c-=;,", max_size=20)).strip()
    body, how = draw(BODIES), draw(st.sampled_from(["length", "chunks", "end"]))
    early = b"HTTP/1.1 100 Continue\r\nX-Early: yes\r\n\r\n" * draw(st.integers(0, 2))
    head = f"HTTP/1.1 {status} Some Words\r\nX-Value: {value}\r\n".encode()
    if how == "length":
        head += f"{draw(NAMES)}: {len(body)}\r\n".encode()
        sent = body
    elif how == "chunks":
        head += b"Transfer-Encoding: chunked\r\n"
        pieces, left = [], body
        while left:
            size = draw(st.integers(1, len(left)))
            pieces.append(b"%x\r\n%b\r\n" % (size, left[:size]))
            left = left[size:]
        trailer = b"X-Late: 1\r\n" * draw(st.integers(0, 1))
        sent = b"".join(pieces) + b"0\r\n" + trailer + b"\r\n"
    else:
        sent = body
    return early + head + b"\r\n" + sent, (status, value, body), how == "end"


async def fed(pieces: list[bytes], *, ends: bool):
    """What a connection makes of a response that comes in these pieces."""

    async def silent(peer: Peer) -> None:
        await peer.gone()

    async with Raw(silent) as server:
        transport = direct(server)
        connection = await transport._connect(asyncio.get_running_loop().time() + 5)
        waiter = connection.send(b"", b"")
        for piece in pieces:
            assert not waiter.done()
            connection.data_received(piece)
        if ends:
            assert not waiter.done()
            connection.eof_received()
        result, kept = waiter.result(), connection in transport.idle
        await transport.close()
        return result, kept


@given(responses(), st.lists(st.integers(0, 400), max_size=12))
def test_splits_change_nothing(response, cuts):
    data, (status, value, body), ends = response
    places = [0, *sorted({cut for cut in cuts if 0 < cut < len(data)}), len(data)]
    pieces = [data[low:high] for low, high in zip(places, places[1:], strict=False)]
    result, kept = asyncio.run(fed(pieces, ends=ends))
    assert result[0] == status
    assert result[2] == body
    assert result[1]["x-value"] == value
    assert not {"x-early", "x-late"} & set(result[1])
    assert kept is not ends


@given(responses())
def test_bytes_alone_change_nothing(response):
    data, (status, _, body), ends = response
    result, _ = asyncio.run(fed([bytes([byte]) for byte in data], ends=ends))
    assert (result[0], result[2]) == (status, body)


@given(st.binary(min_size=1, max_size=300), st.integers(1, 300))
def test_garbage_is_never_a_response(data, cut):
    async def given_garbage():
        async with Raw(answering(b"")) as server:
            transport = direct(server)
            connection = await transport._connect(asyncio.get_running_loop().time() + 5)
            waiter = connection.send(b"", b"")
            for piece in (data[:cut], data[cut:]):
                if piece:
                    connection.data_received(piece)
            connection.eof_received()
            await transport.close()
            return waiter.result()

    assert isinstance(asyncio.run(given_garbage()), Broken)


# Connections that are used again, and those that are not

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


async def test_an_old_server_that_keeps_connections():
    kept = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody"
    async with Raw(answering(kept)) as server:
        transport = direct(server)
        for _ in range(3):
            await transport.post(b"{}")
        assert server.connections == 1
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
        transport = Direct(base, HEADERS, 5.0, stale=0.01)
        assert (await transport.post(b"{}"))[2] == b"body"
        (first,) = transport.idle
        time.sleep(0.1)  # noqa: ASYNC251 - so that the loop does not notice the end
        assert first in transport.idle
        assert (await transport.post(b"{}"))[2] == b"body"
        thread.join()
        await transport.close()


def breaking(reply: bytes, *, reset: bool = False):
    """Answer a connection's first request, and break off at its second, having sent ``reply``."""

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(GOOD)
        await peer.request()
        await peer.send(reply)
        if reset:
            peer.writer.transport.abort()

    return handler


@pytest.mark.parametrize(
    ("stale", "reply", "connections"),
    [(0.0, b"", 2), (0.0, b"H", 1), (0.0, GOOD[:-1], 1), (60.0, b"", 1)],
)
async def test_what_is_sent_again(stale, reply, connections):
    async with Raw(breaking(reply)) as server:
        transport = direct(server, stale=stale)
        await transport.post(b"{}")
        if connections == 2:
            assert (await transport.post(b"{}"))[2] == b"body"
        else:
            with pytest.raises(Broken):
                await transport.post(b"{}")
        assert server.connections == connections
        await transport.close()


async def test_a_new_connection_that_breaks_is_not_tried_again():
    async def handler(peer: Peer) -> None:
        await peer.request()

    async with Raw(handler) as server:
        transport = direct(server, stale=0.0)
        with pytest.raises(Broken, match="^the connection was closed$"):
            await transport.post(b"{}")
        assert server.connections == 1
        await transport.close()


async def test_it_is_sent_again_once_only():
    async def handler(peer: Peer) -> None:
        await peer.request()
        if peer.number == 0:
            await peer.send(GOOD)
            await peer.request()

    async with Raw(handler) as server:
        transport = direct(server, stale=0.0)
        await transport.post(b"{}")
        with pytest.raises(Broken, match="^the connection was closed$"):
            await transport.post(b"{}")
        assert server.connections == 2
        await transport.close()


async def test_a_thousand_calls_at_once():
    at_once = asyncio.Semaphore(0)

    async def handler(peer: Peer) -> None:
        while True:
            _, body = await peer.request()
            if not at_once.locked() or server.open < 1000:
                await asyncio.sleep(0.05)
            await peer.send(OK + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async with Raw(handler) as server:
        transport = direct(server)
        for _ in range(3):
            bodies = [b"%d" % number for number in range(1000)]
            got = await asyncio.gather(*map(transport.post, bodies))
            assert [body for _, _, body in got] == bodies
        assert server.connections == 1000
        assert len(transport.idle) == 1000
        await transport.close()
        await until(lambda: server.open == 0)


async def test_the_last_used_is_used_first():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
        await asyncio.gather(*(transport.post(b"{}") for _ in range(3)))
        *others, last = transport.idle
        for _ in range(3):
            await transport.post(b"{}")
        assert list(transport.idle) == [*others, last]
        assert server.connections == 3
        await transport.close()


async def test_after_a_long_rest_all_connections_are_new():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
        await asyncio.gather(*(transport.post(b"{}") for _ in range(3)))
        for connection in transport.idle:
            connection.since -= 16
        await transport.post(b"{}")
        assert server.connections == 4
        await until(lambda: server.open == 1)
        await transport.close()


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
        with pytest.raises(Broken, match="^the connection was closed$"):
            await waiting
        await until(lambda: server.open == 0)
        assert not transport.all


# Sizes

LONG = b"0123456789abcdef" * (1 << 19)
"""8 MiB."""


async def test_a_long_request_waits_for_its_reader():
    read, got = asyncio.Event(), []

    async def handler(peer: Peer) -> None:
        await read.wait()
        got.append((await peer.request())[1])
        await peer.send(GOOD)

    async with Raw(handler) as server:
        transport = direct(server)
        for number in range(2):
            waiting = asyncio.create_task(transport.post(LONG))
            if not number:
                await until(lambda: bool(transport.all))
                await asyncio.sleep(0.1)
                (connection,) = transport.all
                assert 0 < connection.transport.get_write_buffer_size() < 1 << 20
                read.set()
                server._handler = handler
            else:
                server_done = waiting
                break
            assert (await waiting)[2] == b"body"
        assert got[0] == LONG
        assert (await server_done)[2] == b"body"
        await transport.close()


async def test_a_response_before_the_request_is_sent():
    async def handler(peer: Peer) -> None:
        await peer.head()
        await peer.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await peer.reader.read()

    async with Raw(handler) as server:
        transport = direct(server)
        assert (await transport.post(LONG))[::2] == (413, b"no")
        assert not transport.idle
        await until(lambda: server.open == 0)
        await transport.close()


@pytest.mark.parametrize("early", [b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100])
async def test_a_head_without_end(early):
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(early + OK + b"X-More: and more\r\n" * 5000 + b"\r\n")
        await peer.gone()

    async with Raw(handler) as server:
        transport = direct(server)
        with pytest.raises(Broken, match=r"^the response's head has more than 65,536 bytes$"):
            await transport.post(b"{}")
        await transport.close()


@pytest.mark.parametrize("way", ["chunks", "end", "packed"])
async def test_a_body_without_end(way):
    piece = bytes(1 << 20)

    async def handler(peer: Peer) -> None:
        await peer.request()
        if way == "packed":
            data = gzip.compress(bytes(65 << 20), 1)
            head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(data)
            await peer.send(head + data)
        elif way == "end":
            await peer.send(OK + b"\r\n")
            while True:
                await peer.send(piece)
        else:
            await peer.send(OK + b"Transfer-Encoding: chunked\r\n\r\n")
            while True:
                await peer.send(b"100000\r\n" + piece + b"\r\n")

    async with Raw(handler) as server:
        transport = direct(server)
        with pytest.raises(Broken, match=r"holds too much$|more than 67,108,864 bytes$"):
            await transport.post(b"{}")
        await transport.close()


@pytest.mark.parametrize(
    ("kind", "body"), [(b"br", b"\x0b\x02"), (b"gzip", b"no gzip"), (b"gzip", b"\x1f\x8b")]
)
async def test_a_body_that_cannot_be_unpacked(kind, body):
    head = OK + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (kind, len(body))
    async with Raw(answering(head + body)) as server:
        transport = direct(server)
        with pytest.raises(Broken, match="pack"):
            await transport.post(b"{}")
        await transport.close()


# What is cancelled or comes late


async def test_a_call_cancelled_as_its_response_comes():
    async with Raw(answering(GOOD)) as server:
        transport = direct(server)
        await transport.post(b"{}")
        (connection,) = transport.idle
        waiting = asyncio.create_task(transport.post(b"{}"))
        await asyncio.sleep(0)
        assert connection.waiter is not None
        connection.data_received(GOOD)
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
            with pytest.raises(Broken, match=r"^no reply within 0.2 s$"):
                await transport.post(b"{}")
            took.append(loop.time() - started)

        await asyncio.gather(*(call(number * 0.02) for number in range(10)))
        assert all(0.19 < each < 0.3 for each in took)
        await until(lambda: server.open == 0)
        assert not transport.all
        await transport.close()


async def test_nothing_is_left_for_the_garbage_collector():
    import gc
    import weakref

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
