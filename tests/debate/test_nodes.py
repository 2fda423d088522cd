"""Networks: what each node draws and passes on, and that all that is ready runs at once."""

import asyncio
import re

import msgspec
import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.studies.stand_in import MemoryLedger
from support.debates import KINDS, SUM, chain, hold, says

NETWORK = registry.get("network")
PICK = KINDS[2]
SMALL = {"agents": 2, "rounds": 1}
PLAIN = sorted(
    each.name
    for each in registry
    if "nodes" not in each.own.__struct_fields__ and each.algorithm.__module__.startswith("moot.")
    if each.is_installed
)


def marked(call):
    return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: 4"


def marks(call):
    return set(re.findall(r"<(.*?) in \d>", "".join(each.content for each in call.messages)))


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("question", [SUM, pytest.param(PICK, marks=pytest.mark.soak)])
async def test_any_protocol_can_be_a_node(name, question, store):
    answer = question.answer
    nodes = chain({"name": "C1", "protocol": name}, {"name": "C2", **SMALL})
    nodes |= {"agents": 3, "rounds": 2}
    settled = NETWORK.check(nodes)["nodes"][0]
    own = {key: settled[key] for key in registry.get(name).own.__struct_fields__ if key in settled}
    alone = await hold(name, lambda call: says(call, answer), store, question=question, **own)
    model = Scripted(lambda call: says(call, answer), name="net")
    held = await hold("network", model, store, question=question, **nodes)
    assert held.failed is None
    assert [(each.node, each.layer) for each in held.nodes] == [("C1", 1), ("C2", 2)]
    first, second = held.nodes
    assert (first.protocol, second.protocol) == (name, "community")
    wordless = [msgspec.structs.replace(each, text="") for each in (first.verdict, alone.verdict)]
    assert wordless[0] == wordless[1]
    of_first = [turn for turn in held.turns if turn.node == "C1"]
    assert [turn.agent for turn in of_first] == [f"C1/{turn.agent}" for turn in alone.turns]
    assert [turn.reads for turn in of_first] == [turn.reads for turn in alone.turns]
    carried = next(turn for turn in held.turns if turn.agent == "C2/member-1").reads
    assert carried == ((first.verdict.turn,) if first.verdict.turn else (of_first[-1].id,))
    ids = [turn.id for turn in held.turns]
    assert ids == sorted(set(ids))


async def test_communities_that_differ_read_one_another_and_debate_again(store):
    calls = {}

    def script(call):
        calls[call.scene.agent] = call
        node = call.scene.agent.partition("/")[0]
        answer = "5" if node == "C1" else "6" if node in {"C2", "C2.2"} else "7"
        return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: {answer}"

    held = await hold("hopfield", script, store, **SMALL, communities=3, sweeps=3)
    assert [(each.node, each.sweep, each.verdict.answer) for each in held.nodes] == [
        *(("C1", 1, "5"), ("C2", 1, "6"), ("C3", 1, "7")),
        *(("C1", 2, "7"), ("C2", 2, "6"), ("C3", 2, "7")),
        *(("C1", 3, "7"), ("C2", 3, "7"), ("C3", 3, "7")),
    ]
    assert held.nodes[4].reads == ("C1", "C3")
    assert marks(calls["C2.2/member-1"]) == {"C1/judge", "C3/judge"}
    assert marks(calls["C2.3/member-1"]) == {"C1.2/judge", "C3.2/judge"}
    assert (held.verdict.answer, held.verdict.by) == ("7", "consensus")
    once = await hold("hopfield", Scripted(marked, name="one"), store, **SMALL, communities=3)
    assert [(each.node, each.sweep) for each in once.nodes] == [("C1", 1), ("C2", 1), ("C3", 1)]
    assert len({turn.id for turn in held.turns}) == len(held.turns) == 27


async def test_letters_of_another_order_are_not_passed_on(store):
    """A sample over shuffled choices speaks of letters that the next node is not shown."""
    question = msgspec.structs.replace(PICK, choices=("one", "two", "three", "five"))
    seen = []

    def script(call):
        seen.append(call)
        places = call.scene.question.choices
        return f"It is even. Final answer: {'ABCD'[places.index('two')]}"

    nodes = chain({"name": "A", "protocol": "medprompt", "samples": 3}, {"name": "B", **SMALL})
    held = await hold("network", script, store, question=question, **nodes)
    assert held.verdict.answer == held.nodes[0].verdict.answer == "B"
    assert any(turn.order[:2] != (0, 1) for turn in held.turns if turn.node == "A")
    [first] = [call for call in seen if call.scene.agent == "B/member-1"]
    assert "\nAgent 1: (B) two\n" in first.messages[-1].content
    assert first.scene.heard == ("B",)


async def test_nodes_that_are_ready_run_at_once(jumping_clock):
    """Every call takes a second of a clock that stands meanwhile: what can be at once, is."""
    spans = {}

    async def script(call):
        node = call.scene.agent.partition("/")[0]
        began = jumping_clock()
        await asyncio.sleep(1.0)
        first, _ = spans.get(node, (began, 0))
        spans[node] = (first, jumping_clock())
        return says(call)

    await hold("network", script, MemoryLedger(), graph="cascade", **SMALL)
    for layer in (("C1", "C2", "C3", "C4"), ("C5", "C6", "C7"), ("C8", "C9")):
        assert max(spans[node][0] for node in layer) < min(spans[node][1] for node in layer)
    took = spans["judge"][1] - spans["C1"][0]
    assert took == pytest.approx(10.0, abs=0.01)  # ten calls are the longest chain
    spans.clear()
    await hold("network", Scripted(script, name="s"), MemoryLedger(), graph="short-long", **SMALL)
    assert spans["C3"][0] == spans["C2"][1], "it does not wait for C1, which it does not read"
    assert spans["judge"][0] == max(spans["C1"][1], spans["C4"][1])
