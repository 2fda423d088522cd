"""Connections that go slowly, say too much, or ask for several things at once."""

import asyncio
import socket
from time import monotonic

import pytest


async def closes(up, sent=b"", *, then=b"", every=0.05, within=3.0) -> tuple[float, bytes]:
    """After how long the server closes a connection that sends this, and what it said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
    began, said = monotonic(), b""

    async def drip():
        while then:
            await asyncio.sleep(every)
            writer.write(then)
            await writer.drain()

    dripping = asyncio.create_task(drip())
    writer.write(sent)
    try:
        async with asyncio.timeout(within):
            while part := await reader.read(65536):
                said += part
    except ConnectionError:
        pass
    finally:
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)
        writer.close()
    return monotonic() - began, said


@pytest.mark.parametrize(
    ("sent", "then"),
    [
        (b"", b""),
        (b"GET /heal", b""),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b""),
        (b"GET /healthz HTTP/1.1\r\n", b"X: y\r\n"),
        (b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n", b"x"),
    ],
)
async def test_a_request_that_does_not_come_is_not_waited_for(serving, sent, then):
    up = await serving(limits={"idle": 0.3})
    seconds, _ = await closes(up, sent, then=then)
    assert 0.2 < seconds < 1.5


async def test_an_idle_connection_is_closed(serving):
    up = await serving(limits={"idle": 0.3})
    seconds, said = await closes(up, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 200")
    assert 0.2 < seconds < 1.5


async def test_a_long_reply_is_no_idle_connection(serving, client):
    up = await serving(limits={"idle": 0.2}, models=["simulated/x?latency=0.4"])
    question = {
        "model": "single:simulated/x?latency=0.4",
        "messages": [{"role": "user", "content": "2 + 2?"}],
    }
    async with client.post(f"{up.url}/v1/chat/completions", json=question) as reply:
        assert reply.status == 200


async def test_headers_have_so_many_bytes(serving):
    up = await serving(limits={"head": 4096})
    long = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 8192
    _, said = await closes(up, long)
    assert said.split()[1] == b"400"
    _, said = await closes(up, long + b"\r\n\r\n")
    assert said.split()[1] == b"400"


async def test_what_comes_around_a_body_has_so_many_bytes(serving):
    up = await serving(limits={"head": 4096})
    head = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    for endless in (b"0\r\n" + b"X: y\r\n" * 2000, b"1;" + b"y" * 9000):
        seconds, _ = await closes(up, head + endless)
        assert seconds < 1


GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def posted(question: str) -> bytes:
    """A request for an answer that takes 0.3 s."""
    body = b'{"model": "single:simulated/x?latency=0.3", "messages": [{"role": "user", "content": '
    body += b'"%s"}]}' % question.encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


async def test_requests_that_come_together_are_answered_in_turn(serving):
    up = await serving(limits={"idle": 0.2}, models=["simulated/x?latency=0.3"])
    _, said = await closes(up, posted("2 + 2?") + posted("2 + 3?") + GET)
    assert said.count(b"HTTP/1.1 200 OK") == 3


async def test_requests_do_not_pile_up(serving):
    up = await serving(limits={"idle": 5}, models=["simulated/x?latency=0.3"])
    seconds, said = await closes(up, posted("2 + 2?") + GET * 200)
    assert seconds < 0.3
    assert not said


async def test_a_refusal_is_not_taken_for_the_reply_to_another_request(serving):
    up = await serving(limits={"idle": 5}, models=["simulated/x?latency=0.3"])
    _, said = await closes(up, posted("2 + 2?") + b"\0 no request\r\n\r\n")
    assert not said


async def test_trailers_are_no_headers(serving):
    up = await serving(limits={"idle": 0.2})
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    )
    _, said = await closes(up, head + b"\r\n2\r\n{}\r\n0\r\nHost: elsewhere\r\n\r\n")
    assert b"'model'" in said or b'"model"' in said
    assert said.split()[1] == b"400"


async def test_whoever_reads_slowly_gets_it_all(serving):
    from starlette.responses import Response
    from starlette.routing import Route

    up = await serving(limits={"idle": 0.2})
    long = Response(b"x" * (12 << 20))
    up.app.router.routes.append(Route("/long", lambda _: long))
    reader, writer = await asyncio.open_connection("127.0.0.1", up.port, limit=4096)
    writer.write(b"GET /long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    read, began = 0, monotonic()
    while part := await reader.read(1 << 20):
        read += len(part)
        if monotonic() - began < 0.6:
            await asyncio.sleep(0.02)
    writer.close()
    assert read > 12 << 20
    assert monotonic() - began > 0.4


async def test_whoever_does_not_read_is_let_go(serving):
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    ended = asyncio.Event()

    async def endless():
        try:
            while True:
                yield b"x" * 65536
                await asyncio.sleep(0)  # to whoever has gone, sending does not wait
        finally:
            ended.set()

    up = await serving(limits={"idle": 0.3})
    up.app.router.routes.append(Route("/endless", lambda _: StreamingResponse(endless())))
    with socket.create_connection(("127.0.0.1", up.port)) as lazy:
        lazy.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(5):
            await ended.wait()
