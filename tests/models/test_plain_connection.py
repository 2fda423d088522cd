"""One connection: that splits change nothing, that garbage is none, and how much it takes."""

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.body import TransportError
from moot.models.plain_http import PlainTransport
from support.raw_server import Peer, Raw, answering, until

OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"Content-Length: 4\r\n\r\nbody"


def direct(server: Raw) -> PlainTransport:
    return PlainTransport(server.base, {}, 5.0)


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
        waiter = connection.expect()
        for piece in pieces:
            assert not waiter.done()
            connection.read(piece)
        if ends:
            assert not waiter.done()
            connection.end()
        result, kept = waiter.result(), connection in transport.idle
        await transport.close()
        return result, kept


@given(responses(), st.lists(st.integers(0, 400), max_size=12))
def test_splits_change_nothing(response, cuts):
    data, (status, value, body), ends = response
    places = [0, *sorted({cut for cut in cuts if 0 < cut < len(data)}), len(data)]
    pieces = [data[low:high] for low, high in itertools.pairwise(places)]
    result, kept = asyncio.run(fed(pieces, ends=ends))
    assert result[0] == status
    assert result[2] == body
    assert result[1]["x-value"] == value
    assert not {"x-early", "x-late"} & set(result[1])
    assert kept is not ends


@given(st.binary(min_size=1, max_size=300), st.integers(1, 300))
def test_garbage_is_never_a_response(data, cut):
    async def given_garbage():
        async with Raw(answering(b"")) as server:
            transport = direct(server)
            connection = await transport._connect(asyncio.get_running_loop().time() + 5)
            waiter = connection.expect()
            for piece in (data[:cut], data[cut:]):
                if piece:
                    connection.read(piece)
            connection.end()
            await transport.close()
            return waiter.result()

    assert isinstance(asyncio.run(given_garbage()), TransportError)


LONG = b"0123456789abcdef" * (1 << 19)
"""8 MiB."""


async def test_a_long_request_waits_for_its_reader():
    read, got = asyncio.Event(), []

    async def handler(peer: Peer) -> None:
        while True:
            await read.wait()
            got.append((await peer.request())[1])
            await peer.send(GOOD)

    async with Raw(handler) as server:
        transport = direct(server)
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
        with pytest.raises(
            TransportError, match=r"^the response's head has more than 65,536 bytes$"
        ):
            await transport.post(b"{}")
        await transport.close()
