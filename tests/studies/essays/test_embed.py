"""Embeddings: the embedded model, and an endpoint on loopback that keeps to the format or not."""

import asyncio
import base64
from contextlib import asynccontextmanager

import numpy as np
import pytest
from aiohttp import web

from asking import KEY
from hubs import serve
from moot.core.errors import (
    AccessError,
    ContextTooLong,
    InputError,
    RefusedError,
    TransientError,
)
from moot.models.embedding import embed
from moot.studies.essays import embed as module
from moot.studies.essays.embed import EMBEDDED, embedder

USAGE = {"prompt_tokens": 7, "total_tokens": 7}


def vector(text):
    """Two numbers that a text decides."""
    return [float(len(text)), float(text.count("a"))]


class Endpoint:
    """What it answers is set by the tests; ``fails`` are the answers to the next requests."""

    def __init__(self):
        self.seen, self.fails, self.delay, self.at_once, self.most = [], [], 0.0, 0, 0
        self.shape = lambda data: data

    async def answer(self, request):
        body = await request.json()
        self.seen.append((request.path, dict(request.headers), body))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(self.delay)
        self.at_once -= 1
        if self.fails:
            return self.fails.pop(0)
        data = [{"index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
        return web.json_response(self.shape({"data": data, "usage": USAGE}))


@asynccontextmanager
async def _endpoint():
    here, app = Endpoint(), web.Application()
    app.router.add_post("/v1/embeddings", here.answer)
    async with serve(app) as here.address:
        yield here


@pytest.fixture(autouse=True)
def one_key(monkeypatch):
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme.upper()}_PROXY", raising=False)
    monkeypatch.setenv("MOOT_API_KEY", KEY)


@pytest.fixture
async def endpoint():
    async with _endpoint() as here:
        yield here


def of(endpoint, options=""):
    made = embedder(f"{endpoint.address}/v1/org/small{options}")
    made._retry = module.Retry(first=0.001)
    return made


async def test_the_embedded_model():
    made = embedder(EMBEDDED)
    rows = await made(["a text", "another", "a text"])
    assert (rows == embed(["a text", "another", "a text"])).all()
    assert made.name == "embedded"
    assert (made.used.texts, made.used.calls, made.used.cost) == (2, 0, 0.0)


async def test_what_is_sent_and_read(endpoint):
    made = of(endpoint)
    rows = await made(["banana", "kiwi", "banana"])
    assert rows.tolist() == [[6, 3], [4, 0], [6, 3]]
    ((path, headers, body),) = endpoint.seen
    assert path == "/v1/embeddings"
    assert body == {"model": "org/small", "input": ["banana", "kiwi"]}
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert made.name == f"{endpoint.address}/v1/org/small"
    used = made.used
    assert (used.texts, used.calls, used.tokens, used.retries) == (2, 1, 7, 0)
    assert used.cost is None


async def test_many_texts_go_in_batches_at_the_same_time_and_keep_their_order(endpoint):
    endpoint.delay = 0.02
    texts = [f"text {'a' * n}" for n in range(200)]
    made = of(endpoint)
    assert (await made(texts)).tolist() == [vector(text) for text in texts]
    assert sorted(len(body["input"]) for _, _, body in endpoint.seen) == [8, 64, 64, 64]
    assert endpoint.most == 4
    assert (made.used.calls, made.used.tokens) == (4, 28)
    endpoint.most = 0
    await of(endpoint, "?concurrency=2")(texts)
    assert endpoint.most == 2


async def test_vectors_in_another_order_or_as_base64_or_without_numbers(endpoint):
    def packed(data):
        for each in data["data"]:
            each["embedding"] = base64.b64encode(
                np.array(each["embedding"], dtype="<f4").tobytes()
            ).decode()
        return data

    def bare(data):
        return {"data": [{"embedding": each["embedding"]} for each in data["data"]]}

    made = of(endpoint)
    for shape in (lambda data: data | {"data": data["data"][::-1]}, packed, bare):
        endpoint.shape = shape
        assert (await made(["banana", "kiwi"])).tolist() == [[6, 3], [4, 0]]
    assert (made.used.calls, made.used.tokens) == (3, None)


async def test_texts_without_words_are_not_sent(endpoint):
    rows = await of(endpoint)(["", "kiwi", " \n"])
    assert rows.tolist() == [[0, 0], [4, 0], [0, 0]]
    assert endpoint.seen[0][2]["input"] == ["kiwi"]
    assert (await of(endpoint)([""])).tolist() == [[0]]
    assert (await of(endpoint)([])).shape == (0, 1)
    assert len(endpoint.seen) == 1


async def test_half_a_surrogate_pair_can_be_sent(endpoint):
    await of(endpoint)(["half \ud83d"])
    assert endpoint.seen[0][2]["input"] == ["half \ufffd"]


async def test_what_may_pass_is_asked_again(endpoint):
    endpoint.fails = [
        web.Response(status=429, headers={"Retry-After": "0.01"}),
        web.Response(status=503),
        web.Response(text="<html>"),
        web.json_response({"error": {"message": "upstream is busy", "code": 429}}),
    ]
    made = of(endpoint)
    assert (await made(["kiwi"])).tolist() == [[4, 0]]
    assert (made.used.retries, made.used.calls) == (4, 1)


async def test_what_never_passes_ends(endpoint):
    endpoint.shape = lambda data: data | {"data": data["data"][:-1]}
    with pytest.raises(TransientError, match="no embedding for each of 2 texts") as caught:
        await of(endpoint)(["banana", "kiwi"])
    assert caught.value.retries == 5
    assert len(endpoint.seen) == 6


@pytest.mark.parametrize(
    "vectors",
    [
        [{"index": 0, "embedding": []}],
        [{"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": "a"}],
        [{"index": 0, "embedding": "AAAAAA"}],
        [{"index": 0, "embedding": "AADAfw=="}],  # not a number
        [{"index": 0}],
        "none",
    ],
)
async def test_a_vector_that_is_none_is_not_taken(endpoint, vectors):
    endpoint.shape = lambda _data: {"data": vectors}
    made = of(endpoint)
    made._retry = module.Retry(attempts=1)
    with pytest.raises(TransientError, match="holds no embedding"):
        await made(["kiwi"])


async def test_vectors_of_two_lengths_are_refused(endpoint):
    endpoint.shape = lambda data: (
        data | {"data": [{"embedding": [1.0] * (at + 1)} for at in range(len(data["data"]))]}
    )
    with pytest.raises(RefusedError, match=r"several lengths: \[1, 2\]"):
        await of(endpoint)(["banana", "kiwi"])


@pytest.mark.parametrize(
    ("status", "said", "error", "text"),
    [
        (401, "no such key", AccessError, "the key in MOOT_API_KEY is not accepted"),
        (404, "no such model", RefusedError, "is the model's name right"),
        (400, "maximum context length is 8192 tokens", ContextTooLong, "8192"),
    ],
)
async def test_what_will_not_pass_is_not_asked_again(endpoint, status, said, error, text):
    body = {"error": {"message": f"{said}: {KEY}"}}
    endpoint.fails = [web.json_response(body, status=status)]
    with pytest.raises(error, match=text) as caught:
        await of(endpoint)(["kiwi"])
    assert KEY not in str(caught.value)
    assert len(endpoint.seen) == 1


async def test_the_first_error_ends_the_other_batches(endpoint):
    endpoint.fails = [web.Response(status=400)]
    with pytest.raises(RefusedError):
        await of(endpoint, "?concurrency=1")([f"text {n}" for n in range(200)])
    assert len(endpoint.seen) < 4


async def test_a_provider_s_key_goes_nowhere_else(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("MOOT_API_KEY")
    with pytest.raises(InputError, match="OPENAI_API_KEY holds a key for openai and goes to no"):
        of(endpoint, "?key=OPENAI_API_KEY")
    await of(endpoint)(["kiwi"])
    assert "Authorization" not in endpoint.seen[0][1]
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(AccessError, match="set the environment variable OPENAI_API_KEY"):
        await embedder("openai/text-embedding-3-small")(["kiwi"])


async def test_the_price_of_a_known_model(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = embedder("openai/text-embedding-3-small")
    made._base = f"{endpoint.address}/v1"
    await made(["kiwi"])
    assert made.name == "openai/text-embedding-3-small"
    assert made.used.cost == pytest.approx(7 * 0.02e-6)


async def test_two_calls_at_once_share_their_connections(endpoint):
    made = of(endpoint)
    endpoint.delay = 0.01
    one, other = await asyncio.gather(made(["kiwi"]), made(["fig", "banana"]))
    assert (len(one), len(other)) == (1, 2)
    assert made._transport is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nonsense", "write embedded, provider/MODEL such as"),
        ("local/smollm2", "write embedded, provider/MODEL such as"),
        ("openai/", "write provider/model"),
        ("http://127.0.0.1:8000/v1/embeddings", "after the version write the model's name"),
        ("http://127.0.0.1:8000/llama", "write the address up to its version"),
        ("http://me:secret@127.0.0.1/v1/x", "takes no user and password"),
        ("openai/x?speed=9", "speed"),
    ],
)
def test_names_that_are_none(name, text):
    with pytest.raises(InputError, match=text) as caught:
        embedder(name)
    assert "secret" not in str(caught.value)
