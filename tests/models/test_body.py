"""How much of a response is taken in: one limit, whatever way it comes and however it is packed."""

import asyncio
import gzip
import itertools
import tracemalloc
import zlib

import pytest
from aiohttp import connector

from moot.core.errors import RefusedError, TransientError
from moot.models import body as bodies
from moot.models.body import TransportError
from moot.models.model_names import load
from moot.models.plain_http import PlainTransport
from moot.models.transport import AiohttpTransport
from support import raw_server as tls
from support.http_calls import a_call, only_key
from support.raw_server import Peer, Raw, until

OK = b"HTTP/1.1 200 OK\r\n"
PIECE = b'{"a": "' + b"x" * 65529
SMALL = 1 << 20
"""The limit in these tests, where no other is meant."""
LARGE = r"larger than 64 MB|larger than 1 MB"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return tls.certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(bodies, "LARGEST", SMALL)


@pytest.fixture(params=["direct", "aiohttp", "https", "proxy"])
async def post(request, certificate, monkeypatch):
    """What comes of one request to a server that does as told, over each way to it."""
    if request.param in {"https", "proxy"}:
        trusted = connector._SSL_CONTEXT_VERIFIED
        trusted.load_verify_locations(certificate.with_name("public.pem"))
        served = tls.context(certificate)
    else:
        served = None

    async def posted(handler):
        async with tls.Proxy() as proxy, Raw(handler, tls=served) as server:
            if request.param == "direct":
                transport = PlainTransport(server.base, {}, 20.0)
            else:
                through = proxy.url if request.param == "proxy" else None
                transport = AiohttpTransport(server.base, {}, 20.0, through)
            try:
                return await transport.post(b"{}")
            finally:
                assert bool(proxy.asked) == (request.param == "proxy")
                await until(lambda: server.open == 0)  # and does not wait to be closed
                await transport.close()

    return posted


def without_end(head: bytes, piece: bytes, ends: list[int]):
    """A handler that sends until the client has gone; ``ends`` gets how many pieces it was."""

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(head)
        for sent in itertools.count():
            ends.append(sent)
            await peer.send(piece)
            await asyncio.sleep(0)  # with encryption only the loop learns that the client has gone

    return handler


def once(data: bytes):
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(data)

    return handler


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "until closed": (OK + b"\r\n", PIECE),
    "an honest length": (OK + b"Content-Length: 9000000000\r\n\r\n", PIECE),
    "chunks": (CHUNKED, b"10000\r\n" + PIECE + b"\r\n"),
    "tiny chunks": (CHUNKED, b"2\r\n{}\r\n" * 8192),
}


@pytest.mark.parametrize("shape", ENDLESS)
async def test_a_body_without_end_is_left(post, small, shape):
    ends: list[int] = []
    head, piece = ENDLESS[shape]
    with pytest.raises(TransportError, match=LARGE) as caught:
        await post(without_end(head, piece, ends))
    assert caught.value.final
    # The system's buffers hold some megabytes; of 2 bytes in a chunk 7 are sent.
    assert len(ends) * len(piece) < 8 * SMALL + (16 << 20)


def packed(data: bytes, kind: bytes = b"gzip") -> bytes:
    return OK + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (kind, len(data)) + data


def bare(data: bytes) -> bytes:
    pack = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return pack.compress(data) + pack.flush()


BOMB = bytes(40 << 20)


@pytest.mark.parametrize(
    "data",
    [
        packed(gzip.compress(BOMB, 9)),
        packed(zlib.compress(BOMB, 9), b"deflate"),
        packed(bare(BOMB), b"deflate"),
        packed(gzip.compress(BOMB[: 900 << 10]) * 3),
    ],
    ids=["gzip", "zlib", "bare", "in members"],
)
async def test_a_bomb_is_not_unpacked(post, small, data):
    tracemalloc.start()
    try:
        with pytest.raises(TransportError, match=LARGE) as caught:
            await post(once(data))
        assert tracemalloc.get_traced_memory()[1] < 3 * SMALL
    finally:
        tracemalloc.stop()
    assert caught.value.final


@pytest.fixture(scope="module")
def packed_twice():
    return gzip.compress(gzip.compress(BOMB))


@pytest.mark.parametrize("kind", [b"gzip, gzip", b"br", b"zstd", b"x" * 4000])
async def test_a_packing_that_was_not_asked_for_is_not_undone(post, kind, packed_twice):
    said = f"packed in a way not asked for: '{kind[:20].decode()}'"
    with pytest.raises(TransportError, match=said):
        await post(once(packed(packed_twice, kind)))


@pytest.mark.parametrize(
    "data",
    [gzip.compress(b"{}")[:-4], b"\x1f\x8b", b"no gzip", gzip.compress(b"") * 100],
    ids=["cut off", "begun", "none", "empty members"],  # the bytes have the time in them
)
async def test_a_packing_that_is_broken(post, data):
    with pytest.raises(TransportError, match="packing is broken") as caught:
        await post(once(packed(data)))
    assert not caught.value.final


async def test_a_large_reply_within_the_limit_is_whole(post):
    text = b'{"a": "%b"}' % (b"0123456789abcdef" * 500_000)
    assert (await post(once(OK + b"Content-Length: %d\r\n\r\n" % len(text) + text)))[2] == text
    assert (await post(once(packed(gzip.compress(text, 1)))))[2] == text


@pytest.mark.parametrize("status", [b"503 Busy", b"403 No"])
async def test_of_a_failure_the_beginning_is_read(post, status):
    """Its status says what failed, however much comes after it."""
    ends: list[int] = []
    head = b"HTTP/1.1 " + status + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    piece = b"10000\r\n" + b"<p>no</p>" * 7281 + b"1234567\r\n"
    code, _, body = await post(without_end(head, piece, ends))
    assert code == int(status[:3])
    assert body.startswith(b"<p>no</p><p>no</p>")
    assert len(body) == bodies.FAILURE_BYTES
    broken = packed(gzip.compress(b"<p>busy</p>")[:-9]).replace(b"200 OK", status)
    assert (await post(once(broken)))[0] == code


async def test_trailers_without_end_are_not_kept(certificate):
    """Those of a direct connection; aiohttp has limits of its own."""
    lines = b"".join(b"x-%d: y\r\n" % number for number in range(20_000))

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(CHUNKED + b"1\r\n{\r\n0\r\n")
        while True:
            await peer.send(lines)

    async with Raw(handler) as server:
        transport = PlainTransport(server.base, {}, 20.0)
        with pytest.raises(TransportError, match="more around its body than in it"):
            await transport.post(b"{}")
        await transport.close()


async def test_what_the_user_is_told(monkeypatch, small):
    only_key(monkeypatch)
    data = PIECE * 20
    seen = []

    async def handler(peer: Peer) -> None:
        seen.append(await peer.request())
        status = OK if len(seen) == 1 else b"HTTP/1.1 503 Busy\r\n"
        await peer.send(status + b"Content-Length: %d\r\n\r\n" % len(data) + data)

    async with Raw(handler) as server:
        model = load(f"{server.base}/m")
        with pytest.raises(RefusedError, match=r"/m: the response is larger than 1 MB"):
            await model.reply(a_call())
        with pytest.raises(TransientError, match=r"503: \{"):
            await model.reply(a_call())
        await model.close()
