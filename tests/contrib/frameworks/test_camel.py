"""A user and an assistant that CAMEL lets work on a task: what only this protocol can get wrong."""

import asyncio

import msgspec
import pytest

from moot.core.ports import Limits
from moot.debate.protocol import registry
from moot.ledger.store import Store
from moot.models.scripted import Scripted
from support.debates import SUM, differing, hold, hold_all, timeless

if not registry.get("camel").is_installed:
    pytest.skip("camel-ai is not installed: see test_society", allow_module_level=True)

pytestmark = pytest.mark.soak
TWO = {"rounds": 2}
DONE = "CAMEL_TASK_DONE"


def ending(said, role, number):
    def script(call):
        return said if (call.scene.role, call.scene.round) == (role, number) else differing(call)

    return Scripted(script, name=f"{role}-{number}-{said.strip() or 'nothing'}")


def spoken(held):
    return [(turn.role, turn.round) for turn in held.turns]


async def test_the_turns_of_a_debate(store):
    held = await hold("camel", differing, store, **TWO)
    rows = [(turn.agent, turn.role, turn.step, turn.round, turn.answer) for turn in held.turns]
    assert rows == [
        ("user", "user", "answer", 1, "10"),
        ("assistant", "assistant", "answer", 1, "11"),
        ("user", "user", "answer", 2, "20"),
        ("assistant", "assistant", "answer", 2, "21"),
        ("aggregator", "aggregator", "aggregate", 1, "4"),
    ]
    assert [turn.reads for turn in held.turns] == [tuple(range(1, turn)) for turn in range(1, 6)]
    assert (held.verdict.answer, held.verdict.by, held.verdict.turn) == ("4", "aggregator", 5)


async def test_the_rules_are_those_of_the_library_and_the_task_is_the_question(store):
    from camel.prompts import AISocietyPromptTemplateDict as Rules

    sent = {}

    def script(call):
        sent.setdefault(call.scene.agent, call.messages)
        return differing(call)

    question = msgspec.structs.replace(SUM, text="What is {task} of a {user_role} and {0}?")
    await hold("camel", script, store, question=question, style="simple", **TWO)
    for agent, rules in {"user": Rules.USER_PROMPT, "assistant": Rules.ASSISTANT_PROMPT}.items():
        before, _, after = str(rules).partition("{task}")
        system = sent[agent][0]
        assert system.role == "system"
        names = {"user_role": "Team Leader", "assistant_role": "Problem Solver"}
        assert system.content.startswith(before.format(**names) + question.text)
        assert system.content.endswith(after.format(**names))
        assert [each.role for each in sent[agent][1:]] == ["user"]
    assert sent["assistant"][1].content == "<user, 1>\nFinal answer: 10"
    assert len(sent["aggregator"]) == 1


async def test_the_user_ends_it_by_calling_the_task_done(store):
    held = await hold("camel", ending(f"It is solved: <{DONE}>.", "user", 2), store, rounds=4)
    whole = [("user", 1), ("assistant", 1), ("user", 2), ("assistant", 2), ("aggregator", 1)]
    assert spoken(held) == whole
    assert held.turns[-1].reads == (1, 2, 3, 4)
    assert held.turns[2].answer is None
    other = await hold("camel", ending(DONE, "assistant", 1), store, **TWO)
    assert spoken(other) == whole


@pytest.mark.parametrize("nothing", ["", " \n\t", "<think>So.</think>", "<think>no end"])
async def test_a_reply_without_words_ends_it_at_once(nothing, store):
    whole = [("user", 1), ("assistant", 1), ("user", 2), ("assistant", 2)]
    for place, (role, number) in enumerate(whole):
        held = await hold("camel", ending(nothing, role, number), store, rounds=3)
        assert spoken(held) == [*whole[: place + 1], ("aggregator", 1)]
        assert held.turns[place].text == ("" if "think" in nothing else nothing)
        assert held.turns[-1].reads == tuple(range(1, place + 2))
        assert held.verdict.answer == "4"


@pytest.mark.parametrize(
    "words",
    [
        "asdf ]]] ;;; ~~~ {task} {0} %s",
        "Let me <think> about that.",
        "\x00\x01\x1b[31m\u202e\ufeff",
        "half a pair \ud800",
        "well " * 100_000,
        '{"tool_calls": [{"function": {"name": "x"}}]}',
    ],
    ids=range(6),
)
async def test_odd_words_go_on_as_they_were_said(words, store):
    read = []

    def script(call):
        read.append(call.messages[-1].content)
        return words if call.scene.role != "aggregator" else "Final answer: 4"

    held = await hold("camel", Scripted(script), store, **TWO)
    assert [turn.reads for turn in held.turns] == [tuple(range(1, turn)) for turn in range(1, 6)]
    assert {turn.text for turn in held.turns[:-1]} == set(read[1:4])
    assert read[1] == words.replace("\ud800", "\ufffd")
    assert held.verdict.answer == "4"


async def test_a_failure_of_the_library_fails_the_question(store, tmp_path, monkeypatch):
    (tmp_path / "no-folder").touch()
    monkeypatch.setenv("CAMEL_MODEL_LOG_ENABLED", "true")
    monkeypatch.setenv("CAMEL_LOG_DIR", str(tmp_path / "no-folder"))
    held = await hold("camel", differing, store, **TWO)
    assert held.failed.kind == "NotADirectoryError"
    assert held.turns == ()
    monkeypatch.undo()
    assert (await hold("camel", differing, store, **TWO)).failed is None


async def test_concurrency_changes_nothing(tmp_path):
    async def script(call):
        scene = call.scene
        mood = sum(f"{scene.question.id}{scene.agent}{scene.round}".encode())
        await asyncio.sleep(mood % 7 / 5000)
        return DONE if scene.role == "user" and mood % 3 == 0 else differing(call)

    questions = [msgspec.structs.replace(SUM, id=f"{n}", text=f"{n} + 1?") for n in range(16)]
    held = []
    for concurrency in (1, 16):
        model = Scripted(script, limits=Limits(concurrency=concurrency))
        async with Store.open(tmp_path / str(concurrency)) as store:
            held.append(await hold_all("camel", model, store, questions, **TWO))
    assert [*map(timeless, held[0])] == [*map(timeless, held[1])]
    assert {len(transcript.turns) for transcript in held[0]} == {3, 5}
