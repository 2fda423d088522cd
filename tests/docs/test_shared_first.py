"""docs/shared-first.toml: the same words in another order, and more of them cached."""

import re
from collections import Counter

import pytest

from moot.core.toml import parse_toml
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.metrics.usage import measure_cacheable
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.debates import SUM, settings
from support.shown import DOCS

FILE = DOCS / "shared-first.toml"
PROTOCOLS = sorted(parse_toml(FILE.read_bytes(), where=str(FILE)))
FEW = 10
"""Words by which a prompt may differ: where it says "below", "at the end", "then"."""
GIVEN = [{}, {"style": "simple"}, {"agreement": 90}, {"style": "bare"}, {"style": "concise"}]
CASES = [(name, given) for name in PROTOCOLS for given in GIVEN]
CASES += [("chateval", {"agents": 1}), ("chateval", {"mode": "simultaneous", "summary": True})]


def speak(call):
    scene = call.scene
    words = f"{scene.agent} in step {scene.step}: {'because of this ' * 25}"
    return f"{words}\n\nFinal answer: {scene.turn}\nProposed Answer: {scene.turn}"


async def debate(store, name, overlay, given):
    model, protocol = Scripted(speak), registry.get(name)
    transcript = await run_debate(
        protocol.read(settings(protocol, model, given)),
        SUM,
        path=CallPath(store),
        model=lambda _: model,
        pack=protocol.pack(overlay),
        overlay=overlay,
    )
    assert transcript.verdict is not None
    calls = [store.request(bytes.fromhex(turn.call)) for turn in transcript.turns]
    return transcript, ["\n".join(each.content for each in call.messages) for call in calls]


@pytest.mark.parametrize(("name", "given"), CASES, ids=str)
async def test_agents_see_the_same_in_another_order_and_more_of_it_is_cacheable(store, name, given):
    own, before = await debate(store, name, None, given)
    shared, after = await debate(store, name, FILE, given)
    texts = [turn.text for turn in own.turns]
    for left, right in zip(before, after, strict=True):
        one, two = (Counter(re.findall(r"\w+", each.lower())) for each in (left, right))
        assert (one - two).total() + (two - one).total() <= FEW, f"{left}\n-----\n{right}"
        if given in GIVEN:
            assert right.startswith(SUM.text)
            assert [text in left for text in texts] == [text in right for text in texts]
    if not given:
        assert measure_cacheable(shared) > measure_cacheable(own) + 0.15
