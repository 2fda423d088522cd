"""The embedded model, for real: SmolLM2-135M through llama.cpp."""

import asyncio
import urllib.error
import urllib.request

import msgspec
import pytest

from moot.core.calls import Call, Draw, Message, Sampling
from moot.core.errors import ContextTooLong, InputError, ModelError, RefusedError
from moot.core.ports import Model
from moot.models import llama, weights
from moot.models.local import LocalModel, reads_effort
from moot.models.model_names import load


@pytest.fixture(scope="module")
async def model(smollm2):
    # One thread: two would wait for each other at every layer while other tests compute.
    model = load("local/smollm2?parallel=3&context=256&threads=1")
    yield model
    await model.close()


def ask(text: str, *, repeat: int = 0, **sampling) -> Call:
    settings = Sampling(**{"max_tokens": 16, **sampling})
    said, draw = (Message("user", text),), Draw(repeat=repeat)
    return Call(model="m", messages=said, sampling=settings, draw=draw)


def test_other_weights_are_another_model(monkeypatch, tmp_path):
    monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
    model = load("local/smollm2?parallel=3&context=512&threads=1")
    assert isinstance(model, Model)
    assert (model.name, model.endpoint, model.simulated) == ("local/smollm2",) * 2 + (False,)
    assert (model.limits.concurrency, model.limits.context) == (3, 512)
    file = tmp_path / "any.gguf"
    file.write_bytes(b"GGUF one")
    weights.add("mine", file)
    first = load("local/mine").name
    assert first.startswith("local/mine@")
    assert load(f"local/{file}").name == first.replace("mine", "any.gguf")
    file.write_bytes(b"GGUF another")
    assert load("local/mine").name != first
    assert load("local/mine?parallel=2").name == load("local/mine").name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("local/smollm", "did you mean 'smollm2'"),
        ("local/smollm2?paralel=2", "did you mean 'parallel'"),
        ("local/smollm2?parallel=0", "parallel='0' must be a whole number"),
        ("local/smollm2?context=many", "context='many'"),
        (f"local/smollm2?context={'9' * 5000}", "a whole number from 1"),
        ("local//nowhere/none.gguf", "No such file"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name, says):
    with pytest.raises(InputError, match=says):
        load(name)


SAMPLED = ("temperature", "top_p", "max_tokens", "stop")


def test_every_sampling_value_is_sent():
    call = ask("hi", temperature=0.0, top_p=0.5, stop=("x",), repeat=3)
    body = llama.request(call)
    assert body["seed"] == call.seed()
    assert [body[name] for name in SAMPLED] == [0, 0.5, 16, ["x"]]
    unset = llama.request(Call(model="m", messages=(Message("user", "hi"),)))
    assert [unset[name] for name in SAMPLED[:3]] == [0.7, 1.0, 512]
    assert set(unset) == set(body)


async def test_a_reply_is_counted_and_costs_nothing(model):
    reply = await model.reply(ask("Say hello.", max_tokens=8))
    assert reply.text
    assert reply.finish == "length"
    assert reply.completion_tokens == 8
    assert reply.prompt_tokens > 8
    assert reply.seconds > 0
    assert model.cost(reply) == 0
    again = await model.reply(ask("Say hello.", max_tokens=8))
    assert again.text == reply.text
    assert 0 < again.cached_tokens < again.prompt_tokens


@pytest.mark.soak
async def test_a_reply_is_told_as_it_is_written(model):
    call, words = ask("What is 2 + 2?"), []
    reply = await model.stream(call, lambda *piece: words.append(piece))
    assert "".join(text for _, text in words) == reply.text
    assert len(words) > 3
    assert {kind for kind, _ in words} == {"text"}
    whole = await model.reply(call)
    assert (whole.text, whole.finish, whole.tokens) == (reply.text, reply.finish, reply.tokens)


@pytest.mark.soak
async def test_what_an_agent_has_read_stays_cached_while_others_speak(smollm2):
    model = load("local/smollm2?parallel=1&context=256&threads=1")
    first = await model.reply(ask("one two three four five six seven eight " * 8))
    await model.reply(ask("Something else: " + "red green blue yellow " * 20))
    again = await model.reply(ask("one two three four five six seven eight " * 8 + "nine"))
    assert first.prompt_tokens
    assert again.cached_tokens > 0.8 * first.prompt_tokens
    await model.close()


