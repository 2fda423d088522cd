"""Addresses from the environment, from options and from tables; whose key goes there."""

import socket

import msgspec
import pytest

from moot.core.errors import AccessError, InputError, RefusedError
from moot.models import endpoint_address
from moot.models.about import about_model, describe_facts
from moot.models.described import model_of, parse_tables
from moot.models.endpoint_address import check_connection, complete_host, parse_base, split_address
from moot.models.model_names import load
from moot.models.providers import KEY_VARIABLES, PROVIDERS
from moot.models.tables import ModelTable, load_model_with
from support.chaos import Chaos
from support.http_calls import KEY, a_call, only_key
from support.raw_server import Raw

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


HOSTS = {"gpu1": "gpu1:11434", "gpu1:9000": "gpu1:9000", ":9000": "127.0.0.1:9000"}
HOSTS |= {"0.0.0.0": "127.0.0.1:11434", "0.0.0.0:9000": "127.0.0.1:9000", "http://gpu1": "gpu1"}
HOSTS |= {"::1": "[::1]:11434", "[::1]:9000": "[::1]:9000", "[::]:9000": "127.0.0.1:9000"}


@pytest.mark.parametrize(
    ("value", "base"),
    [
        *((value, f"http://{host}") for value, host in HOSTS.items()),
        ("https://gpu1/ollama/", "https://gpu1/ollama"),
    ],
)
def test_ollamas_host(monkeypatch, value, base):
    assert complete_host(value) == base
    monkeypatch.setenv("OLLAMA_HOST", value)
    assert load("ollama/m").address == (f"{base}/v1", "OLLAMA_HOST")
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://first:1/v1")
    assert load("ollama/m").address == ("http://first:1/v1", "OLLAMA_BASE_URL")


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


async def test_a_table_names_address_key_headers_and_parameters(monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    monkeypatch.setenv("GATEWAY_KEY", "sk-of-the-gateway-1")
    async with Chaos() as server:
        given = ModelTable(
            base=f"{server.url}/acct/prod/compat",
            headers={"X-Team": "${TEAM_TOKEN}", "X-Plain": "plain-0123"},
            extra_body={"top_k": 20, "chat_template_kwargs": {"a": 1}},
            model="ok",
            key_env="GATEWAY_KEY",
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


@pytest.mark.parametrize(
    ("path", "query"),
    [("", ""), ("/inference", ""), ("/v1/acct/prod/compat", ""), ("/d", "?api-version=2024-10-21")],
)
async def test_any_address_can_be_named(path, query):
    async with Chaos() as server:
        root = server.url.removesuffix("/v1") + path
        model = load(f"http/ok?base={root}{query}")
        await model.reply(a_call())
        await model.close()
        assert server.seen[0]["line"] == f"POST {path}/chat/completions{query} HTTP/1.1"
        assert server.seen[0]["headers"]["authorization"] == f"Bearer {KEY}"
        assert server.seen[0]["request"]["model"] == "ok"
        assert query or model.name == f"{root}/ok" == load(f"{root}/ok?base={root}").name
    assert parse_base(f"https://h/v1/chat/completions/{query}", "x") == f"https://h/v1{query}"


NOT_ADDRESSES = ("gateway", "ftp://h/v1", "http://", "http://h:99999", "h h", "sk-hidden1")
WITH_PASSWORD = ["user:hidden1@host:1", "user:hidden1@host", "hidden1@host"]
WITH_PASSWORD += ["http://user:hidden1/pass@host/v1", "http://user:hidden1?pass@host/v1"]


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        *(("OPENAI_BASE_URL", value, "its value is no address|") for value in NOT_ADDRESSES),
        *(("OPENAI_BASE_URL", value, "an address takes no user") for value in WITH_PASSWORD),
        *(("OLLAMA_HOST", value, "an address takes no user") for value in WITH_PASSWORD),
    ],
)
def test_a_variable_that_holds_no_address_is_named_alone(monkeypatch, variable, value, why):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match=f"the environment variable {variable}: .*({why})") as told:
        load("ollama/m" if variable == "OLLAMA_HOST" else "openai/m")
    assert "hidden1" not in str(told.value)


