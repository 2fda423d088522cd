"""An HTTP model against a real server that keeps to the format, or does not."""

import socket

import msgspec
import pytest

from moot.core.calls import Draw
from moot.core.errors import (
    AccessError,
    InputError,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
)
from moot.core.ports import Rates
from moot.models.model_names import load
from support.chaos import Chaos, reply_text
from support.http_calls import KEY, a_call


async def test_what_is_sent(server, model):
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    form = {"name": "reply", "schema": schema, "strict": True}
    given = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 7}
    call = a_call(**given, stop=("END",), seed=5, schema=schema, draw=Draw(2))
    reply = await model("org/name:7b").reply(call)
    assert server.seen[0]["request"] == {
        "model": "org/name:7b",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is 2+2?"},
        ],
        **given,
        "stop": ["END"],
        "seed": call.seed(),
        "response_format": {"type": "json_schema", "json_schema": form},
    }
    assert server.seen[0]["line"] == "POST /v1/chat/completions HTTP/1.1"
    assert server.seen[0]["headers"]["authorization"] == f"Bearer {KEY}"
    assert reply.text == reply_text(server.seen[0]["request"]["messages"], call.seed())
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens) == (20, 8, 0)
    assert reply.finish == "stop"
    assert 0 < reply.seconds < 5
    assert reply.cost is None
    await model().reply(a_call())
    await model(options="?seed=off").reply(a_call())
    keys = [set(entry["request"]) for entry in server.seen[1:]]
    assert keys == [{"model", "messages", "seed"}, {"model", "messages"}]


