"""Addresses from the environment, from options and from tables; whose key goes there."""

import msgspec
import pytest

from moot.core.errors import AccessError, InputError, RefusedError, UnknownName
from moot.models.about import about_model, describe_facts
from moot.models.endpoint_address import complete_host, parse_base
from moot.models.model_names import load
from moot.models.providers import KEY_VARIABLES, PROVIDERS
from moot.models.tables import ModelTable, load_model_with, model_of, parse_tables
from support.chaos import Chaos
from support.http_calls import KEY, a_call, only_key

OWN = "sk-of-the-provider-0123456789"
TOKEN = "team-token-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    only_key(monkeypatch)
    for provider in PROVIDERS.values():
        for variable in provider.variables:
            monkeypatch.delenv(variable, raising=False)
    for variable in KEY_VARIABLES - {"MOOT_API_KEY"}:
        monkeypatch.setenv(variable, OWN)


VARIABLES = [(p.name, v) for p in PROVIDERS.values() for v in p.variables]


@pytest.mark.parametrize(("provider", "variable"), VARIABLES)
async def test_a_variable_decides_where_calls_and_the_key_go(monkeypatch, provider, variable):
    async with Chaos() as server:
        monkeypatch.setenv(variable, f"{server.url}/chat/completions/")
        model = load(f"{provider}/ok")
        assert (await model.reply(a_call())).text
        await model.close()
        [seen] = server.seen
        assert seen["line"] == "POST /v1/chat/completions HTTP/1.1"
        sent = seen["headers"].get("authorization", "") + seen["headers"].get("api-key", "")
        assert sent.endswith(OWN if PROVIDERS[provider].key else KEY)
        assert f"127.0.0.1:{server.port}" in model.name
        assert model.address.variable == variable
    key = PROVIDERS[provider].key
    if key is not None and "{" not in PROVIDERS[provider].base:
        with pytest.raises(InputError, match="goes to no other address"):
            load(f"{PROVIDERS[provider].base}/m?key={key}".replace("/openai/m", "/m"))


@pytest.mark.parametrize(
    ("provider", "value", "base"),
    [
        ("openai", "https://proxy.example/v1/acct/x/compat", None),
        ("openai", "https://proxy.example", None),
        ("anthropic", "https://proxy.example", "https://proxy.example/v1"),
        ("anthropic", "https://proxy.example/claude/", "https://proxy.example/claude/v1"),
        ("anthropic", "https://proxy.example/v1", None),
        ("groq", "https://proxy.example", "https://proxy.example/openai/v1"),
        ("gemini", "https://proxy.example", "https://proxy.example/v1beta/openai"),
        ("cerebras", "https://proxy.example", "https://proxy.example/v1"),
        ("azure", "https://acme.openai.azure.com/", "https://acme.openai.azure.com/openai/v1"),
        ("vllm", "http://gpu1:9000", "http://gpu1:9000/v1"),
    ],
)
def test_what_the_providers_own_library_adds_is_added(monkeypatch, provider, value, base):
    monkeypatch.setenv(PROVIDERS[provider].variables[0], value)
    assert load(f"{provider}/m").address.base == (base or value)


