"""Replies that come as server-sent events: the words as they come, and the same reply."""

import asyncio
import json

import msgspec
import pytest

from moot.core.calls import Reply
from moot.core.errors import TransientError
from moot.models.chat_stream import CompletionStream
from moot.models.model_names import load
from support.http_calls import a_call, only_key
from support.quirks import completion
from support.raw_server import Raw

PLAIN = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
SAID = "It is 4: four, naïve “café”."


def chunk(delta=None, **more) -> str:
    """An event of a stream."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": None}]
    if "finish_reason" in more:
        choices = [{"index": 0, "delta": {}, "finish_reason": more.pop("finish_reason")}]
    return f"data: {json.dumps({'choices': choices, **more})}\n\n"


def chunked(data: bytes, size: int) -> bytes:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in pieces)


def events(text: str = SAID, *, ends: bool = True) -> str:
    said = [chunk({"role": "assistant", "content": ""})]
    said += [chunk({"content": word + " "}) for word in text.split(" ")[:-1]]
    said += [chunk({"content": text.rsplit(" ", maxsplit=1)[-1]})]
    if not ends:
        return "".join(said)
    usage = {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}
    return "".join([*said, chunk(finish_reason="stop"), chunk(usage=usage), "data: [DONE]\n\n"])


class Streaming:
    """A server that answers each request with the next of its bodies, in small chunks."""

    def __init__(self, *bodies: str, size: int = 7) -> None:
        self.bodies, self.size, self.asked = list(bodies), size, []

    async def __call__(self, peer) -> None:
        while True:
            try:
                _, body = await peer.request()
            except asyncio.IncompleteReadError:
                return
            self.asked.append(json.loads(body))
            said = self.bodies.pop(0)
            if not said.startswith("data:"):
                await peer.send(said.encode())
                continue
            await peer.send(PLAIN.encode() + chunked(said.encode(), self.size))
            if "[DONE]" not in said and "error" not in said:
                return  # the connection is closed in the middle
            await peer.send(b"0\r\n\r\n")


class Words(list):
    """What was told: words, and in brackets thought."""

    def __call__(self, kind, text):
        self.append(f"[{text}]" if kind == "thought" else text)


async def streamed(serve: Streaming, monkeypatch) -> tuple[Reply, Words]:
    only_key(monkeypatch)
    words = Words()
    async with Raw(serve) as server:
        model = load(f"http://127.0.0.1:{server.port}/v1/m")
        try:
            return await model.stream(a_call(), words), words
        finally:
            await model.close()


@pytest.mark.parametrize("size", [1, 7, 100_000])
async def test_the_words_are_told_and_the_reply_is_whole(monkeypatch, size):
    serve = Streaming(events(), size=size)
    reply, words = await streamed(serve, monkeypatch)
    assert "".join(words) == reply.text == SAID
    assert len(words) == len(SAID.split())
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish) == (20, 8, "stop")
    assert serve.asked[0]["stream"] is True
    assert serve.asked[0]["stream_options"] == {"include_usage": True}


async def test_a_stream_that_breaks_off_may_be_asked_again(monkeypatch):
    words = Words()
    only_key(monkeypatch)
    async with Raw(Streaming(events(ends=False), events())) as server:
        model = load(f"http://127.0.0.1:{server.port}/v1/m")
        with pytest.raises(TransientError, match="cut off"):
            await model.stream(a_call(), words)
        assert "".join(words) == SAID
        assert (await model.stream(a_call(), words)).text == SAID
        await model.close()


def assembled(said: bytes, size: int = 5) -> tuple[dict, Words]:
    """The choice that a stream's bytes make, fed in small pieces, and the words told."""
    words = Words()
    stream = CompletionStream(words)
    for at in range(0, len(said), size):
        stream.feed(said[at : at + size])
    return json.loads(stream.assemble(said))["choices"][0], words


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "change",
    [
        lambda said: said,
        lambda said: said.replace("\n", "\r\n"),
        lambda said: said.replace("\n", "\r"),
        lambda said: said.replace("\n\n", "\n"),
        lambda said: said.replace("data: ", "data:"),
        lambda said: said.replace("data: ", "data:\n\ndata: "),
        lambda said: said.replace('"choices": ', '\ndata: "choices":\ndata: '),
        lambda said: f"\ufeff{said}",
        lambda said: said.replace("data: ", "id: 1\nevent: chunk\nretry: 9\n: so\ndata: "),
    ],
    ids=["plain", "crlf", "cr", "single", "close", "empty", "several", "mark", "fields"],
)
def test_events_are_read_however_their_lines_are_written(change, size):
    choice, words = assembled(change(events()).encode(), size)
    assert (choice["message"]["content"], choice["finish_reason"]) == (SAID, "stop")
    assert len(words) == len(SAID.split())


WHOLE = json.dumps(completion(SAID))


def answer(status: str, body: str) -> str:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}"


