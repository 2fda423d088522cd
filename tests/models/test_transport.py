"""What both ways to an endpoint have in common: aiohttp's and the direct one."""

import asyncio
import gzip
import zlib

import pytest

import moot
from moot.core.errors import TransientError
from moot.models.body import TransportError
from moot.models.http import HttpModel
from moot.models.model_names import load
from moot.models.plain_http import PlainTransport, open_transport
from moot.models.transport import AiohttpTransport
from support.chaos import Chaos, reply_text
from support.http_calls import KEY, a_call
from support.raw_server import Peer, Raw, answering, until

HEADERS = {"Content-Type": "application/json", "User-Agent": "moot", "Authorization": KEY}
WAYS = {"direct": PlainTransport, "aiohttp": AiohttpTransport}
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FOUR = b"Content-Length: 4\r\n\r\nbody"


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


async def posted(way, handler):
    """What comes of one request to a server that does as told."""
    async with Raw(handler) as server:
        transport = way(server.base, HEADERS, 5.0)
        try:
            return await transport.post(b"{}")
        finally:
            await transport.close()


def answering_once(data: bytes):
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(data)

    return handler


WHOLE = {
    "length": OK + b"Content-Length: 4\r\n\r\nbody",
    "small letters": b"HTTP/1.1 200 OK\r\ncontent-length:4\r\n\r\nbody",
    "capitals": b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH:  4 \r\n\r\nbody",
    "no reason": b"HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nbody",
    "chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n3\r\nody\r\n0\r\n\r\n",
    "trailers": OK + b"transfer-encoding: Chunked\r\n\r\n4;a=b\r\nbody\r\n0\r\nX-Late: 1\r\n\r\n",
    "until closed": OK + b"\r\nbody",
    "an old server": b"HTTP/1.0 200 OK\r\n\r\nbody",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nbody",
    "hints": b"HTTP/1.1 103 Early\r\nX-A: 1\r\n\r\n" * 2 + OK + b"Content-Length: 4\r\n\r\nbody",
    "gzip": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"body"),
    "zlib": OK + b"content-encoding: Deflate\r\n\r\n" + zlib.compress(b"body"),
}


async def test_headers_are_found_however_they_are_written(way):
    lines = b"X-One: 1\r\nX-ONE: 2\r\nretry-after:  7\r\nx-empty:\r\nX-Odd: \xe9\r\n"
    _, headers, body = await posted(way, answering_once(OK + lines + b"Content-Length: 0\r\n\r\n"))
    assert body == b""
    assert (headers["x-one"], headers.get("Retry-After"), headers["X-Empty"]) == ("1", "7", "")
    assert "retry-AFTER" in headers
    assert "x-two" not in headers
    assert headers.get("x-two", "none") == "none"
    with pytest.raises(KeyError):
        headers["x-two"]
    assert "x-odd" in {name.lower() for name in headers}


BROKEN = {
    "nothing": (b"", "the connection was closed"),
    "half a head": (OK + b"Content-", "the connection was closed"),
    "the start of a line": (b"HTT", "the connection was closed"),
    "half a body": (OK + b"Content-Length: 4\r\n\r\nbo", "the response was cut off"),
    "half a chunk": (CHUNKED + b"4\r\nbo", "the response was cut off"),
    "no last chunk": (CHUNKED + b"4\r\nbody\r\n", "the response was cut off"),
    "another protocol": (b"\x16\x03\x01 this is not HTTP\r\n\r\n", "the response is not HTTP"),
    "a length that is none": (OK + b"Content-Length: x\r\n\r\nbody", "the response is not HTTP"),
    "two lengths": (OK + b"Content-Length: 5\r\n" + FOUR, "the response is not HTTP"),
}


@pytest.mark.parametrize("shape", BROKEN)
async def test_every_way_to_break_off(way, shape):
    data, says = BROKEN[shape]
    with pytest.raises(TransportError, match=f"^{says}$") as caught:
        await posted(way, answering_once(data))
    assert not caught.value.final


async def test_connections_are_used_again(way):
    async with Raw(answering(WHOLE["length"], WHOLE["chunks"])) as server:
        transport = way(server.base, HEADERS, 5.0)
        for _ in range(5):
            assert (await transport.post(b"{}"))[2] == b"body"
        assert server.connections == 1
        await transport.close()
        await until(lambda: server.open == 0)


