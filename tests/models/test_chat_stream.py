"""Replies that come as server-sent events: the words as they come, and the same reply."""

import asyncio
import json

import msgspec
import pytest

from moot.core.calls import Reply
from moot.core.errors import RefusedError, TransientError
from moot.models.chat_stream import CompletionStream
from moot.models.model_names import load
from support.chaos import THINKING, completion
from support.http_calls import a_call, only_key
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
            if "[DONE]" not in said and '"error"' not in said:
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


async def test_words_are_told_before_the_reply_ends(monkeypatch):
    only_key(monkeypatch)
    heard, told = asyncio.Event(), Words()

    async def serve(peer):
        await peer.request()
        first = chunked(chunk({"content": "It "}).encode(), 9)
        await peer.send(PLAIN.encode() + first)
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


async def test_a_stream_that_ends_early_is_no_reply():
    stream = CompletionStream(Words())
    body = events(ends=False).encode()
    stream.feed(body)
    whole = json.loads(stream.assemble(body))
    assert whole["choices"][0]["finish_reason"] == "error"


@pytest.mark.parametrize(
    "end",
    [
        'data: {"error": {"message": "upstream is busy", "code": 503}}\n\ndata: [DONE]\n\n',
        'error: {"message": "upstream is busy", "code": 503}\n\n',
        "data: {not JSON\n\ndata: [DONE]\n\n",
    ],
)
async def test_an_error_in_a_stream_is_a_failure(monkeypatch, end):
    with pytest.raises(TransientError):
        await streamed(Streaming(events(ends=False) + end), monkeypatch)


async def test_an_endpoint_that_does_not_stream_answers_whole(monkeypatch):
    whole = json.dumps(completion("It is 4."))
    body = f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\n\r\n{whole}"
    reply, words = await streamed(Streaming(body), monkeypatch)
    assert (reply.text, words) == ("It is 4.", [])


@pytest.mark.parametrize("refused", ["stream_options", "stream"])
async def test_a_refused_parameter_is_left_out(monkeypatch, refused):
    error = {"message": f"Unsupported parameter: '{refused}'", "param": refused}
    error["code"] = "unsupported_parameter"
    refusal = json.dumps({"error": error})
    said = f"HTTP/1.1 400 Bad\r\nContent-Length: {len(refusal)}\r\n\r\n{refusal}"
    whole = json.dumps(completion(SAID))
    good = events() if refused == "stream_options" else None
    good = good or f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole.encode())}\r\n\r\n{whole}"
    serve = Streaming(said, good)
    reply, words = await streamed(serve, monkeypatch)
    assert reply.text == SAID
    assert refused not in serve.asked[1]
    assert bool(words) == (refused == "stream_options")


async def test_another_refusal_is_one(monkeypatch):
    refusal = json.dumps({"error": {"message": "no such thing"}})
    said = f"HTTP/1.1 400 Bad\r\nContent-Length: {len(refusal)}\r\n\r\n{refusal}"
    with pytest.raises(RefusedError, match="no such thing"):
        await streamed(Streaming(said), monkeypatch)


@pytest.mark.parametrize("provider", ["deepseek", "vllm", "oldvllm", "openrouter", "mistral"])
async def test_thought_is_told_apart(provider, monkeypatch):
    message = {}
    own = {"finish_reason": "stop"}
    THINKING[provider]({}, own, message)
    parts = [{name: value} for name, value in message.items()]
    usage = {"prompt_tokens": 20, "completion_tokens": 30, "total_tokens": 50}
    said = "".join(chunk(each) for each in parts[::-1])
    said += chunk(finish_reason="stop", usage=usage) + "data: [DONE]\n\n"
    reply, words = await streamed(Streaming(said), monkeypatch)
    assert reply.text == "It is 4."
    assert "SECRET" in reply.thought
    assert [each for each in words if not each.startswith("[")] == ["It is 4."]
    assert any("SECRET" in each for each in words)


def test_probabilities_of_tokens_are_put_together():
    stream = CompletionStream(Words())
    for word, chance in (("It ", -0.1), ("is", -0.3)):
        choice = {"delta": {"content": word}, "logprobs": {"content": [{"logprob": chance}]}}
        stream.feed(b"data: %b\n\n" % msgspec.json.encode({"choices": [choice]}))
    stream.feed(b"data: [DONE]\r\n\r\n")
    choice = json.loads(stream.assemble(b""))["choices"][0]
    assert choice["logprobs"]["content"] == [{"logprob": -0.1}, {"logprob": -0.3}]