@pytest.mark.parametrize("refused", ["stream_options", "stream", None])
async def test_an_endpoint_that_does_not_stream_or_refuses_to_answers(monkeypatch, refused):
    bodies = [events() if refused == "stream_options" else answer("200 OK", WHOLE)]
    if refused:
        error = {"message": f"Unsupported parameter: '{refused}'", "param": refused}
        error["code"] = "unsupported_parameter"
        bodies.insert(0, answer("400 Bad", json.dumps({"error": error})))
    serve = Streaming(*bodies)
    reply, words = await streamed(serve, monkeypatch)
    assert reply.text == SAID
    assert refused not in serve.asked[-1]
    assert bool(words) == (refused == "stream_options")


async def test_words_are_told_before_the_reply_ends(monkeypatch):
    only_key(monkeypatch)
    heard, told = asyncio.Event(), Words()

    async def serve(peer):
        await peer.request()
        await peer.send(PLAIN.encode() + chunked(chunk({"content": "It "}).encode(), 9))
        async with asyncio.timeout(5):
            await heard.wait()
        rest = chunk({"content": "is 4."}) + chunk(finish_reason="stop") + "data: [DONE]\n\n"
        await peer.send(chunked(rest.encode(), 9) + b"0\r\n\r\n")

    def tell(kind, text):
        told(kind, text)
        heard.set()

    async with Raw(serve) as server:
        model = load(f"http://127.0.0.1:{server.port}/v1/m")
        reply = await model.stream(a_call(), tell)
        await model.close()
    assert told == ["It ", "is 4."]
    assert (reply.text, reply.prompt_tokens) == ("It is 4.", None)


def piece(index, arguments, **more):
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"index": index, "function": {"arguments": arguments, **name}, **more}


@pytest.mark.parametrize(
    ("pieces", "made"),
    [
        (
            [
                *(piece(0, "", id="c1", name="f"), piece(0, '{"a"'), piece(0, ": 1}")),
                piece(1, "{}", id="c2", name="g"),
            ],
            [("c1", "f", '{"a": 1}'), ("c2", "g", "{}")],
        ),
        (
            [
                *(piece(0, "{", id="c1", name="f"), piece(0, "}", id="c9")),  # an id for each
                piece(0, "[]", id="c2", name="f"),
            ],
            [("c1", "f", "{}"), ("c2", "f", "[]")],
        ),
    ],
    ids=["by index", "by id"],
)
async def test_calls_of_tools_are_put_together(monkeypatch, pieces, made):
    said = "".join(chunk({"tool_calls": [each]}) for each in pieces)
    said += chunk(finish_reason="tool_calls") + "data: [DONE]\n\n"
    reply, words = await streamed(Streaming(said), monkeypatch)
    calls = [(each.id, each.function.name, each.function.arguments) for each in reply.tool_calls]
    assert (calls, words) == (made, [])


def event(choice) -> bytes:
    return b"data: %b\n\n" % msgspec.json.encode({"choices": [choice]})


def test_probabilities_of_tokens_are_put_together_and_those_of_another_shape_are_none():
    parts = [{"content": [{"logprob": chance}]} for chance in (-0.1, -0.3)]
    said = b"".join(event({"delta": {"content": "4"}, "logprobs": each}) for each in parts)
    assert assembled(said)[0]["logprobs"]["content"] == [{"logprob": -0.1}, {"logprob": -0.3}]
    for odd in ([{"logprob": -0.1}], {"content": 7}, {"content": "x"}, 7):
        said = event({"delta": {"content": "4"}, "logprobs": odd, "finish_reason": "stop"})
        choice, words = assembled(said)
        assert (choice["message"]["content"], choice["logprobs"], words) == ("4", None, ["4"])


@pytest.mark.parametrize("texts", [["It ", "is 4."], ["It ", "It is", "It is 4.", "It is 4."]])
def test_messages_in_place_of_pieces_are_read_and_beside_them_not(texts):
    choices = [{"message": {"content": text}, "finish_reason": None} for text in texts]
    choices[-1]["finish_reason"] = "stop"
    choice, words = assembled(b"".join(map(event, choices)))
    assert (choice["message"]["content"], choice["finish_reason"]) == ("It is 4.", "stop")
    assert "".join(words) == "It is 4."
    both = {"delta": {"content": "4"}, "message": {"content": "It is 4"}, "finish_reason": "stop"}
    found, words = assembled(event(both))
    assert (found["message"]["content"], words) == ("4", ["4"])


UNREADABLE = [
    {"index": 0, "function": {"name": "f", "arguments": {"a": 1}}},
    {"index": [], "function": {"name": "f", "arguments": "{}"}},
    {"index": 0, "function": {"name": 7, "arguments": "{}"}},
    7,
]
BUSY = '{"message": "upstream is busy", "code": 503}'


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (f'data: {{"error": {BUSY}}}\n\ndata: [DONE]\n\n', "busy"),
        (f"error: {BUSY}\n\n", "busy"),
        ("data: {not JSON\n\ndata: [DONE]\n\n", "cannot be read"),
        *((chunk({"tool_calls": [call]}), "cannot be read") for call in UNREADABLE),
    ],
)
async def test_an_error_in_a_stream_is_a_failure(monkeypatch, end, says):
    begun = "" if "tool_calls" in end else events(ends=False)
    done = chunk(finish_reason="tool_calls") + "data: [DONE]\n\n" if not begun else ""
    with pytest.raises(TransientError, match=says):
        await streamed(Streaming(begun + end + done), monkeypatch)
