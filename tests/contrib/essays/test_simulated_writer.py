"""What a simulated population writes: readable, one step after another, as unlike as it is told."""

import pytest

from moot.core.questions import Question
from moot.models.simulated import Simulated
from moot.parsing.parser import registry as parsers
from support.debates import hold
from support.simulated import a_call

MUSEUMS = Question(id="museums", kind="text", text="We should make all museums free of charge.")
WRITERS = ("essay-direct", "essay-plan", "americano", "debate-to-write")
every_writer = pytest.mark.parametrize("name", WRITERS)


async def essays(name, model, store, times=3, **given):
    held = [
        await hold(name, model, store, question=MUSEUMS, replicate=number, **given)
        for number in range(times)
    ]
    assert not any(transcript.failed for transcript in held)
    return held


def distance(first, second):
    """The share of sentences that are not in the other."""
    one, other = (set(text.replace("\n\n", " ").split(". ")) for text in (first, second))
    return 1 - len(one & other) / max(len(one), len(other))


@every_writer
async def test_essays_are_as_unlike_as_the_knob_says(name, store):
    apart = []
    for diversity in (0.0, 0.3, 1.0):
        model = Simulated("writers", diversity=diversity)
        first, *others = [each.verdict.answer for each in await essays(name, model, store, times=7)]
        apart.append(sum(distance(first, other) for other in others) / len(others))
    assert apart[0] == 0
    assert apart[0] < apart[1] < apart[2]
    other = Simulated("writers", diversity=0, seed=1)
    [same] = await essays(name, Simulated("writers", diversity=0), store, times=1)
    [unlike] = await essays(name, other, store, times=1)
    assert same.verdict.answer != unlike.verdict.answer
    [unread] = await essays(name, Simulated(unparseable=1.0), store, times=1)
    assert unread.verdict.answer is None


@pytest.mark.parametrize(
    "form", ["personas", "selection", "plan", "dialogue", "essay", "discussion"]
)
async def test_any_prompt_is_answered(form):
    model = Simulated()
    for prompt in ("", "{" * 3000, "1. " * 5000, '{"agent_id": [1]}\n' * 50, "[1] (a)\n" * 500):
        reply = await model.reply(a_call(model, MUSEUMS, reads_as=form, prompt=prompt))
        parsers.get(form)(reply.text, MUSEUMS, heard={})