async def test_an_address_without_a_key_gets_none(server, model, monkeypatch):
    monkeypatch.delenv("MOOT_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    await model().reply(a_call())
    assert "authorization" not in server.seen[0]["headers"]
    assert KEY not in str(server.seen)


async def test_the_variable_that_is_named_holds_the_key(server, model, monkeypatch):
    monkeypatch.setenv("MY_OWN_KEY", "another-key-of-mine\n")
    await model(options="?key=MY_OWN_KEY").reply(a_call())
    assert server.seen[0]["headers"]["authorization"] == "Bearer another-key-of-mine"
    with pytest.raises(AccessError, match="set the environment variable NOT_SET_KEY"):
        await model(options="?key=NOT_SET_KEY").reply(a_call())
    monkeypatch.setenv("MY_OWN_KEY", "two\nlines\r\nX-Evil: yes")
    with pytest.raises(AccessError, match="MY_OWN_KEY cannot be a key") as caught:
        await model(options="?key=MY_OWN_KEY").reply(a_call())
    assert "Evil" not in str(caught.value)
    assert len(server.seen) == 1


async def test_nobody_listens(one_key):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        one = load(f"http://127.0.0.1:{taken.getsockname()[1]}/v1/m")
        with pytest.raises(TransientError, match=r"cannot connect to 127.0.0.1:\d+: Conn"):
            await one.reply(a_call())
        await one.close()


@pytest.mark.parametrize("how", ["", "+noparam"])
@pytest.mark.parametrize("name", ["temperature", "top_p", "stop", "seed", "response_format"])
async def test_a_parameter_the_endpoint_does_not_take_is_left_out(server, model, caplog, name, how):
    one = model(f"refuse={name}{how}")
    sampling = {"temperature": 1.0, "top_p": 0.5, "stop": ("x",), "schema": {"type": "object"}}
    for number in range(3):
        await one.reply(a_call(str(number), **sampling))
    assert [name in entry["request"] for entry in server.seen] == [True, False, False, False]
    assert len(server.seen[-1]["request"]) == 6
    assert caplog.text.count(f"does not take {name}: left out") == 1


async def test_the_cap_on_tokens_is_renamed_but_never_lifted(server, model):
    one = model("refuse=max_tokens")
    for _ in range(2):
        await one.reply(a_call(max_tokens=9))
    assert [entry["request"].get("max_completion_tokens") for entry in server.seen] == [None, 9, 9]
    both = model("refuse=max_tokens+refuse=max_completion_tokens")
    both.changes = {"max_tokens": "max_completion_tokens"}
    with pytest.raises(RefusedError, match="max_completion_tokens"):
        await both.reply(a_call(max_tokens=9))


async def test_limits_are_learnt_beside_those_given(model):
    one, given = model("limits"), model("limits", "?rpm=10&concurrency=3&context=2048")
    assert (one.limits.told, one.limits.concurrency) == (None, 64)
    await one.reply(a_call())
    await given.reply(a_call())
    assert one.limits.told == given.limits.told == Rates(requests=500, tokens=30000)
    assert one.limits.requests_per_minute is None
    assert given.limits.requests_per_minute == 10
    assert (given.limits.concurrency, given.limits.context) == (3, 2048)


async def test_a_proxy_is_taken_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://user:secret@127.0.0.1:{server.port}")
    monkeypatch.setenv("http_proxy", f"http://user:secret@127.0.0.1:{server.port}")
    one = load("http://moot.invalid/v1/ok")
    await one.reply(a_call())
    await one.close()
    assert server.seen[0]["line"].startswith("POST http://moot.invalid/v1/chat/completions ")
    assert server.seen[0]["headers"]["proxy-authorization"].startswith("Basic ")

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    direct = load(f"{server.url}/ok")
    await direct.reply(a_call())
    await direct.close()
    assert server.seen[1]["line"].startswith("POST /v1/")


async def test_a_netrc_takes_no_keys_place(server, model, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    await model().reply(a_call())
    assert server.seen[0]["headers"]["authorization"] == f"Bearer {KEY}"


async def test_a_proxy_that_cannot_be(one_key, monkeypatch):
    monkeypatch.setenv("http_proxy", "socks5://user:secret@127.0.0.1:1")
    with pytest.raises(InputError, match="socks5") as caught:
        await load("http://moot.invalid/v1/ok").reply(a_call())
    assert "secret" not in str(caught.value)


async def test_another_fault_is_not_hidden_and_a_schema_is_not_given_up_for_it(server, model):
    with pytest.raises(RefusedError, match="at most 2"):
        await model("400+say=temperature must be at most 2").reply(a_call(temperature=5.0))
    assert len(server.seen) == 1
    one = model("400")
    with pytest.raises(RefusedError):
        await one.reply(a_call(schema={"type": "object"}))
    assert ["response_format" in entry["request"] for entry in server.seen[1:]] == [True, False]
    assert one.changes == {}


async def test_a_wrong_model_name_names_the_models_that_the_endpoint_lists(server, model, caplog):
    caplog.set_level("DEBUG")
    server.models = ["lama-3", f"odd-{KEY}\n", "404"]
    one = model("404+say=gone")
    for _ in range(2):
        with pytest.raises(
            NotFoundError, match=r"404: gone .*unknown model of this endpoint"
        ) as no:
            await one.reply(a_call())
        assert "Valid: 404, lama-3, odd-[key]" in str(no.value)
        assert KEY not in f"{no.value!r} {caplog.text}"
    assert len(server.seen) == 2
    server.models = []  # it lists none, or does not answer
    with pytest.raises(NotFoundError, match=r"is the model's name right\?\)$"):
        await model("404+say=other").reply(a_call())
    server.models = ["404"]  # the name is right, so the address may be wrong
    with pytest.raises(NotFoundError, match=r"is the model's name right\?\)$"):
        await model("404").reply(a_call())


@pytest.mark.parametrize("directive", ["400+echo", "401+echo", "429+echo", "500+echo", "404+echo"])
async def test_the_key_is_in_no_error(server, model, caplog, directive):
    caplog.set_level("DEBUG")
    one = model(directive)
    with pytest.raises(ModelError) as caught:
        await one.reply(a_call())
    error = caught.value
    assert server.seen[0]["headers"]["authorization"].endswith(KEY)
    assert "Bearer [key" in str(error)
    shown = f"{error!r} {error.args} {vars(error)} {one!r} {one.name} {one.endpoint} {caplog.text}"
    assert KEY[:12] not in shown
    assert "\x1b" not in shown
    assert len(str(error)) < 350


async def test_a_redirect_takes_the_key_nowhere(model):
    async with Chaos() as elsewhere:
        with pytest.raises(RefusedError):
            await model(f"redirect={elsewhere.url}/elsewhere").reply(a_call())
        assert elsewhere.seen == []


async def test_system_messages_that_were_refused_in_a_batch_go_out_before_the_users(model):
    one, refusal = model(), {"error": {"message": "System role not supported"}}
    with pytest.raises(TransientError, match="system messages was refused"):
        one.read_batch(a_call("2+2?"), 400, msgspec.json.encode(refusal))
    [message] = msgspec.json.decode(one.batch_body(a_call("2+2?")))["messages"]
    [system, user] = a_call("2+2?").messages
    assert message == {"role": "user", "content": f"{system.content}\n\n{user.content}"}
