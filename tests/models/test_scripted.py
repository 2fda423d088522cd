"""A scripted model says what it was told, whatever the concurrency."""

import asyncio
from time import perf_counter

import pytest

from moot.core.calls import Call, Draw, Message, Reply, Scene, identity
from moot.core.errors import InputError, RefusedError, ScriptEnded, TransientError
from moot.core.questions import Question
from moot.models.model_names import load
from moot.models.scripted import Scripted


def a_call(agent="ann", round=1, question="q1", *, turn=1, text="two words") -> Call:  # noqa: A002
    asked = Question(id=question, kind="number", text="1+1")
    seat = {"agent": agent, "role": "mind", "step": "answer", "round": round, "turn": turn}
    scene = Scene(question=asked, **seat)
    return Call(model="scripted/script", messages=(Message("user", text),), scene=scene)


async def texts(model: Scripted, *calls: Call) -> list[str]:
    return [reply.text for reply in await asyncio.gather(*map(model.reply, calls))]


async def test_a_list_is_the_replies_of_a_debate_by_turn_in_whatever_order_they_are_asked_for():
    model = Scripted(["a", "b", "c"], latency=0.001)
    calls = [a_call("bob", turn=2), a_call(turn=3), a_call(turn=1), a_call(turn=1, question="q2")]
    for _ in range(2):
        assert await texts(model, *calls) == ["b", "c", "a", "a"]
    with pytest.raises(ScriptEnded, match=r"all 3 replies are used up.*'q1', turn 4.*'ann'"):
        await model.reply(a_call(turn=4))


async def test_a_mapping_goes_by_agent_and_round():
    model = Scripted({("ann", 2): "later", "ann": "always", "bob": ["first", "second"]})
    calls = [a_call("bob", 2), a_call("ann", 2), a_call("ann"), a_call("bob"), a_call("ann", 3)]
    for _ in range(2):
        assert await texts(model, *calls) == ["second", "later", "always", "first", "always"]
    with pytest.raises(ScriptEnded, match=r"no reply is scripted.*'eve', round 1"):
        await model.reply(a_call("eve"))
    with pytest.raises(ScriptEnded, match=r"used up.*'bob', round 3"):
        await model.reply(a_call("bob", 3))


async def test_a_function_plain_or_async():
    async def slowly(call: Call) -> Reply:
        await asyncio.sleep(0)
        return Reply(text=f"{call.scene.agent} slowly", prompt_tokens=None)

    assert await texts(Scripted(lambda call: call.scene.agent), a_call("bob")) == ["bob"]
    reply = await Scripted(slowly).reply(a_call())
    assert (reply.text, reply.prompt_tokens) == ("ann slowly", None)


async def test_errors_in_the_script_are_raised_in_their_turn():
    model = Scripted([TransientError("busy", status=503), "after"])
    for _ in range(2):
        with pytest.raises(TransientError, match="busy"):
            await model.reply(a_call())
    assert await texts(model, a_call(turn=2)) == ["after"]


async def test_a_ledger_is_asked_by_the_recorded_model_s_identity():
    class Kept:
        def __init__(self, replies):
            self._replies = replies

        async def find(self, identity):
            return self._replies.get(identity)

    original = Call(model="openai/big", messages=(Message("user", "hi"),), draw=Draw(0, 1, 2))
    kept = Kept({identity(original.request(), original.draw): Reply(text="as paid", cost=0.5)})
    model = Scripted(kept, name="openai/big")
    asked = Call(model=model.name, messages=original.messages, draw=original.draw)
    assert await model.reply(asked) == Reply(text="as paid", cost=0.5)
    with pytest.raises(ScriptEnded, match="the ledger has no reply"):
        await model.reply(Call(model=model.name, messages=original.messages))


async def test_tokens_are_words_or_by_another_rule_and_latency_is_waited():
    reply = await Scripted(["three plain words"]).reply(a_call(text=" a  b\nc d "))
    assert (reply.prompt_tokens, reply.completion_tokens) == (4, 3)
    began = perf_counter()
    reply = await Scripted(["abc"], count=len, latency=0.01).reply(a_call(text="hello"))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.seconds) == (5, 3, 0.01)
    assert perf_counter() - began > 0.009


async def test_calls_without_a_scene_get_the_replies_in_the_order_of_asking():
    bare, model = Call(model="m", messages=()), Scripted(["a", "b"], latency=0.001)
    assert await texts(model, bare, a_call(turn=2), bare, a_call()) == ["a", "b", "b", "a"]
    with pytest.raises(ScriptEnded, match="used up; add more"):
        await model.reply(bare)
    with pytest.raises(RefusedError, match="by agent"):
        await Scripted({"ann": "a"}).reply(bare)
    with pytest.raises(InputError, match=r"\('ann', 2\) is one turn"):
        Scripted({("ann", 2): ["a", "b"]})


async def test_scripts_of_the_command_line_and_of_files(tmp_path):
    model = load("scripted?reply=Final answer: 4/5")
    assert await texts(model, a_call(), a_call()) == ["Final answer: 4/5"] * 2
    assert model.name.startswith("scripted/reply-")
    assert model.name != load("scripted?reply=Final answer: 5").name
    path = tmp_path / "play.jsonl"
    path.write_text('\ufeff"one"\n\n"zwei ü"\n', encoding="utf-8")
    model = load(f"scripted/{path}?latency=0.001")
    assert await texts(model, a_call("bob", turn=2), a_call()) == ["zwei ü", "one"]
    assert model.name.startswith("scripted/play-")
    path.write_text(
        '{"agent": "ann", "reply": "a"}\n{"agent": "ann", "reply": "b"}\n'
        '{"agent": "bob", "round": 2, "reply": "c"}\n'
    )
    other = load(f"scripted/{path}")
    assert await texts(other, a_call(), a_call("bob", 2), a_call("ann", 2)) == ["a", "c", "b"]
    assert other.name != model.name


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no reply in it"),
        (b'"a"\n{"agent": "x", "reply": "b"}', "mixed"),
        (b'"a"\nnonsense', "line 2: JSON is malformed"),
        (b'{"agent": "x"}', "line 1: .*missing required field `reply`"),
        (b'{"agent": "x", "reply": "b", "turn": 1}', "line 1: .*unknown field `turn`"),
        (b'{"agent": "x", "round": 1, "reply": "b"}\n' * 2, "line 2: .*'x'.* round 1 already"),
        (b'"\xff"', "line 1"),
        ('"two words"'.encode("utf-16"), r"play\.jsonl, line 1: UTF-16, not UTF-8: save"),
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
        ("scripted?reply=4&latency=soon", "latency='soon' is no number of seconds"),
        ("simulated/a?latency=soon", "latency='soon' is no number of seconds"),
        ("scripted?reply=4&latency=-1", r"latency -1\.0 is negative"),
        ("simulated/a?latency=-1", r"latency -1\.0 is negative"),
        ("scripted?repyl=4", "did you mean 'reply'"),
    ],
)
def test_names_that_cannot_be(name, fault):
    with pytest.raises(InputError, match=fault):
        load(name)
