"""A user and an assistant that CAMEL lets work on a task: what only this protocol can get wrong."""

import asyncio

import msgspec
import pytest

from moot.core.errors import BudgetReached, InputError, RefusedError, StoreError
from moot.core.ports import Limits
from moot.debate.protocol import registry
from moot.ledger.sqlite_store import Store
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from support.debates import KINDS, SUM, hold, hold_all, says, timeless

if not registry.get("camel").is_installed:
    pytest.skip("camel-ai is not installed: see test_society", allow_module_level=True)

TWO = {"rounds": 2}
DONE = "CAMEL_TASK_DONE"


def differing(call):
    """Another answer by each of the two in each round; the aggregator's is 4."""
    scene = call.scene
    if scene.role == "aggregator":
        return "Final answer: 4"
    return f"<{scene.agent}, {scene.round}>\nFinal answer: {10 * scene.round + call.draw.seat}"


def ending(said, role, number):
    """As ``differing``, but for one reply."""

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


@pytest.mark.parametrize("rounds", [1, 3, 4])
async def test_the_calls_are_as_many_as_the_formula_says(rounds, store):
    protocol = registry.get("camel")
    held = await hold("camel", differing, store, rounds=rounds)
    assert (2, len(held.turns)) == protocol.count(protocol.check({"rounds": rounds}))
    silent = Scripted(lambda _: "", name="silent")
    assert len((await hold("camel", silent, store, rounds=rounds)).turns) == 2
    assert protocol.check({})["rounds"] == 4


async def test_each_prompt_holds_what_its_turn_is_said_to_have_read(store):
    sent = []

    def script(call):
        sent.append(call.messages)
        return differing(call)

    held = await hold("camel", script, store, rounds=3)
    for turn, messages in zip(held.turns, sent, strict=True):
        everything = "\n".join(message.content for message in messages)
        own = "\n".join(each.content for each in messages if each.role == "assistant")
        assert SUM.text in messages[0].content
        for other in held.turns[:-1]:
            words = f"<{other.agent}, {other.round}>"
            assert (words in everything) == (other.id in turn.reads)
            assert (words in own) == (other.id in turn.reads and other.agent == turn.agent)


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


async def test_a_reply_of_hidden_thought_alone_has_no_words(store):
    for said in ("<think>Let me see.</think>", "<think>no end"):
        held = await hold("camel", ending(said, "assistant", 1), store, rounds=3)
        assert spoken(held) == [("user", 1), ("assistant", 1), ("aggregator", 1)]
        assert held.turns[1].text == ""


@pytest.mark.parametrize("nothing", ["", " \n\t"])
async def test_a_reply_without_words_ends_it_at_once(nothing, store):
    whole = [("user", 1), ("assistant", 1), ("user", 2), ("assistant", 2)]
    for place, (role, number) in enumerate(whole):
        held = await hold("camel", ending(nothing, role, number), store, rounds=3)
        assert spoken(held) == [*whole[: place + 1], ("aggregator", 1)]
        assert held.turns[place].text == nothing
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


async def test_running_again_is_resuming(store):
    for settings in (TWO, {"opening": "control-wrong", "rounds": 1}):
        first = await hold("camel", differing, store, **settings)
        again = await hold("camel", [], store, **settings)  # a script without replies
        assert timeless(first) == timeless(again)
        assert all(turn.replayed for turn in again.turns)


async def test_a_budget_stops_a_debate_at_any_call(tmp_path):
    model = Scripted(differing)
    for calls in range(5):
        async with Store.open(tmp_path / str(calls)) as store:
            path = CallPath(store, guard=BudgetGuard(Budget(calls=calls)))
            with pytest.raises(BudgetReached):
                await hold("camel", model, store, path=path, **TWO)
            again = await hold("camel", model, store, **TWO)
        assert [turn.replayed for turn in again.turns] == [turn < calls for turn in range(5)]


