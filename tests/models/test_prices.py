"""What replies cost."""

import subprocess
import sys

import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.models.about import about_model
from moot.models.model_names import load
from moot.models.prices import Price, find_price


def a_reply(prompt: int | None = 1_000_000, completion: int | None = 100_000, cached: int = 0):
    return Reply(text="", prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)


def test_a_price_is_per_million_tokens():
    assert Price(2.0, 8.0)(a_reply()) == pytest.approx(2.8)
    assert Price(2.0, 8.0)(a_reply(cached=500_000)) == pytest.approx(2.8)
    assert Price(2.0, 8.0, cached=0.5)(a_reply(cached=500_000)) == pytest.approx(2.05)
    assert Price(0.0, 0.0)(a_reply()) == 0.0


@pytest.mark.parametrize("reply", [a_reply(prompt=None), a_reply(completion=None)])
def test_unknown_tokens_cost_an_unknown_sum(reply):
    assert Price(2.0, 8.0)(reply) is None
    known = find_price("openai", "gpt-4o-mini")
    tiered = find_price("google", "gemini-2.5-pro")
    assert known is not None
    assert tiered is not None
    assert known(reply) is None
    assert tiered(reply) is None


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_price_that_cannot_be(value):
    with pytest.raises(InputError, match="US dollars for a million tokens"):
        Price(1.0, value)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-4o-mini"),
        ("anthropic", "claude-sonnet-4-5"),
        ("google", "gemini-2.5-pro"),
        ("deepseek", "deepseek-chat"),
        ("mistral", "mistral-small-latest"),
        ("groq", "llama-3.3-70b-versatile"),
    ],
)
def test_the_packages_own_sum_is_the_reference(provider, model):
    from genai_prices import Usage, calc_price

    known = find_price(provider, model)
    assert known is not None
    for prompt, cached in ((1000, 0), (1000, 400), (900_000, 300_000)):
        usage = Usage(input_tokens=prompt, output_tokens=77, cache_read_tokens=cached)
        expected = float(calc_price(usage, model, provider_id=provider).total_price)
        assert known(a_reply(prompt, 77, cached)) == pytest.approx(expected)
        assert expected > 0


def test_an_unknown_model_has_no_price():
    assert find_price("openai", "no-such-model") is None
    assert load("openai/no-such-model").cost(a_reply()) is None
    assert load("ollama/llama3").cost(a_reply()) is None
    assert load("http://127.0.0.1:1/v1/gpt-4o-mini").cost(a_reply()) is None


def test_a_models_price_can_be_set():
    model = load("openai/gpt-4o-mini")
    assert model.cost(a_reply()) == pytest.approx(0.15 + 0.06)
    model.price = Price(1.0, 1.0)
    assert model.cost(a_reply()) == pytest.approx(1.1)
    assert about_model(load("gemini/gemini-2.5-pro"))["price"] == [1.25, 10.0]  # of short calls
    address = load("http://127.0.0.1:1/v1/mine")
    address.price = Price(1.0, 1.0)
    assert address.cost(a_reply()) == pytest.approx(1.1)


def test_the_price_package_is_imported_for_known_providers_alone():
    program = (
        "import sys; from moot.models.model_names import load; from moot.core.calls import Reply\n"
        "reply = Reply(text='', prompt_tokens=1, completion_tokens=1)\n"
        "for name in ('http://127.0.0.1:1/v1/m', 'vllm/m'): assert load(name).cost(reply) is None\n"
        "load('openai/gpt-4o')\n"
        "print([m for m in ('genai_prices', 'aiohttp') if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
