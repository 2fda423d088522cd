"""A scripted model says what it was told, whatever the concurrency."""

import asyncio

import pytest

from moot.core.calls import Call, Draw, Message, Reply, Scene, identity
from moot.core.errors import (
    InputError,
    RefusedError,
    ScriptEnded,
    TransientError,
    UnknownName,
)
from moot.core.ports import Limits, Model
from moot.core.questions import Question
from moot.models.names import load
from moot.models.scripted import Scripted


def a_call(agent="ann", round=1, question="q1", replicate=0, text="two words") -> Call:  # noqa: A002
    scene = Scene(
        question=Question(id=question, kind="number", text="1+1"),
        agent=agent,
        role="mind",
        step="answer",
        round=round,
    )
    return Call(
        model="scripted/script",
        messages=(Message("user", text),),
        draw=Draw(replicate),
        scene=scene,
    )


async def texts(model: Scripted, *calls: Call) -> list[str]:
    return [reply.text for reply in await asyncio.gather(*map(model.reply, calls))]


async def test_is_a_model_that_costs_nothing_and_is_labelled():
    model = Scripted(["a"], name="mine", limits=Limits(concurrency=3))
    assert isinstance(model, Model)
    assert (model.name, model.endpoint) == ("scripted/mine", "scripted/mine")
    assert model.simulated
    assert model.limits.concurrency == 3
    assert model.cost(Reply(text="x")) == 0.0
    await model.close()


async def test_tokens_are_words_exactly():
    reply = await Scripted(["three plain words"]).reply(a_call(text=" a  b\nc d "))
    assert (reply.prompt_tokens, reply.completion_tokens) == (4, 3)


async def test_tokens_by_another_rule():
    reply = await Scripted(["abc"], count=len).reply(a_call(text="hello"))
    assert (reply.prompt_tokens, reply.completion_tokens) == (5, 3)


async def test_a_list_is_the_replies_of_one_debate_in_order_then_ends():
    model = Scripted(["a", "b"])
    assert await texts(model, a_call(), a_call("bob")) == ["a", "b"]
    with pytest.raises(ScriptEnded, match=r"all 2 replies are used up.*'q1'.*'ann'"):
        await model.reply(a_call())


async def test_a_list_begins_anew_for_every_question_and_replicate():
    model = Scripted(["a", "b"])
    calls = [a_call(question=q, replicate=r) for q in ("q1", "q2") for r in (0, 1)]
    assert await texts(model, *calls, *calls) == ["a"] * 4 + ["b"] * 4


async def test_latency_keeps_the_order_of_asking():
    model = Scripted(["a", "b", "c"], latency=0.01)
    assert await texts(model, a_call(), a_call(), a_call()) == ["a", "b", "c"]
    assert (await Scripted(["a"], latency=0.01).reply(a_call())).seconds == 0.01


async def test_calls_without_a_scene_share_one_pass():
    bare = Call(model="m", messages=())
    assert await texts(Scripted(["a", "b"]), bare, bare) == ["a", "b"]


async def test_a_mapping_goes_by_agent_and_round():
    model = Scripted({("ann", 2): "later", "ann": "always", "bob": ["first", "second"]})
    calls = [a_call("bob"), a_call("ann", 2), a_call("ann"), a_call("bob", 2), a_call("ann", 3)]
    assert await texts(model, *calls) == ["first", "later", "always", "second", "always"]
    assert await texts(model, a_call("bob", question="q2")) == ["first"]
    with pytest.raises(ScriptEnded, match=r"no reply is scripted.*'eve', round 1"):
        await model.reply(a_call("eve"))
    with pytest.raises(ScriptEnded, match="used up"):
        await model.reply(a_call("bob"))


async def test_a_mapping_needs_a_scene():
    with pytest.raises(RefusedError, match="by agent"):
        await Scripted({"ann": "a"}).reply(Call(model="m", messages=()))


async def test_a_function_plain_or_async():
    async def slowly(call: Call) -> Reply:
        await asyncio.sleep(0)
        return Reply(text=f"{call.scene.agent} slowly", prompt_tokens=None)

    assert await texts(Scripted(lambda call: call.scene.agent), a_call("bob")) == ["bob"]
    reply = await Scripted(slowly).reply(a_call())
    assert (reply.text, reply.prompt_tokens) == ("ann slowly", None)


async def test_errors_in_the_script_are_raised_in_their_turn():
    model = Scripted([TransientError("busy", status=503), "after"])
    with pytest.raises(TransientError, match="busy"):
        await model.reply(a_call())
    assert await texts(model, a_call()) == ["after"]


async def test_a_ledger_is_asked_by_the_recorded_model_s_identity():
    class Kept:
        def __init__(self, replies):
            self.find = replies.get

    original = Call(model="openai/big", messages=(Message("user", "hi"),), draw=Draw(0, 1, 2))
    kept = Kept({identity(original.request(), original.draw): Reply(text="as paid", cost=0.5)})
    model = Scripted(kept, name="openai/big")
    asked = Call(model=model.name, messages=original.messages, draw=original.draw)
    assert await model.reply(asked) == Reply(text="as paid", cost=0.5)
    with pytest.raises(ScriptEnded, match="the ledger has no reply"):
        await model.reply(Call(model=model.name, messages=original.messages))


async def test_one_reply_from_the_command_line():
    model = load("scripted?reply=Final answer: 4/5")
    assert await texts(model, a_call(), a_call()) == ["Final answer: 4/5"] * 2
    assert model.name.startswith("scripted/reply-")
    assert model.name != load("scripted?reply=Final answer: 5").name


async def test_a_file_of_strings(tmp_path):
    path = tmp_path / "play.jsonl"
    path.write_text('"one"\n\n"zwei ü"\n', encoding="utf-8")
    model = load(f"scripted/{path}?latency=0.001")
    assert await texts(model, a_call(), a_call("bob")) == ["one", "zwei ü"]
    path.write_text('"another"\n', encoding="utf-8")
    assert load(f"scripted/{path}").name != model.name
    assert model.name.startswith("scripted/play-")


async def test_a_file_of_objects(tmp_path):
    path = tmp_path / "play.jsonl"
    path.write_text(
        '{"agent": "ann", "reply": "a"}\n{"agent": "ann", "reply": "b"}\n'
        '{"agent": "bob", "round": 2, "reply": "c"}\n'
    )
    model = load(f"scripted/{path}")
    assert await texts(model, a_call(), a_call("bob", 2), a_call("ann", 2)) == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no reply in it"),
        (b'"a"\n{"agent": "x", "reply": "b"}', "mixed"),
        (b'"a"\nnonsense', "line 2: JSON is malformed"),
        (b'{"agent": "x"}', "line 1: .*missing required field `reply`"),
        (b'{"agent": "x", "reply": "b", "turn": 1}', "line 1: .*unknown field `turn`"),
        (b'"\xff"', "line 1"),
    ],
)
def test_a_file_that_is_no_script(tmp_path, content, fault):
    path = tmp_path / "play.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=fault):
        load(f"scripted/{path}")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("scripted", "one of them"),
        ("scripted/x.jsonl?reply=4", "one of them"),
        ("scripted/missing.jsonl", r"cannot read missing\.jsonl: No such file"),
        ("scripted?reply=4&latency=fast", "latency='fast' is no number"),
        ("scripted?reply=4&latency=-1", "negative"),
    ],
)
def test_names_that_cannot_be(name, fault):
    with pytest.raises(InputError, match=fault):
        load(name)


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(UnknownName) as caught:
        load("scripted?repyl=4")
    assert caught.value.nearest == "reply"
