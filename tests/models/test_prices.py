"""What replies cost."""

import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.models.about import about_model
from moot.models.model_names import load
from moot.models.prices import Price, find_price


def a_reply(prompt: int | None = 1_000_000, completion: int | None = 100_000, cached: int = 0):
    return Reply(text="", prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)


def test_a_price_is_per_million_tokens_and_one_of_unknown_tokens_unknown():
    assert Price(2.0, 8.0)(a_reply()) == pytest.approx(2.8)
    assert Price(2.0, 8.0)(a_reply(cached=500_000)) == pytest.approx(2.8)
    assert Price(2.0, 8.0, cached=0.5)(a_reply(cached=500_000)) == pytest.approx(2.05)
    assert Price(0.0, 0.0)(a_reply()) == 0.0
    known = (find_price("openai", "gpt-4o-mini"), find_price("google", "gemini-2.5-pro"))
    for price in (Price(2.0, 8.0), *known):
        assert price(a_reply(prompt=None)) is price(a_reply(completion=None)) is None
    for value in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="US dollars for a million tokens"):
            Price(1.0, value)


@pytest.mark.parametrize(
    "name",
    [
        *("openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-pro"),
        *("deepseek/deepseek-chat", "mistral/mistral-small-latest", "groq/llama-3.3-70b-versatile"),
    ],
)
def test_the_packages_own_sum_is_the_reference(name):
    from genai_prices import Usage, calc_price

    provider, model = name.split("/")
    known = find_price(provider, model)
    for prompt, cached in ((1000, 0), (1000, 400), (900_000, 300_000)):
        usage = Usage(input_tokens=prompt, output_tokens=77, cache_read_tokens=cached)
        expected = float(calc_price(usage, model, provider_id=provider).total_price)
        assert known(a_reply(prompt, 77, cached)) == pytest.approx(expected)
        assert expected > 0


def test_a_models_price_is_known_unknown_or_set():
    assert find_price("openai", "no-such-model") is None
    unknown = ("openai/no-such-model", "ollama/llama3", "http://127.0.0.1:1/v1/gpt-4o-mini")
    for name in unknown:
        model = load(name)
        assert model.cost(a_reply()) is None
        model.price = Price(1.0, 1.0)
        assert model.cost(a_reply()) == pytest.approx(1.1)
    assert load("openai/gpt-4o-mini").cost(a_reply()) == pytest.approx(0.15 + 0.06)
    assert about_model(load("gemini/gemini-2.5-pro"))["price"] == [1.25, 10.0]  # of short calls
