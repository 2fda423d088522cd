"""Connections that are idle, send too much, or ask for several things at once."""

import asyncio
import re
from time import monotonic

import pytest

from support.server import body, complete


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


async def test_a_body_that_does_not_come_is_not_waited_for(serving):
    up = await serving(limits={"idle": 0.3})
    head = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\n"
    for sent, then in (
        (b"Content-Length: 9999\r\n\r\n", b"x"),
        (b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b""),
    ):
        seconds, said = await closes(up, head + sent, then=then)
        assert said.split()[1] == b"408"
        assert b"request_timeout" in said
        assert 0.2 < seconds < 1.5


async def test_an_idle_connection_is_closed(serving):
    up = await serving(limits={"idle": 0.3})
    seconds, said = await closes(up, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 200")
    assert 0.2 < seconds < 1.5


async def test_a_head_that_does_not_come_whole_is_not_waited_for(serving, client):
    """Neither bytes that come one by one nor an answer before it give it more time."""
    up = await serving(limits={"idle": 0.3, "connections": 20})
    get = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    ask = b"POST /v1/x HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 9999\r\n\r\n"
    slow = [(b"", b"", []), (b"G", b"", [408]), (get + b"X: ", b"x", [408]), (ask, b"x", [421])]
    slow += [(get + b"\r\n" + get, b"X: y\r\n", [200, 408])]
    ends = await asyncio.gather(*(closes(up, sent, then=then) for sent, then, _ in slow * 3))
    for (seconds, said), (_, _, statuses) in zip(ends, slow * 3, strict=True):
        assert [int(each) for each in re.findall(rb"HTTP/1.1 (\d+)", said)] == statuses
        assert 0.2 < seconds < 1.5
        assert (b"not complete after 0.3 s" in said) == (408 in statuses)
    async with client.get(f"{up.url}/healthz") as reply:  # their connections are free again
        assert reply.status == 200


async def test_a_slow_head_that_comes_in_time_is_served(serving):
    up = await serving(limits={"idle": 1})
    reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
    for _ in range(2):
        for part in (GET[:9], GET[9:]):  # its time begins with its first byte
            await asyncio.sleep(0.6)
            writer.write(part)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        await reader.readuntil(b"}")
    writer.close()


async def test_a_long_reply_is_no_idle_connection(serving, client):
    up = await serving(limits={"idle": 0.2}, models=["simulated/x?latency=0.4"])
    assert (await complete(client, up, body(model="single:simulated/x?latency=0.4")))[0] == 200


async def test_headers_have_so_many_bytes(serving):
    up = await serving(limits={"head": 4096})
    start = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
    _, said = await closes(up, start + b"x" * 8192)
    assert said.split()[1] == b"400"
    _, said = await closes(up, start + b"x" * (1 << 20) + b"\r\n\r\n")
    assert said.split()[1] == b"400"
    assert b"line and headers have more than 4096 bytes" in said


async def test_a_whole_head_has_so_many_bytes(serving):
    """However it comes, and wherever its bytes are."""
    up = await serving(limits={"head": 4096, "idle": 0.3})
    get, many = b"GET /healthz%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", b"X: y\r\n"
    for size, status in ((3900, b"200"), (4200, b"400")):
        for query, rest in (
            (b"", b"X: " + b"x" * size + b"\r\n"),
            (b"", many * (size // len(many))),
            (b"?q=" + b"x" * size, b""),
        ):
            _, said = await closes(up, get % (query, rest))
            assert said.split()[1] == status
            assert (b"line and headers have more than 4096 bytes" in said) == (status == b"400")


async def test_a_body_has_one_length(serving):
    up = await serving(limits={"idle": 0.3})
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
    _, said = await closes(
        up, head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + GET
    )
    assert said.split()[1] == b"400"
    assert b"not both" in said
    assert said.count(b"HTTP/1.1") == 1  # what comes behind it is not taken for a request


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
    """Those behind a request in progress stay with their client, whose sending then stops."""
    up = await serving(limits={"idle": 5}, models=["simulated/x?latency=1"])
    _, writer = await asyncio.open_connection("127.0.0.1", up.port)
    writer.write(posted("2 + 2?").replace(b"0.3", b"1"))

    async def flood():
        while True:
            writer.write(GET * 1000)
            await writer.drain()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(flood(), 0.7)
    assert writer.transport.get_write_buffer_size() > 0
    writer.close()


async def test_trailers_are_no_headers(serving):
    up = await serving(limits={"idle": 0.2})
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
    body = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nHost: elsewhere\r\n\r\n"
    _, said = await closes(up, head + body)
    assert b"'model'" in said or b'"model"' in said
    assert said.split()[1] == b"400"


async def test_a_client_that_reads_slowly_gets_it_all(serving):
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
