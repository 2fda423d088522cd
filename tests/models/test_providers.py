"""Known providers: whose key goes where."""

from urllib.parse import urlsplit

import pytest

from moot.core.calls import Call, Message
from moot.core.errors import InputError, RefusedError
from moot.models.endpoint import Endpoint
from moot.models.http import HttpModel
from moot.models.model_names import load, model_registry
from moot.models.providers import KEY_VARIABLES, PROVIDERS, Provider
from support.chaos import Chaos

HELLO = Call(model="m", messages=(Message("user", "Hello."),))


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for variable in KEY_VARIABLES:
        monkeypatch.setenv(variable, f"key-of-{variable}")


@pytest.mark.parametrize("header", ["Authorization", "api-key"])
async def test_a_provider_gets_its_own_key(header):
    async with Chaos() as server:
        provider = Provider("acme", server.url, "OPENAI_API_KEY", "random_seed", header=header)
        model = HttpModel(Endpoint(provider, provider.address(), "ok", "acme/ok"))
        await model.reply(HELLO)
        await model.close()
    prefix = "Bearer " if header == "Authorization" else ""
    assert server.seen[0]["headers"][header.lower()] == f"{prefix}key-of-OPENAI_API_KEY"
    assert server.seen[0]["request"]["random_seed"] == HELLO.seed()
    assert "seed" not in server.seen[0]["request"]
    assert str(server.seen).count("key-of-") == 1
    assert (model.name, model.endpoint) == ("acme/ok", f"{server.url} (OPENAI_API_KEY)")


async def test_no_provider_gets_anothers_key():
    async with Chaos() as server:
        for variable in sorted(KEY_VARIABLES - {"MOOT_API_KEY"}):
            with pytest.raises(InputError, match=f"{variable} holds a key for") as caught:
                load(f"{server.url}/ok?key={variable}")
            assert "key-of" not in str(caught.value)
        with pytest.raises(InputError, match="a key for groq"):
            load("openai/gpt-4o?key=GROQ_API_KEY")
        with pytest.raises(InputError, match="a key for openai"):
            load("http://api.openai.com/v1/gpt-4o?key=OPENAI_API_KEY")
        with pytest.raises(InputError, match="a key for openai"):
            load("https://api.openai.com:444/v1/gpt-4o?key=OPENAI_API_KEY")
        assert server.seen == []
    assert load("https://api.openai.com/v1/gpt-4o?key=OPENAI_API_KEY").key == "OPENAI_API_KEY"
    assert load("openai/gpt-4o?key=MY_OTHER_KEY").key == "MY_OTHER_KEY"


async def test_every_known_key_is_taken_out_of_errors():
    async with Chaos() as server:
        model = load(f"{server.url}/400+say=key-of-GROQ_API_KEY and key-of-MOOT_API_KEY")
        with pytest.raises(RefusedError, match=r"400: \[key\] and \[key\]$"):
            await model.reply(HELLO)
        await model.close()


def test_azure_is_ones_own_resource(monkeypatch):
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    with pytest.raises(InputError, match="set AZURE_OPENAI_ENDPOINT"):
        load("azure/mine")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://acme.openai.azure.com/")
    assert load("azure/mine").name == "azure/mine@acme.openai.azure.com"


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=PROVIDERS)
def test_the_table(provider):
    from genai_prices.data import providers

    assert model_registry.get(provider.name)
    base = urlsplit(provider.base)
    assert not provider.base.endswith("/")
    assert not provider.prices or provider.prices in {known.id for known in providers}
    if provider.key is None:
        assert (base.scheme, base.hostname, provider.prices) == ("http", "localhost", None)
    else:
        assert base.scheme == "https" or "{" in provider.base
        assert [each.name for each in PROVIDERS.values() if each.key == provider.key] == [
            provider.name
        ]
