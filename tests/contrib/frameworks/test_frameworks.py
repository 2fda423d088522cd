"""Protocols that libraries of others run: what only they can get wrong.

The promises of every protocol are kept by these too, where the libraries are: ``test_society``.
"""

import asyncio
import dataclasses
import threading

import pytest

from moot.core.errors import BudgetReached
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.ledger.store import Store
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from support.debates import SUM, differing, hold, says

THREE = {"agents": 3, "rounds": 2}
SHARED = ("langgraph", "langgraph:one-by-one", "autogen")
"""Those whose agents share all that is said."""
ALL = (*SHARED, "camel")

for each in ALL:
    if not registry.get(each.partition(":")[0]).is_installed:
        pytest.skip(f"{each} is not installed: see test_society", allow_module_level=True)

pytestmark = pytest.mark.soak
everyone = pytest.mark.parametrize("name", ALL)
shared = pytest.mark.parametrize("name", SHARED)


def of(name):
    return {"rounds": 2} if name == "camel" else THREE


def reads(name, agents=3, rounds=2):
    """By turn, what each has read: all that was said, or what was before its round."""
    turns = agents * rounds
    if name == "langgraph":
        return [tuple(range(1, turn // agents * agents + 1)) for turn in range(turns + 1)]
    return [tuple(range(1, turn + 1)) for turn in range(turns + 1)]


@shared
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
    assert [turn.reads for turn in held.turns] == reads(name)
    assert (held.verdict.answer, held.verdict.by, held.verdict.turn) == ("4", "aggregator", 7)


@everyone
async def test_each_prompt_holds_what_its_turn_is_said_to_have_read(name, store):
    sent = []

    def script(call):
        sent.append(call.messages)
        return differing(call)

    held = await hold(name, script, store, **of(name))
    for turn, messages in zip(held.turns, sent, strict=True):
        roles = [message.role for message in messages]
        assert name == "camel" or roles in (["user"], ["user", "assistant", "user"])
        everything = "\n".join(message.content for message in messages)
        own = "\n".join(each.content for each in messages if each.role == "assistant")
        for other in held.turns[:-1]:
            words = f"<{other.agent}, {other.round}>"
            assert (words in everything) == (other.id in turn.reads)
            assert (words in own) == (other.id in turn.reads and other.agent == turn.agent)
            label = f"Agent {other.seat + 1}:\n{words}"
            labelled = name != "camel" and words in everything and words not in own
            assert name == "camel" or (label in everything) == labelled
        assert SUM.text in everything


@everyone
async def test_a_budget_stops_a_debate_at_any_call(name, tmp_path):
    model = Scripted(differing)
    for calls in (0, 1, 4) if name == "camel" else (0, 1, 4, 6):
        async with Store.open(tmp_path / str(calls)) as store:
            path = CallPath(store, guard=BudgetGuard(Budget(calls=calls)))
            with pytest.raises(BudgetReached):
                await hold(name, model, store, path=path, **of(name))
            again = await hold(name, model, store, **of(name))
        turns = 5 if name == "camel" else 7
        assert [turn.replayed for turn in again.turns] == [n < calls for n in range(turns)]


async def test_a_failure_of_langgraph_is_that_of_its_question(store):
    from langgraph.graph import StateGraph

    from moot.contrib.frameworks.relay import Relay
    from moot.contrib.frameworks.state_graph import GraphState, MootChatModel

    async def endless(debate, question):
        relay, [agent] = Relay(debate), debate.seat("agent", remembers=False)
        model = MootChatModel(relay=relay, agent=agent, step="answer")

        async def speak(state: GraphState) -> GraphState:
            return GraphState(messages=[await model.ainvoke("2+2?")])

        graph = StateGraph(GraphState).add_node("speak", speak).add_edge("__start__", "speak")
        graph.add_edge("speak", "speak")
        await relay.run(graph.compile().ainvoke({"messages": []}, {"recursion_limit": 3}))

    held = await _held(endless, store)
    assert held.failed.kind == "GraphRecursionError"
    assert "Recursion limit of 3" in held.failed.reason
    assert len(held.turns) == 3


async def _held(algorithm, store):
    """A debate by an algorithm that is no registered protocol."""
    one = registry.get("single")
    model = Scripted(lambda call: f"Final answer: {call.scene.turn}")
    return await run_debate(
        dataclasses.replace(one, algorithm=algorithm).read(one.check({"model": model.name})),
        SUM,
        path=CallPath(store),
        model=lambda _: model,
        pack=one.pack(),
    )


@everyone
async def test_who_breaks_a_debate_off_waits_for_nothing(name, store):
    asked = asyncio.Event()

    async def script(call):
        if call.scene.turn == 3:
            asked.set()
            await asyncio.sleep(60)
        later.append(call.scene.turn)
        return differing(call)

    before, later = asyncio.all_tasks(), []
    debate = asyncio.create_task(hold(name, script, store, **of(name)))
    await asyncio.wait_for(asked.wait(), 30)
    debate.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(debate, 5)
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() <= before
    assert later == [1, 2]


@shared
async def test_nothing_is_told_to_anybody_else(name, store, monkeypatch):
    for variable in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(variable, "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")
    await asyncio.wrap_future(store.begin_session())  # it has a thread
    before = {thread.name for thread in threading.enumerate()}
    await hold(name, differing, store, **of(name))
    assert {thread.name for thread in threading.enumerate()} == before


@everyone
async def test_a_society_is_a_node_of_a_network_like_any_other(name, store):
    nodes = [{"name": "one"}, {"name": "two"}]
    protocol, _, mode = name.partition(":")
    given = ({} if name == "camel" else {"agents": 2}) | ({"mode": mode} if mode else {})
    nodes = [{**node, "protocol": protocol, "rounds": 1, **given} for node in nodes]
    edges = [["one", "two"], ["two", "judge"]]
    held = await hold("network", says, store, nodes=nodes, edges=edges)
    assert held.failed is None
    first = [turn for turn in held.turns if turn.node == "one"]
    second = [turn for turn in held.turns if turn.node == "two"]
    for turns, given in ((first, ()), (second, (first[-1].id,))):
        read = [tuple(turns[n - 1].id for n in each) for each in reads(name, 2, 1)]
        whole = [(*given, *each) for each in read[:-1]] + [read[-1]]  # the aggregator reads its own
        assert [turn.reads for turn in turns] == whole