async def test_calls_of_tools_are_put_together(monkeypatch):
    def piece(at, **more):
        return chunk({"tool_calls": [{"index": at, **more}]})

    said = piece(0, id="c1", type="function", function={"name": "f", "arguments": ""})
    said += piece(0, function={"arguments": '{"a"'}) + piece(0, function={"arguments": ": 1}"})
    said += piece(1, id="c2", type="function", function={"name": "g", "arguments": "{}"})
    said += chunk(finish_reason="tool_calls") + "data: [DONE]\n\n"
    reply, words = await streamed(Streaming(said), monkeypatch)
    calls = [(each.id, each.function.name, each.function.arguments) for each in reply.tool_calls]
    assert calls == [("c1", "f", '{"a": 1}'), ("c2", "g", "{}")]
    assert words == []


async def test_calls_of_one_index_and_two_ids_are_two(monkeypatch):
    def piece(**more):
        return chunk({"tool_calls": [{"index": 0, **more}]})

    said = piece(id="c1", function={"name": "f", "arguments": "{"})
    said += piece(id="c9", function={"arguments": "}"})  # an id for each piece of a call
    said += piece(id="c2", function={"name": "f", "arguments": "[]"})
    said += chunk(finish_reason="tool_calls") + "data: [DONE]\n\n"
    reply, _ = await streamed(Streaming(said), monkeypatch)
    calls = [(each.id, each.function.arguments) for each in reply.tool_calls]
    assert calls == [("c1", "{}"), ("c2", "[]")]


@pytest.mark.parametrize(
    "call",
    [
        {"index": 0, "function": {"name": "f", "arguments": {"a": 1}}},
        {"index": [], "function": {"name": "f", "arguments": "{}"}},
        {"index": 0, "function": {"name": 7, "arguments": "{}"}},
        7,
    ],
)
async def test_a_call_of_a_tool_that_cannot_be_read_is_a_failure(monkeypatch, call):
    said = chunk({"tool_calls": [call]}) + chunk(finish_reason="tool_calls") + "data: [DONE]\n\n"
    with pytest.raises(TransientError, match="cannot be read"):
        await streamed(Streaming(said), monkeypatch)


@pytest.mark.parametrize("logprobs", [[{"logprob": -0.1}], {"content": 7}, {"content": "x"}, 7])
def test_probabilities_of_another_shape_are_none(logprobs):
    stream = CompletionStream(Words())
    choice = {"delta": {"content": "4"}, "logprobs": logprobs, "finish_reason": "stop"}
    stream.feed(b"data: %b\n\ndata: [DONE]\n\n" % msgspec.json.encode({"choices": [choice]}))
    whole = json.loads(stream.assemble(b""))["choices"][0]
    assert whole["message"]["content"] == "4"
    assert whole["logprobs"] is None


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


@pytest.mark.parametrize("end", ["data: {not\ndata: JSON}\n\n", "data: {not\ndata: [DONE]\n\n"])
def test_an_event_of_several_lines_that_cannot_be_read_is_a_failure(end):
    stream = CompletionStream(Words())
    stream.feed((events(ends=False) + end).encode())
    assert "cannot be read" in json.loads(stream.assemble(b""))["error"]["message"]


@pytest.mark.parametrize("texts", [["It ", "is 4."], ["It ", "It is", "It is 4.", "It is 4."]])
def test_messages_in_place_of_pieces_are_read(texts):
    choices = [{"message": {"content": text}, "finish_reason": None} for text in texts]
    choices[-1]["finish_reason"] = "stop"
    said = b"".join(b"data: %b\n\n" % msgspec.json.encode({"choices": [each]}) for each in choices)
    choice, words = assembled(said)
    assert (choice["message"]["content"], choice["finish_reason"]) == ("It is 4.", "stop")
    assert "".join(words) == "It is 4."


def test_a_message_beside_a_piece_is_not_read():
    choice = {"delta": {"content": "4"}, "message": {"content": "It is 4"}, "finish_reason": "stop"}
    found, words = assembled(b"data: %b\n\n" % msgspec.json.encode({"choices": [choice]}))
    assert (found["message"]["content"], words) == ("4", ["4"])


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "length"])
async def test_a_stream_that_is_cut_off_says_so_in_any_words(monkeypatch, reason):
    said = chunk({"content": "The answer is 1"}) + chunk(finish_reason=reason) + "data: [DONE]\n\n"
    reply, _ = await streamed(Streaming(said), monkeypatch)
    assert (reply.text, reply.finish) == ("The answer is 1", "length")


@pytest.mark.parametrize("directive", ["events", "comments", "jsonlines", "jsonline"])
@pytest.mark.parametrize("asks", ["whole", "stream"])
async def test_a_stream_that_was_not_asked_for_is_read(server, model, directive, asks):
    one = model(directive)
    words = Words()
    call = a_call()
    reply = await (one.reply(call) if asks == "whole" else one.stream(call, words))
    said = "The answer is 4." if directive in {"events", "jsonlines"} else "is 4."
    assert (reply.text, reply.finish, reply.completion_tokens) == (said, "stop", 8)
    assert len(server.seen) == 1  # no attempt is paid for twice


async def test_a_response_with_a_byte_order_mark_is_read(model):
    assert (await model("marked").reply(a_call())).text == "The answer is 4."
