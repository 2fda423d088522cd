"""Along a graph: what is ready runs at once, and nothing comes out otherwise for it."""

import asyncio

import pytest

from moot.models.scripted import Scripted
from moot.studies.stand_in import MemoryLedger
from support.debates import hold, says

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
