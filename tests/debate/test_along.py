"""Along a graph: what is ready runs at once, and nothing comes out otherwise for it."""

import asyncio

import msgspec
import pytest

from moot.core.ports import Limits
from moot.ledger.sqlite_store import Store
from moot.models.scripted import Scripted
from moot.studies.stand_in import MemoryLedger
from support.debates import KINDS, hold, hold_all, says, timeless

SMALL = {"agents": 2, "rounds": 1}


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


@pytest.mark.parametrize("graph", ["short-long", "cascade"])
async def test_a_network_is_the_same_at_any_concurrency(graph, tmp_path):
    questions = [
        msgspec.structs.replace(each, id=f"{each.id}-{copy}", text=f"{copy}: {each.text}")
        for each in KINDS
        for copy in range(3)
    ]
    held = []
    for concurrency in (1, 256):

        async def script(call, concurrency=concurrency):
            mood = sum(f"{call.scene.question.id}{call.scene.agent}{call.scene.round}".encode())
            await asyncio.sleep(mood % 7 / 3000 if concurrency > 1 else 0)
            answers = {"choice": "AB", "boolean": ["true", "false"]}
            return says(call, answer=answers.get(call.scene.question.kind, "48")[mood % 2])

        model = Scripted(script, limits=Limits(concurrency=concurrency))
        async with Store.open(tmp_path / f"{concurrency}") as store:
            held.append(await hold_all("network", model, store, questions, graph=graph, **SMALL))
    assert [*map(timeless, held[0])] == [*map(timeless, held[1])]
    for each in held[1]:
        assert [node.place for node in each.nodes] == list(range(len(each.nodes)))
        assert [turn.id for turn in each.turns] == list(range(1, len(each.turns) + 1))
        numbers = [seat.number for seat in each.seats]
        assert numbers == sorted(set(numbers))
