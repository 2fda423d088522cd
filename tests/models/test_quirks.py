"""Every row of the table of quirks: replayed whole, as a stream and in a batch, over HTTP."""

import asyncio
import json

import msgspec
import pytest

from moot.core.errors import NOT_JSON, TransientError
from moot.core.thought import separate_thought
from moot.models.endpoint import Endpoint
from moot.models.http import HttpModel
from moot.models.model_names import load
from moot.models.prices import Price
from moot.models.providers import Provider
from moot.models.scripted import Scripted
from moot.studies.batch_files import ReplyFiles
from support.batch_server import BatchServer
from support.chaos import Chaos, answer_with, reply_text
from support.http_calls import KEY, a_call, only_key
from support.quirks import QUIRKS, STREAMS, USUAL, WAITS, Broken, Fault, Made, Refuses

SAMPLING = {"temperature": 0.2, "max_tokens": 64}


def load_quirk(server: Chaos, directive: str, makes: Made | Fault) -> HttpModel:
    if isinstance(makes, Made) and makes.beside:
        provider = Provider("own", server.url, thought_beside=True)
        return HttpModel(Endpoint(provider, provider.address(), directive, f"own/{directive}"))
    made = load(f"{server.url}/{directive}")
    assert isinstance(made, HttpModel)
    return made


def check_reply(reply, makes, messages, seed) -> None:
    """The reply is what the row says, thought kept apart."""
    found = separate_thought(reply)
    text = reply_text(messages, seed) if makes.text is USUAL else makes.text
    assert (found.text, found.finish) == (text, makes.finish)
    tokens = (found.prompt_tokens, found.completion_tokens, found.cached_tokens)
    assert tokens == (makes.prompt, makes.written, makes.cached)
    assert (found.thought, found.reasoning_tokens) == (makes.thought, makes.reasoning)
    if makes.written is not None:
        assert Price(0.0, 1.0)(found) == pytest.approx(makes.written / 1e6)


@pytest.mark.parametrize("asks", ["whole", "stream"])
@pytest.mark.parametrize("name", QUIRKS)
async def test_what_a_server_sends_is_read_or_refused(server, name, asks):
    row = QUIRKS[name]
    makes = (asks == "stream" and row.stream) or row.makes
    passes = isinstance(makes, Fault) and makes.kind is TransientError
    one = load_quirk(server, f"{name}x1" if passes else name, makes)
    words = []
    call = a_call(**SAMPLING)

    def ask():
        tell = lambda kind, text: words.append((kind, text))  # noqa: E731
        return one.stream(call, tell) if asks == "stream" else one.reply(call)

    try:
        if isinstance(makes, Made):
            reply = await ask()
            check_reply(reply, makes, server.seen[-1]["request"]["messages"], call.seed())
            if words:  # what was told is what the reply has
                told = {kind: "".join(text for k, text in words if k == kind) for kind, _ in words}
                assert told.get("text", "") == reply.text
                assert told.get("thought", "") == reply.thought
            assert len(server.seen) == 1 + isinstance(row.sends, Refuses)
            return
        with pytest.raises(makes.kind, match=makes.says) as caught:
            await ask()
        error = caught.value
        assert type(error) is makes.kind
        assert str(error).startswith(one.name)
        assert error.__context__ is None  # a library's error may carry the request and its key
        assert KEY not in f"{error!r}"
        if name in WAITS:
            assert error.retry_after == makes.after
        assert len(server.seen) == 1
        if passes:
            assert (await ask()).text
    finally:
        await one.close()


def key_of(name: str) -> str:
    return name.encode().hex().ljust(32, "0")[:32]


def is_json(body: bytes) -> bool:
    try:
        msgspec.json.decode(body)
    except NOT_JSON:
        return False
    return True


def say(request):
    """The status and the body of the row that the last message names."""
    name = request["messages"][-1]["content"].splitlines()[-1]
    status, body, _ = answer_with([QUIRKS[name].sends], request, None, {})
    return status, msgspec.Raw(body)


BATCHED = [
    name
    for name, row in QUIRKS.items()
    if not isinstance(row.sends, Broken) and name not in STREAMS
    and is_json(answer_with([row.sends], {"messages": []}, None, {})[1])
]  # fmt: skip
"""The rows that a line of a batch can have: a connection or a stream is none, nor are odd bytes."""


@pytest.fixture(scope="module")
def batched(tmp_path_factory):
    """What a batch with a line for each row brings, by row: a response of each request."""
    folder = tmp_path_factory.mktemp("batch")

    async def send(bodies: dict[str, bytes]) -> dict[str, tuple[int, bytes]]:
        asked, got = folder / "calls.jsonl", folder / "replies.jsonl"
        parts = []
        for name, body in bodies.items():
            line = {"custom_id": key_of(name), "method": "POST", "url": "/v1/chat/completions"}
            parts.append(msgspec.json.encode(line | {"body": msgspec.Raw(body)}) + b"\n")
        asked.write_bytes(b"".join(parts))
        async with (
            BatchServer(Scripted(lambda _: ""), says=say) as server,
            load(f"{server.base}/quirks").open_batches() as client,
        ):
            batch = await client.create(await client.upload(asked), "/v1/chat/completions", "k")
            while not batch.has_ended:
                batch = await client.retrieve(batch.id)
            files = []
            made = [each for each in (batch.output_file_id, batch.error_file_id) if each]
            for number, file in enumerate(made):
                files.append(got.with_suffix(f".{number}"))
                await client.download(file, files[-1])
        replies = ReplyFiles(files)
        found = {name: replies.find(bytes.fromhex(key_of(name))) for name in bodies}
        replies.close()
        return found

    models = {name: load("http://127.0.0.1:1/v1/quirks") for name in BATCHED}
    calls = {name: a_call(name, **SAMPLING) for name in BATCHED}

    def bodies(names):
        return {name: models[name].batch_body(calls[name]) for name in names}

    with pytest.MonkeyPatch.context() as patch:
        only_key(patch)
        first = asyncio.run(send(bodies(BATCHED)))
        again = []
        for name in BATCHED:
            if isinstance(QUIRKS[name].sends, Refuses):
                with pytest.raises(TransientError, match="was refused"):
                    models[name].read_batch(calls[name], *first[name])
                again.append(name)
        second = asyncio.run(send(bodies(again)))
    return models, calls, first | second


@pytest.mark.parametrize("name", BATCHED)
def test_a_line_of_a_batch_is_read_or_refused(batched, one_key, name):
    models, calls, found = batched
    makes, one, call = QUIRKS[name].makes, models[name], calls[name]
    if isinstance(makes, Fault):
        with pytest.raises(makes.kind, match=makes.says) as caught:
            one.read_batch(call, *found[name])
        assert type(caught.value) is makes.kind
        return
    if makes.beside:
        one = HttpModel(Endpoint(provider := Provider("own", "http://127.0.0.1:1/v1",
                        thought_beside=True), provider.address(), "q", "own/q"))  # fmt: skip
    messages = json.loads(one.batch_body(call))["messages"]
    check_reply(one.read_batch(call, *found[name]), makes, messages, None)


def test_every_row_says_who_sends_so():
    assert all(row.source for row in QUIRKS.values())
    assert len(BATCHED) > 100