async def ask(model_name, **given):
    """The server that a model of a table is asked behind, afterwards."""
    async with Chaos() as server:
        model = model_of("g", ModelTable(base=server.url, model=model_name, **given))
        try:
            await model.reply(a_call())
        finally:
            await model.close()
        return server


async def test_headers_and_parameters_of_ones_own(monkeypatch):
    with pytest.raises(AccessError, match="set the environment variable NOT_SET_HERE"):
        await ask("ok", headers={"X-Team": "${NOT_SET_HERE}"})
    monkeypatch.setenv("TEAM_TOKEN", TOKEN)
    headers = {"X-Team": "Token ${TEAM_TOKEN}", "X-Plain": "plain-0123"}
    with pytest.raises(RefusedError, match=r"bad \[key\] and \[key\]"):
        await ask(f"400+say=bad {TOKEN} and plain-0123", headers=headers)
    with pytest.raises(RefusedError, match="top_k"):  # it is not left out
        await ask("ok+refuse=top_k", extra_body={"top_k": 20})
    server = await ask("ok", headers={"authorization": "Basic abc"})
    assert server.seen[0]["headers"]["authorization"] == "Basic abc"
    assert KEY not in str(server.seen)


AT_H = {"base": "http://h"}


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("openai", AT_H, "not that of a provider"),
        ("a/b", AT_H, "letters, digits"),
        ("g", {}, "give base"),
        ("g", {"base": "h"}, "no address"),
        ("g", {**AT_H, "key_env": "sk-abc"}, "never the key itself"),
        ("g", {**AT_H, "key_env": "OPENAI_API_KEY"}, "a key for openai"),
        ("g", {**AT_H, "headers": {"X": "${OPENAI_API_KEY}"}}, "a key for openai"),
        ("g", {**AT_H, "headers": {"Host": "x"}}, "no header that can be set"),
        ("g", {**AT_H, "headers": {"X": "a\r\nY: b"}}, "the value of X"),
        ("g", {**AT_H, "headers": {"X": 3}}, "headers"),
        ("g", {**AT_H, "extra_body": {"stream": True}}, "moot sets it itself"),
        ("g", {**AT_H, "extra_body": {"temperature": 1}}, "the setting temperature"),
        ("g", {**AT_H, "extra_body": {"reasoning_effort": "low"}}, "setting effort"),
        ("g", {**AT_H, "concurrency": 0}, "1 or more"),
        ("g", {**AT_H, "header": {}}, "did you mean 'headers'"),
        ("g", {"provider": "openia"}, "did you mean 'openai'"),
        *(("g", table, "expected a table") for table in (5, "text", ["http://h"])),
    ],
)
def test_tables_that_cannot_be(name, given, why):
    with pytest.raises(InputError, match=why) as told:
        parse_tables({name: given}, "study.toml")
    assert str(told.value).startswith(f"study.toml: models.{name}") or "mean" in why
    assert OWN not in str(told.value)


@pytest.mark.parametrize(
    ("address", "base", "model"),
    [
        ("http://127.0.0.1:8000/v1/llama", "http://127.0.0.1:8000/v1", "llama"),
        ("https://h/v1/org/name:7b", "https://h/v1", "org/name:7b"),
        ("https://h/a/b/v1/m", "https://h/a/b/v1", "m"),
        ("https://h/v1/v1/m", "https://h/v1", "v1/m"),
        ("https://h/v1beta/openai/m", "https://h/v1beta/openai", "m"),
        ("http://[::1]:80/v1/m", "http://[::1]:80/v1", "m"),
        ("https://h/v1/acct/prod/compat/a/b", "https://h/v1/acct/prod/compat", "a/b"),
    ],
)
def test_addresses(address, base, model):
    assert split_address(address) == (base, model)
    assert load(address).name == address
    assert load(address).address.base == base


