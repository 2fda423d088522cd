"""docs/shared-first.toml: the same words in another order, and more of them cached."""

import re
from collections import Counter
from pathlib import Path

import pytest

from moot.core.toml import parse_toml
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.metrics.usage import measure_cacheable
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.debates import SUM, settings

FILE = Path(__file__).parents[2] / "docs" / "shared-first.toml"
PROTOCOLS = sorted(parse_toml(FILE.read_bytes(), where=str(FILE)))
FEW = 10
"""Words by which a prompt may differ: where it says "below", "at the end", "then"."""


def speak(call):
    scene = call.scene
    words = f"{scene.agent} in step {scene.step}: {'because of this ' * 25}"
    return f"{words}\n\nFinal answer: {scene.turn}\nProposed Answer: {scene.turn}"


async def debate(store, name, overlay, **given):
    model, protocol = Scripted(speak), registry.get(name)
    transcript = await run_debate(
        protocol,
        SUM,
        settings=settings(protocol, model, given),
        path=CallPath(store),
        model=lambda _: model,
        pack=protocol.pack(overlay),
        overlay=overlay,
    )
    assert transcript.verdict is not None
    calls = [store.request(bytes.fromhex(turn.call)) for turn in transcript.turns]
    prompts = ["\n".join(each.content for each in call.messages) for call in calls]
    return transcript, prompts


def count_words(text):
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize(
    "given",
    [{}, {"style": "simple"}, {"agreement": 90}, {"style": "bare"}, {"style": "concise"}],
    ids=str,
)
@pytest.mark.parametrize("name", PROTOCOLS)
async def test_agents_see_the_same_in_another_order(store, name, given):
    own, before = await debate(store, name, None, **given)
    _, after = await debate(store, name, FILE, **given)
    assert len(before) == len(after)
    texts = [turn.text for turn in own.turns]
    for left, right in zip(before, after, strict=True):
        one, two = count_words(left), count_words(right)
        assert (one - two).total() + (two - one).total() <= FEW, f"{left}\n-----\n{right}"
        assert right.startswith(SUM.text)
        assert [text in left for text in texts] == [text in right for text in texts]


@pytest.mark.parametrize(
    "given", [{"agents": 1}, {"mode": "simultaneous", "summary": True}], ids=str
)
async def test_chateval_in_its_other_modes(store, given):
    _, before = await debate(store, "chateval", None, **given)
    _, after = await debate(store, "chateval", FILE, **given)
    for left, right in zip(before, after, strict=True):
        one, two = count_words(left), count_words(right)
        assert (one - two).total() + (two - one).total() <= FEW, f"{left}\n-----\n{right}"


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_more_of_it_is_cacheable(store, name):
    before, _ = await debate(store, name, None)
    after, _ = await debate(store, name, FILE)
    assert measure_cacheable(after) > measure_cacheable(before) + 0.15