@pytest.mark.parametrize("error", [StoreError("disk full"), InputError("no such key")], ids=type)
async def test_what_ends_a_run_comes_through_the_library_as_itself(error, store):
    asked = []

    async def script(call):
        asked.append(call.scene.turn)
        if call.scene.turn == 2:
            raise error
        return differing(call)

    with pytest.raises(type(error), match=str(error)):
        await hold("camel", script, store, **TWO)
    assert asked == [1, 2]


async def test_the_failure_of_a_call_fails_its_question_alone(store):
    def script(call):
        bad = call.scene.question.id == "sum" and call.scene.turn == 3
        return RefusedError("not this") if bad else differing(call)

    other = msgspec.structs.replace(SUM, id="other", text="And 1+3?")
    bad, good = await hold_all("camel", Scripted(script), store, [SUM, other], **TWO)
    assert (bad.failed.kind, bad.failed.reason) == ("RefusedError", "not this")
    assert [turn.id for turn in bad.turns] == [1, 2]
    assert good.verdict.answer == "4"


async def test_a_failure_of_the_library_fails_the_question(store, tmp_path, monkeypatch):
    (tmp_path / "no-folder").touch()
    monkeypatch.setenv("CAMEL_MODEL_LOG_ENABLED", "true")
    monkeypatch.setenv("CAMEL_LOG_DIR", str(tmp_path / "no-folder"))
    held = await hold("camel", differing, store, **TWO)
    assert held.failed.kind == "NotADirectoryError"
    assert held.turns == ()
    monkeypatch.undo()
    assert (await hold("camel", differing, store, **TWO)).failed is None


@pytest.mark.parametrize("opening", ["control-right", "control-wrong"])
@pytest.mark.parametrize("question", [SUM, KINDS[2]], ids=lambda question: question.kind)
@pytest.mark.parametrize("opens", ["first", "all"])
async def test_who_is_asked_about_a_value_and_in_the_starting_round_alone(
    opening, question, opens, store
):
    sent = {}

    def script(call):
        sent[call.scene.turn] = call
        return differing(call)

    given = {"opening": opening, "opens": opens, **TWO}
    held = await hold("camel", script, store, question=question, **given)
    [value] = held.opened.opening
    assert (value == question.answer) == (opening == "control-right")
    asked = f"Is ({value}) the right" if question.kind == "choice" else f"Is {value} the right"
    first = {1} if opens == "first" else {1, 2}
    for number, call in sent.items():
        task = call.messages[0].content
        assert (asked in task) == (number in first)
        assert asked not in "".join(each.content for each in call.messages[1:])
        assert call.scene.opening == ((value,) if number in first else ())
        assert question.text in task


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


async def test_agents_may_have_models_of_their_own(store):
    cast = [{"role": "user", "temperature": 0.0}, {"role": "assistant", "max_tokens": 9}]
    drawn = {}

    def script(call):
        drawn[call.scene.role] = (call.sampling.temperature, call.sampling.max_tokens)
        return differing(call)

    await hold("camel", script, store, cast=cast, **TWO)
    assert drawn == {"user": (0.0, None), "assistant": (0.7, 9), "aggregator": (0.7, None)}


async def test_who_breaks_a_debate_off_waits_for_nothing(store):
    asked = asyncio.Event()

    async def script(call):
        if call.scene.turn == 3:
            asked.set()
            await asyncio.sleep(60)
        return differing(call)

    before = asyncio.all_tasks()
    debate = asyncio.create_task(hold("camel", script, store, **TWO))
    await asyncio.wait_for(asked.wait(), 30)
    debate.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(debate, 5)
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() <= before


async def test_it_is_a_node_of_a_network_like_any_other(store):
    nodes = [{"name": name, "protocol": "camel", "rounds": 1} for name in ("one", "two")]
    edges = [["one", "two"], ["two", "judge"]]
    held = await hold("network", says, store, nodes=nodes, edges=edges)
    assert held.failed is None
    first = [turn.id for turn in held.turns if turn.node == "one"]
    second = [turn for turn in held.turns if turn.node == "two"]
    for place, turn in enumerate(second):
        came = () if turn.role == "aggregator" else (first[-1],)
        assert turn.reads == (*came, *[each.id for each in second[:place]])
