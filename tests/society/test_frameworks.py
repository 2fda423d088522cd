"""Protocols that libraries of others run: what only they can get wrong.

The promises of every protocol are kept by these too, where the libraries are: ``test_society``.
"""

import asyncio
import threading

import pytest

from moot.core.errors import BudgetReached, InputError, RefusedError, StoreError
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, Purse
from moot.runtime.path import CallPath
from stage import SUM, hold, says

THREE = {"agents": 3, "rounds": 2}
SHARED = ("langgraph", "autogen")
"""Those whose agents share all that is said, in the same words."""

for each in SHARED:
    if not registry.get(each).here:
        pytest.skip(f"{each} is not installed: see test_society", allow_module_level=True)

everyone = pytest.mark.parametrize("name", SHARED)


def differing(call):
    """Another answer by each agent in each round; the aggregator's is 4."""
    scene = call.scene
    if scene.role == "aggregator":
        return "Final answer: 4"
    return f"<{scene.agent}, {scene.round}>\nFinal answer: {10 * scene.round + call.draw.seat}"


@everyone
async def test_the_turns_of_a_debate(name, store):
    held = await hold(name, differing, store, **THREE)
    rows = [(turn.agent, turn.role, turn.step, turn.round, turn.answer) for turn in held.turns]
    assert rows == [
        ("agent-1", "agent", "answer", 1, "10"),
        ("agent-2", "agent", "answer", 1, "11"),
        ("agent-3", "agent", "answer", 1, "12"),
        ("agent-1", "agent", "answer", 2, "20"),
        ("agent-2", "agent", "answer", 2, "21"),
        ("agent-3", "agent", "answer", 2, "22"),
        ("aggregator", "aggregator", "aggregate", 1, "4"),
    ]
    assert [turn.reads for turn in held.turns] == [tuple(range(1, n)) for n in range(1, 8)]
    assert (held.verdict.answer, held.verdict.by, held.verdict.turn) == ("4", "aggregator", 7)


@everyone
async def test_each_prompt_holds_what_its_turn_is_said_to_have_read(name, store):
    sent = []

    def script(call):
        sent.append(call.messages)
        return differing(call)

    held = await hold(name, script, store, **THREE)
    for turn, messages in zip(held.turns, sent, strict=True):
        roles = [message.role for message in messages]
        assert roles[0] == "system"
        assert roles[1:] == ["user", "assistant", "user"][: len(roles) - 1]
        everything = "\n".join(message.content for message in messages)
        own = "\n".join(each.content for each in messages if each.role == "assistant")
        for other in held.turns[:-1]:
            words = f"<{other.agent}, {other.round}>"
            assert (words in everything) == (other.id in turn.reads)
            assert (words in own) == (other.id in turn.reads and other.agent == turn.agent)
            label = f"Agent {other.seat + 1}:\n{words}"
            assert (label in everything) == (words in everything and words not in own)
        assert SUM.text in everything


@everyone
async def test_a_society_ends_with_the_round_in_which_all_agree(name, store):
    settings = {"agents": 2, "rounds": 3}
    replies = [f"Final answer: {answer}" for answer in "454440"]
    held = await hold(name, Scripted(replies[:4] + replies[5:]), store, **settings)
    assert [turn.round for turn in held.turns] == [1, 1, 2, 2, 1] or held.failed
    model = Scripted(lambda call: "Final answer: 4", name="alike")
    assert len((await hold(name, model, store, **settings)).turns) == 3
    assert len((await hold(name, model, store, consensus=False, **settings)).turns) == 7


@everyone
async def test_equal_words_are_told_apart(name, store):
    held = await hold(name, lambda _: "I do not know.", store, **THREE)
    assert [turn.reads for turn in held.turns] == [tuple(range(1, n)) for n in range(1, 8)]


@everyone
@pytest.mark.parametrize("calls", range(7))
async def test_a_budget_stops_a_debate_at_any_call(name, calls, store):
    model = Scripted(differing)
    path = CallPath(store, purse=Purse(Budget(calls=calls)))
    with pytest.raises(BudgetReached):
        await hold(name, model, store, path=path, **THREE)
    again = await hold(name, model, store, **THREE)
    assert [turn.replayed for turn in again.turns] == [n < calls for n in range(7)]


@everyone
@pytest.mark.parametrize("error", [StoreError("disk full"), InputError("no such key")], ids=type)
async def test_what_ends_a_run_comes_through_the_library_as_itself(name, error, store):
    asked = []

    async def script(call):
        asked.append(call.scene.turn)
        if call.scene.turn == 4:
            raise error
        return differing(call)

    with pytest.raises(type(error), match=str(error)):
        await hold(name, script, store, **THREE)
    assert asked == [1, 2, 3, 4]


@everyone
async def test_the_failure_of_a_call_is_told_as_it_was(name, store):
    def script(call):
        return RefusedError("not this") if call.scene.turn == 5 else differing(call)

    held = await hold(name, script, store, **THREE)
    assert (held.failed.kind, held.failed.reason) == ("RefusedError", "not this")
    assert [turn.id for turn in held.turns] == [1, 2, 3, 4]


@everyone
@pytest.mark.parametrize("opening", ["control-right", "control-wrong"])
async def test_only_who_speaks_first_is_asked_about_a_value(name, opening, store):
    sent = {}

    def script(call):
        sent[call.scene.turn] = call
        return differing(call)

    held = await hold(name, script, store, opening=opening, **THREE)
    [value] = held.opened.opening
    assert (value == SUM.answer) == (opening == "control-right")
    asked = f"Is {value} the right answer?"
    for number, call in sent.items():
        first = held.turns[number - 1].agent == "agent-1"
        assert (asked in "".join(each.content for each in call.messages)) == first
        assert call.scene.opening == ((value,) if number == 1 else ())


@everyone
async def test_who_breaks_a_debate_off_waits_for_nothing(name, store):
    asked = asyncio.Event()

    async def script(call):
        if call.scene.turn == 3:
            asked.set()
            await asyncio.sleep(60)
        assert call.scene.turn <= 3
        return differing(call)

    before = asyncio.all_tasks()
    debate = asyncio.create_task(hold(name, script, store, **THREE))
    await asyncio.wait_for(asked.wait(), 10)
    debate.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(debate, 5)
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() <= before


@everyone
async def test_nothing_is_told_to_anybody_else(name, store, monkeypatch):
    for variable in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(variable, "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")
    before = {thread.name for thread in threading.enumerate()}
    await hold(name, differing, store, **THREE)
    assert {thread.name for thread in threading.enumerate()} == before


@everyone
async def test_a_society_is_a_node_of_a_network_like_any_other(name, store):
    nodes = [{"name": "one"}, {"name": "two"}]
    nodes = [{**node, "protocol": name, "agents": 2, "rounds": 1} for node in nodes]
    held = await hold(
        "network", lambda call: says(call), store, nodes=nodes, edges=[["one", "two"], ["two", "judge"]]
    )
    assert held.failed is None
    first = [turn for turn in held.turns if turn.node == "one"]
    second = [turn for turn in held.turns if turn.node == "two"]
    assert [turn.reads for turn in first] == [tuple(first[n].id for n in range(k)) for k in range(3)]
    given = first[-1].id
    assert [turn.reads for turn in second] == [
        (given, *(second[n].id for n in range(k))) for k in range(3)
    ]