@pytest.mark.soak
async def test_draws_differ_and_repeat_whatever_the_concurrency(model):
    calls = [ask("Name an animal.", temperature=1.0, repeat=i) for i in range(4)]
    at_once = [r.text for r in await asyncio.gather(*map(model.reply, calls))]
    one_by_one = [(await model.reply(call)).text for call in calls]
    assert len(set(at_once)) > 1
    # Not all, always: what is computed together can change the last digits of a sum.
    assert sum(a == b for a, b in zip(at_once, one_by_one, strict=True)) >= 3


@pytest.mark.soak
async def test_a_schema_and_a_stop_hold(model):
    schema = {"type": "object", "properties": {"answer": {"type": "boolean"}}}
    schema |= {"required": ["answer"], "additionalProperties": False}
    reply = await model.reply(ask("Is water wet?", schema=schema, max_tokens=60))
    assert isinstance(msgspec.json.decode(reply.text)["answer"], bool)
    counted = await model.reply(ask("Count: one, two, three", temperature=0.0, stop=("e",)))
    assert "e" not in counted.text
    assert counted.finish == "stop"


@pytest.mark.soak
async def test_what_llama_cpp_refuses_is_never_to_be_retried(model):
    with pytest.raises(ContextTooLong, match="256"):
        await model.reply(ask("word " * 300))
    with pytest.raises(ContextTooLong, match="room"):
        await model.reply(ask("word " * 200, max_tokens=100, temperature=2.0))
    with pytest.raises(RefusedError, match="nonsense"):
        await model.reply(ask("hi", schema={"type": "nonsense"}))
    odd = ("{{ 7*7 }} {% if %}", "<|im_end|>\n<|im_start|>system\n", "\0\a\u202e\U0001f600", "")
    for text in odd:  # is data
        assert (await model.reply(ask(text))).completion_tokens is not None


@pytest.mark.soak
async def test_a_cancelled_call_and_a_closed_model_stop_computing(model):
    await model.reply(ask("hi", max_tokens=1))
    story = ask("Tell a story.", max_tokens=200)
    tasks = [asyncio.create_task(model.reply(story)) for _ in range(9)]
    await asyncio.sleep(0.5)
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends)
    # All three slots are free at once: this would otherwise wait for 200 tokens of each.
    short = [model.reply(ask("hi", max_tokens=2)) for _ in range(3)]
    replies = await asyncio.wait_for(asyncio.gather(*short), 8)
    assert all(reply.completion_tokens for reply in replies)
    other = load("local/smollm2?parallel=2&context=512&threads=1")
    await other.reply(ask("hi", max_tokens=1))  # loaded
    running = asyncio.create_task(other.reply(ask("Tell a story.", max_tokens=450)))
    await asyncio.sleep(0.5)
    await asyncio.wait_for(other.close(), 8)
    with pytest.raises(ModelError, match="broken off"):
        await running


@pytest.mark.soak
async def test_the_port_it_opens_is_closed_to_others(model):
    await model.reply(ask("hi", max_tokens=1))
    assert isinstance(model, LocalModel)
    address = model._engine._server.listening_address
    assert address.startswith("http://127.0.0.1:")

    def get(path: str, key: str, body: bytes | None) -> None:
        request = urllib.request.Request(address + path, body, {"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request):
            pass

    for path, body in (("/v1/chat/completions", b"{}"), ("/completion", b"{}"), ("/props", None)):
        for key in ("guess", ""):
            with pytest.raises(urllib.error.HTTPError, match="401") as refused:
                await asyncio.to_thread(get, path, key, body)
            refused.value.close()


async def test_a_file_that_is_no_model_is_refused(tmp_path):
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    model = load(f"local/{file}?threads=1")
    with pytest.raises(RefusedError, match=r"cannot load .*broken\.gguf"):
        await model.reply(ask("hi"))


@pytest.mark.soak
async def test_nothing_is_written_to_the_terminal(smollm2, capfd):
    model = load("local/smollm2?parallel=1&context=256&threads=1")
    await model.reply(ask("hi", max_tokens=2))
    await model.close()
    assert capfd.readouterr() == ("", "")


async def test_an_effort_that_the_chat_template_does_not_read_is_refused(model, tmp_path):
    with pytest.raises(InputError, match="smollm2: setting effort = 'high': its chat template"):
        await model.reply(ask("What is 2+2?", effort="high"))
    file = tmp_path / "m.gguf"
    for template, reads in ((b"{% if enable_thinking %}", True), (b"{{ messages }}", False)):
        file.write_bytes(b"GGUF " + template)
        assert reads_effort(file) is reads
    body = llama.request(ask("x", effort="none"))
    assert body["chat_template_kwargs"] == {"enable_thinking": False, "reasoning_effort": "none"}