@pytest.mark.parametrize(
    "key", ["sk-abc123", "gsk_abc123", "AIzaSyABC", "AKIAIOSFODNN7", "MY-KEY", "", "A_B C", "KEY="]
)
def test_a_key_in_place_of_its_variable_is_not_repeated(key):
    with pytest.raises(InputError, match="never the key itself") as caught:
        load(f"http://h/v1/m?key={key}")
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *(
            (f"http://{rest}", "model 'http")
            for rest in (
                *("h/m", "h/v1", "h/v1/", "/v1/m", "h:99999/v1/m", "h:x/v1/m", "[::1/v1/m"),
                "h/v1/chat/completions",
            )
        ),
        *(
            (f"http://{user}h/v1/m?rpm=x", "no user and password")
            for user in ("bob:hunter22@", "hunter22@", "a:hunter22@x@")
        ),
        *(
            (f"{name}?{option}", f"^model '{name}': .*option {option.split('=')[0]}.*{expected}")
            for name in ("http://h/v1/m", "openai/m")
            for option, expected in (
                *((f"concurrency={n}", "a whole number of requests") for n in ("0", "many", "1.5")),
                *((f"rpm={n}", "requests a minute") for n in ("0", "nan")),
                ("tpm=-1", "tokens a minute"),
                *((f"timeout={n}", "seconds") for n in ("inf", "")),
                ("context=x", "a whole number of tokens"),
                ("seed=7", "on or off"),
            )
        ),
        ("openai/m?concurency=5", r"openai/m.*did you mean 'concurrency'\?.*rpm, seed"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name, said):
    with pytest.raises(InputError, match=said) as caught:
        load(name)
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("name", ["openai/m", "http://h/v1/m"])
def test_only_what_changes_replies_is_in_the_name(name):
    assert load(f"{name}?rpm=5&timeout=9&concurrency=2&key=MY_KEY").name == name
    assert load(f"{name}?seed=off&rpm=1").name == f"{name}?seed=off"


@pytest.fixture
def free() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        port: int = own.getsockname()[1]
    return port


async def test_an_address_at_which_nothing_listens(free):
    with pytest.raises(InputError, match=f"^x: no connection to 127.0.0.1:{free}: .*refused.*run"):
        await check_connection(f"http://127.0.0.1:{free}/v1", name="x")
    with pytest.raises(InputError, match=f"the proxy 127.0.0.1:{free}"):
        await check_connection("http://moot.invalid/v1", name="x", proxy=f"http://127.0.0.1:{free}")


async def test_an_address_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(endpoint_address, "CONNECT_SECONDS", 0.1)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:  # the queue of connections is full
            each.settimeout(0)
            each.connect_ex(("127.0.0.1", port))
        with pytest.raises(InputError, match="does not answer within"):
            await check_connection(f"http://127.0.0.1:{port}/v1", name="x")
        for each in waiting:
            each.close()


async def test_a_model_checks_key_and_address_and_sends_nothing(monkeypatch, free):
    sent = []

    async def never(peer):
        sent.append(await peer.reader.read())

    async with Raw(never) as server:
        await load(f"http://127.0.0.1:{server.port}/v1/x").check()
        with pytest.raises(InputError, match="set the environment variable NOT_SET_KEY"):
            await load(f"http://127.0.0.1:{server.port}/v1/x?key=NOT_SET_KEY").check()
    assert b"".join(sent) == b""
    with pytest.raises(InputError, match="no connection"):
        await load(f"http://127.0.0.1:{free}/v1/x").check()


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".example"])
async def test_a_name_that_no_host_can_have(host):
    with pytest.raises(InputError, match="no host can have this name"):
        await check_connection(f"http://{host}/v1", name="x")