async def test_which_way_is_taken(one_key, monkeypatch):
    ours = ("http://127.0.0.1:8000/v1", "http://gpu-7.lan/api/v1", "http://[::1]:8000/v1")
    for base in (*ours, "https://a/v1", "http://ü/v1", "http://a/b c/v1", "http://a/%C3%BC/v1"):
        transport = open_transport(base, HEADERS, 5.0)
        assert isinstance(transport, PlainTransport) == (base in ours)
        await transport.close()


@pytest.fixture(params=["v1", "an%20other/v1"], ids=WAYS)
async def model(request, server):
    """Make models that go either way: an address with an escape in it goes through aiohttp."""
    opened: list[HttpModel] = []

    def make(directive: str, options: str = "") -> HttpModel:
        made = load(f"http://127.0.0.1:{server.port}/{request.param}/{directive}{options}")
        opened.append(made)
        return made

    yield make
    for one in opened:
        expected = WAYS[request.node.callspec.id.split("-")[0]]
        assert type(one._transport) is expected
        await one.close()


WHOLE |= {
    "nothing": b"HTTP/1.1 204 Status\r\nContent-Length: 4\r\n\r\n",
    "as it was": b"HTTP/1.1 304 Status\r\nContent-Length: 4\r\n\r\n",
}


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("shape", WHOLE)
async def test_every_form_of_a_response_whole_and_byte_by_byte(way, shape, at_once):
    async def handler(peer: Peer) -> None:
        await peer.request()
        data = WHOLE[shape]
        for piece in [data] if at_once else [bytes([byte]) for byte in data]:
            await peer.send(piece)
            await asyncio.sleep(0)

    status, headers, body = await posted(way, handler)
    empty = {"nothing": (204, b""), "as it was": (304, b"")}
    assert (status, body) == empty.get(shape, (200, b"body"))
    assert not {"x-a", "x-late"} & {*headers}


def test_a_debate_on_uvloop_whose_transports_are_its_own(one_key, tmp_path):
    uvloop = pytest.importorskip("uvloop")  # there is none for Windows

    async def debate():
        async with Chaos() as server:
            model = f"{server.url}/ok"
            return await moot.ask("2 + 2?", kind="number", model=model, store=tmp_path)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answer = runner.run(debate())
    assert (answer.failed, answer.calls) == (None, 6)


@pytest.mark.parametrize("late", [True, False])
async def test_a_call_that_is_given_up_or_late_closes_its_connection(way, late):
    asked, left = asyncio.Event(), asyncio.Event()

    async def handler(peer: Peer) -> None:
        await peer.request()
        asked.set()
        await peer.send(OK + b"Content-Length: 4\r\n\r\nbo")
        assert await peer.gone()
        left.set()

    async with Raw(handler) as server:
        transport = way(server.base, HEADERS, 0.1 if late else 5.0)
        waiting = asyncio.create_task(transport.post(b"{}"))
        await asked.wait()
        if late:
            with pytest.raises(TransportError, match=r"^no reply within 0.1 s$"):
                await waiting
        else:
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await asyncio.wait_for(left.wait(), 1)
        await transport.close()


@pytest.mark.parametrize("directive", ["reset", "cut", "nothttp", "500+after=0.5", "500+echo"])
async def test_failures_are_the_same_either_way(model, server: Chaos, directive):
    with pytest.raises(TransientError) as caught:
        await model(directive).reply(a_call())
    assert caught.value.retry_after == (0.5 if "after" in directive else None)
    assert caught.value.__context__ is None
    assert KEY not in f"{caught.value!r} {vars(caught.value)}"
    assert len(server.seen) == 1


async def test_many_calls_at_once_limits_and_long_texts_either_way(model, server: Chaos):
    one, text = model("late=0.05"), "{{ 7*7 }}é" * 120_000
    for _ in range(2):
        replies = await asyncio.gather(*(one.reply(a_call(str(n))) for n in range(200)))
        texts = {e["request"]["messages"][1]["content"]: e["request"] for e in server.seen}
        assert [reply.text for reply in replies] == [
            reply_text(texts[str(n)]["messages"], texts[str(n)]["seed"]) for n in range(200)
        ]
    assert server.open <= 200
    one = model("limits+huge")
    assert (await one.reply(a_call(text))).text == "é" * 1_000_000
    assert server.seen[-1]["request"]["messages"][1]["content"] == text
    assert one.limits.told.requests == 500
