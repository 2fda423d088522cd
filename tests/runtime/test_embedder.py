"""Embeddings: the embedded model, and an endpoint on loopback that keeps to the format or not."""

import numpy as np
import pytest
from aiohttp import web

from moot.core.errors import AccessError, BudgetReached, ContextTooLong, InputError, RefusedError
from moot.ledger.store import Store
from moot.models.prices import Price
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.embedder import Embedder
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from support.essays import endpoint_of
from support.http_calls import KEY, only_key


@pytest.fixture(autouse=True)
def one_key(monkeypatch):
    only_key(monkeypatch)


@pytest.fixture
async def endpoint():
    async with endpoint_of() as here:
        yield here


@pytest.fixture
async def asked(endpoint, tmp_path):
    """Has the endpoint embed texts, by a path over a store of its own."""
    async with Store.open(tmp_path / "store") as store:

        async def asked(texts, options="", *, made=None, **given):
            made = made or of(endpoint, options)
            path = CallPath(store, retry=Retry(first=0.001), **given)
            try:
                return await made(texts, path), path.traffic
            finally:
                await made.model.close()

        yield asked


def of(endpoint, options=""):
    return Embedder.find(f"{endpoint.address}/v1/org/small{options}")


async def test_what_is_sent_and_read(endpoint, asked):
    rows, traffic = await asked(["banana", "kiwi", "banana"])
    assert rows.tolist() == [[6, 3], [4, 0], [6, 3]]
    bodies = [body for _, _, body in endpoint.seen]
    assert bodies == [{"model": "org/small", "input": [text]} for text in ("banana", "kiwi")]
    path, headers, _ = endpoint.seen[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert of(endpoint).name == f"{endpoint.address}/v1/org/small"
    assert (traffic.calls, traffic.retries, traffic.unpriced) == (2, 0, 2)
    assert (traffic.prompt_tokens, traffic.completion_tokens) == (14, 0)


async def test_what_was_embedded_once_comes_from_the_store_to_the_last_bit(endpoint, asked):
    odd = [0.1, -1e-40, 3.4028235e38, 2**0.5]
    endpoint.shape = lambda data: data | {"data": [{"index": 0, "embedding": odd}]}
    first, _ = await asked(["kiwi"])
    assert first.dtype == np.float32
    assert (first == np.array([odd], dtype=np.float32)).all()
    endpoint.shape = lambda data: data
    again, traffic = await asked(["kiwi"], "?concurrency=2&seed=off")
    assert again.tobytes() == first.tobytes()
    assert (traffic.calls, traffic.replayed, len(endpoint.seen)) == (0, 1, 1)


async def test_the_budget_holds_and_what_was_paid_for_stays(endpoint, asked):
    texts = [f"text {'a' * n}" for n in range(9)]
    with pytest.raises(BudgetReached, match="4 calls"):
        await asked(texts, guard=BudgetGuard(Budget(calls=4)))
    assert len(endpoint.seen) == 4
    _, traffic = await asked(texts)
    assert (traffic.calls, traffic.replayed) == (5, 4)


async def test_what_may_pass_is_asked_again_and_texts_without_words_are_not_sent(endpoint, asked):
    endpoint.fails = [
        web.Response(status=429, headers={"Retry-After": "0.01"}),
        web.Response(status=503),
        web.Response(text="<html>"),
        web.json_response({"error": {"message": "upstream is busy", "code": 429}}),
    ]
    rows, traffic = await asked(["", "kiwi", " \n"])
    assert rows.tolist() == [[0, 0], [4, 0], [0, 0]]
    assert (traffic.retries, traffic.calls) == (4, 1)
    assert {*endpoint.seen[0][2]["input"]} == {"kiwi"}
    assert (await asked([]))[0].shape == (0, 1)


@pytest.mark.parametrize(
    ("status", "said", "error", "text"),
    [
        (401, "no such key", AccessError, "the key in MOOT_API_KEY is not accepted"),
        (404, "no such model", RefusedError, "is the model's name right"),
        (400, "maximum context length is 8192 tokens", ContextTooLong, "8192"),
    ],
)
async def test_what_will_not_pass_is_not_asked_again(endpoint, asked, status, said, error, text):
    body = {"error": {"message": f"{said}: {KEY}"}}
    endpoint.fails = [web.json_response(body, status=status)]
    with pytest.raises(error, match=text) as caught:
        await asked(["kiwi"])
    assert KEY not in str(caught.value)
    assert len(endpoint.seen) == 1


async def test_a_provider_s_key_goes_nowhere_else(endpoint, asked, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("MOOT_API_KEY")
    with pytest.raises(InputError, match="OPENAI_API_KEY holds a key for openai and goes to no"):
        of(endpoint, "?key=OPENAI_API_KEY")
    await asked(["kiwi"])
    assert "Authorization" not in endpoint.seen[0][1]
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(AccessError, match="set the environment variable OPENAI_API_KEY"):
        await asked(["fig"], made=Embedder.find("openai/text-embedding-3-small"))


async def test_a_price_is_counted_and_no_key_is_kept(endpoint, asked, tmp_path):
    prices = {of(endpoint).model.name: Price(2.0, 0.0)}
    _, traffic = await asked(["kiwi", "fig"], prices=prices, guard=BudgetGuard(Budget(cost=1.0)))
    assert traffic.cost == pytest.approx(2 * 7 * 2e-6)
    kept = b"".join(file.read_bytes() for file in (tmp_path / "store").iterdir())
    assert KEY.encode() not in kept
    assert b"org/small (embeddings)" in kept


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("local/smollm2", "write embedded, provider/MODEL such as"),
        ("http://127.0.0.1:8000/v1/embeddings", "after the version write the model's name"),
        ("http://me:secret@127.0.0.1/v1/x", "takes no user and password"),
    ],
)
def test_names_that_are_none(name, text):
    with pytest.raises(InputError, match=text) as caught:
        Embedder.find(name)
    assert "secret" not in str(caught.value)