@pytest.mark.parametrize(
    ("value", "base"),
    [
        ("gpu1", "http://gpu1:11434"),
        ("gpu1:9000", "http://gpu1:9000"),
        (":9000", "http://127.0.0.1:9000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9000", "http://127.0.0.1:9000"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:9000", "http://[::1]:9000"),
        ("[::]:9000", "http://127.0.0.1:9000"),
        ("http://gpu1", "http://gpu1"),
        ("https://gpu1/ollama/", "https://gpu1/ollama"),
    ],
)
def test_ollamas_host(monkeypatch, value, base):
    assert complete_host(value) == base
    monkeypatch.setenv("OLLAMA_HOST", value)
    assert load("ollama/m").address == (f"{base}/v1", "OLLAMA_HOST")
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://first:1/v1")
    assert load("ollama/m").address == ("http://first:1/v1", "OLLAMA_BASE_URL")


@pytest.mark.parametrize(
    "value", ["gateway", "ftp://h/v1", "http://", "http://h:99999", "http://u:hunter22@h/v1", "h h"]
)
def test_a_variable_that_holds_no_address_is_named(monkeypatch, value):
    monkeypatch.setenv("OPENAI_BASE_URL", value)
    with pytest.raises(InputError, match="the environment variable OPENAI_BASE_URL") as told:
        load("openai/m")
    assert "hunter22" not in str(told.value)


def test_an_address_ends_before_the_completions():
    assert parse_base("https://h/v1/chat/completions/", "x") == "https://h/v1"
    assert parse_base("https://h/d?api-version=1", "x") == "https://h/d?api-version=1"


@pytest.mark.parametrize("path", ["", "/inference", "/v1/acct/prod/compat", "/serving-endpoints"])
async def test_any_address_can_be_named(path):
    async with Chaos() as server:
        root = server.url.removesuffix("/v1") + path
        model = load(f"http/ok?base={root}")
        await model.reply(a_call())
        await model.close()
        assert server.seen[0]["line"] == f"POST {path}/chat/completions HTTP/1.1"
        assert server.seen[0]["headers"]["authorization"] == f"Bearer {KEY}"
        assert server.seen[0]["request"]["model"] == "ok"
        assert model.name == f"{root}/ok" == load(f"{root}/ok?base={root}").name


async def test_a_query_of_an_address_goes_behind_the_path():
    async with Chaos() as server:
        root = server.url.removesuffix("/v1")
        model = load(f"http/ok?base={root}/deployments/d?api-version=2024-10-21")
        await model.reply(a_call())
        await model.close()
        line = "POST /deployments/d/chat/completions?api-version=2024-10-21 HTTP/1.1"
        assert server.seen[0]["line"] == line


def test_a_gateways_account_is_part_of_its_address():
    model = load("https://gateway.example/v1/acct/prod/compat/openai/gpt-4o")
    assert (model.address.base, model.model) == (
        "https://gateway.example/v1/acct/prod/compat",
        "openai/gpt-4o",
    )


async def test_no_providers_key_goes_where_an_option_leads():
    async with Chaos() as server:
        for name in sorted(PROVIDERS):
            model = load(f"{name}/ok?base={server.url}")
            await model.reply(a_call())
            await model.close()
            key = PROVIDERS[name].key
            if key is not None:
                with pytest.raises(InputError, match=f"{key} holds a key for {name}"):
                    load(f"{name}/ok?base={server.url}&key={key}")
        assert OWN not in str(server.seen)
        assert str(server.seen).count(KEY) == len(PROVIDERS)


def table(**given):
    return ModelTable(**given)


async def test_a_table_names_address_key_headers_and_parameters(monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    monkeypatch.setenv("GATEWAY_KEY", "sk-of-the-gateway-1")
    async with Chaos() as server:
        given = table(
            base=f"{server.url}/acct/prod/compat",
            model="ok",
            key_env="GATEWAY_KEY",
            headers={"X-Team": "${TEAM_TOKEN}", "X-Plain": "plain-0123"},
            extra_body={"top_k": 20, "chat_template_kwargs": {"a": 1}},
            provider="vllm",
            concurrency=3,
        )
        model = load_model_with({"gateway": given}, "gateway")
        await model.reply(a_call(effort="none"))
        await model.close()
        [seen] = server.seen
        assert seen["line"] == "POST /v1/acct/prod/compat/chat/completions HTTP/1.1"
        assert seen["headers"]["x-team"] == TOKEN
        assert seen["headers"]["x-plain"] == "plain-0123"
        assert seen["headers"]["authorization"] == "Bearer sk-of-the-gateway-1"
        assert seen["request"]["top_k"] == 20
        told = {"a": 1, "enable_thinking": False, "thinking": False}
        assert seen["request"]["chat_template_kwargs"] == told
        assert model.limits.concurrency == 3
        other = model_of("gateway", msgspec.structs.replace(given, extra_body={"top_k": 30}))
        assert other.name != model.name  # they answer differently
        shown = str(about_model(model)) + str(describe_facts(about_model(model))) + repr(given)
        for secret in (TOKEN, "sk-of-the-gateway-1", "plain-0123", OWN, KEY):
            assert secret not in shown + model.name + model.endpoint + repr(model.extra)
        assert ("decided by", "base of [models.gateway]") in describe_facts(about_model(model))


async def test_a_header_is_taken_out_of_errors(monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    async with Chaos() as server:
        say = f"400+say=bad {TOKEN} and plain-0123"
        headers = {"X-Team": "Token ${TEAM_TOKEN}", "X-Plain": "plain-0123"}
        model = model_of("g", table(base=server.url, model=say, headers=headers))
        with pytest.raises(RefusedError, match=r"bad \[key\] and \[key\]"):
            await model.reply(a_call())
        await model.close()


async def test_a_header_can_carry_the_key():
    async with Chaos() as server:
        headers = {"authorization": "Basic abc"}
        model = model_of("g", table(base=server.url, model="ok", headers=headers))
        await model.reply(a_call())
        await model.close()
        assert server.seen[0]["headers"]["authorization"] == "Basic abc"
        assert KEY not in str(server.seen)


async def test_a_variable_of_a_header_that_is_not_set_is_named():
    model = model_of("g", table(base="http://h", headers={"X-Team": "${NOT_SET_HERE}"}))
    with pytest.raises(AccessError, match="set the environment variable NOT_SET_HERE"):
        await model.reply(a_call())


async def test_a_parameter_of_ones_own_is_not_left_out():
    async with Chaos() as server:
        body = {"top_k": 20}
        model = model_of("g", table(base=server.url, model="ok+refuse=top_k", extra_body=body))
        with pytest.raises(RefusedError, match="top_k"):
            await model.reply(a_call())
        await model.close()


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("openai", {"base": "http://h"}, "not that of a provider"),
        ("a/b", {"base": "http://h"}, "letters, digits"),
        ("g", {}, "give base"),
        ("g", {"base": "h"}, "no address"),
        ("g", {"base": "http://h", "key_env": "sk-abc"}, "never the key itself"),
        ("g", {"base": "http://h", "key_env": "OPENAI_API_KEY"}, "a key for openai"),
        ("g", {"base": "http://h", "headers": {"X": "${OPENAI_API_KEY}"}}, "a key for openai"),
        ("g", {"base": "http://h", "headers": {"Host": "x"}}, "no header that can be set"),
        ("g", {"base": "http://h", "headers": {"X": "a\r\nY: b"}}, "the value of X"),
        ("g", {"base": "http://h", "headers": {"X": 3}}, "headers"),
        ("g", {"base": "http://h", "extra_body": {"stream": True}}, "moot sets it itself"),
        ("g", {"base": "http://h", "extra_body": {"temperature": 1}}, "the setting temperature"),
        ("g", {"base": "http://h", "extra_body": {"reasoning_effort": "low"}}, "setting effort"),
        ("g", {"base": "http://h", "concurrency": 0}, "1 or more"),
    ],
)
def test_tables_that_cannot_be(name, given, why):
    with pytest.raises(InputError, match=why) as told:
        parse_tables({name: given}, "study.toml")
    assert str(told.value).startswith(f"study.toml: models.{name}")
    assert OWN not in str(told.value)


def test_what_a_table_does_not_have_is_named():
    with pytest.raises(UnknownName, match="headers"):
        parse_tables({"g": {"base": "http://h", "header": {}}}, "study.toml")
    with pytest.raises(UnknownName, match="openai"):
        parse_tables({"g": {"provider": "openia"}}, "study.toml")


@pytest.mark.parametrize("variable", ["OLLAMA_HOST", "OPENAI_BASE_URL"])
@pytest.mark.parametrize(
    "value",
    [
        "user:hidden1@host:1",
        "user:hidden1@host",
        "hidden1@host",
        "http://user:hidden1/pass@host/v1",
        "http://user:hidden1?pass@host/v1",
    ],
)
def test_a_password_in_an_address_is_refused_and_never_repeated(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    provider = "ollama" if variable == "OLLAMA_HOST" else "openai"
    with pytest.raises(InputError, match=f"{variable}: an address takes no user") as error:
        load(f"{provider}/m")
    assert "hidden1" not in str(error.value)


def test_a_key_in_a_variable_for_an_address_is_not_repeated(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "sk-hidden1")
    with pytest.raises(InputError, match="OPENAI_BASE_URL: its value is no address") as error:
        load("openai/m")
    assert "hidden1" not in str(error.value)


def test_the_price_of_a_model_is_that_of_short_calls():
    known = about_model(load("gemini/gemini-2.5-pro"))  # dearer from 200,000 tokens on
    assert known["price"] == [1.25, 10.0]


@pytest.mark.parametrize("table", [5, "text", ["http://h"]])
def test_a_model_that_is_no_table_is_said(table):
    with pytest.raises(InputError, match=r"models\.x: expected a table"):
        parse_tables({"x": table}, "f.toml")
