"""How far agents are told to agree: where the words stand, what they say, and what they replace."""

from itertools import count

import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.prompts.templates import slots_of
from support.debates import hold, ruling, says
from support.prompts import assert_lacks, requests

SHIPPED = [each for each in registry if each.algorithm.__module__.startswith("moot.")]
NETWORKS = {each.name for each in SHIPPED if "nodes" in each.own.__struct_fields__}
NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
MODULATED = [each.name for each in SHIPPED if "agreement" in each.settings.__struct_fields__]
PLACES = [name for name in MODULATED if name not in NETWORKS]
INSTALLED = [name for name in PLACES if registry.get(name).is_installed]
ASKED = {
    "majority-lock": {"lock": "follower", "p": 0.0},
    "selective-debate": {"novelty": "embedding", "similar": 1.0},
}
"""Settings with which agents are asked again, though all agree."""
REPLACED = {
    "chateval": ("need not agree", "weigh"),
    "community": ("Criticise what the others say", "Criticise", "think critically"),
    "consultancy": ("look for missing details", "unclear points"),
    "debate-moderated": ("You disagree with my answer.", "do you agree", "need not fully agree"),
    "multi-persona": ("You disagree with my answer. Say", "instead", "is wrong"),
    "society-of-minds": ("Take what they say as advice",),
}
"""What an instruction to agree takes the place of, in the paper whose wording it modulates."""
TOLD = (0, 50, 100)


def rounds_of(name, count):
    """So many rounds, where the protocol counts them: none for one that asks again once."""
    fields = registry.get(name).settings.__struct_fields__
    return {"rounds": count} if "rounds" in fields else {}


def words(name, percent):
    """The instruction in a protocol's own words."""
    return registry.get(name).pack().agreement(percent)


@pytest.mark.parametrize("each", SHIPPED, ids=lambda each: each.name)
def test_a_protocol_with_the_setting_has_a_place_for_it_and_no_other_has(each):
    sources = [step.source for step in each.pack()._steps.values()]
    placed = any("agreement" in slots_of(source, where="") for source in sources)
    assert placed == (each.name in PLACES)


@pytest.mark.parametrize("name", PLACES)
def test_eleven_steps_differ_in_content_and_not_in_a_number_alone(name):
    said = {percent: words(name, percent) for percent in range(101)}
    assert all(text and text == text.strip() and "  " not in text for text in said.values())
    steps = [said[percent] for percent in range(0, 101, 10)]
    assert len(set(steps)) == 11
    for percent, text in said.items():
        shares = {0: {"100"}, 50: set()}.get(percent, {str(max(percent, 100 - percent))})
        assert {part.rstrip("%") for part in text.split() if part.endswith("%")} == shares
    bare = [text.replace(f"{max(p, 100 - p)}%", "") for p, text in said.items()]
    below, half, above = bare[:50], bare[50], bare[51:]
    assert half not in {*below, *above}
    assert not set(below) & set(above)
    assert len(set(above)) >= 5, "reservations shrink from step to step"
    assert "reservation" in above[0]
    assert_lacks(above[-1], "disagree", "although", "unless", "mistake", "other answer")


async def told(name, store, **given):
    """Where the words stand: agents, and the role of the message, new in each call."""
    seen, calls = set(), []

    def script(call):
        calls.append(call)
        system = [each for each in call.messages if each.role == "system"]
        for each in (*system, call.messages[-1]):
            if given.get("agreement") is not None and sentence in each.content:
                assert each.content.count(sentence) == 1
                seen.add((call.scene.role, call.scene.step, each.role))
        if call.scene.reads_as == "ruling":
            return ruling()
        return says(call, ends=9)

    pack = "community" if name in NETWORKS else name
    sentence = words(pack, given.get("agreement"))
    model = Scripted(script, name=f"script-{next(NAMES)}")
    held = await hold(name, model, store, **rounds_of(name, 2), **given)
    assert held.failed is None
    return seen, calls


@pytest.mark.parametrize(
    ("name", "given", "told_to"),
    [
        ("society-of-minds", {}, ("mind", "revise", "user")),
        ("chateval", {"mode": "simultaneous"}, ("debater", "speak", "system")),
        ("chateval", {"mode": "simultaneous", "summary": True}, ("debater", "speak", "system")),
        *((name, {}, ("member", "speak", "user")) for name in sorted(NETWORKS)),
        ("multi-persona", {}, ("negative", "oppose", "user")),
        ("multi-persona-proposals", {}, ("negative", "challenge", "user")),
    ],
)
@pytest.mark.parametrize("percent", TOLD)
async def test_only_whom_it_concerns_is_told_and_only_there(name, given, told_to, percent, store):
    seen, calls = await told(name, store, agreement=percent, **given)
    assert seen == {told_to}
    sentence = words("community" if name in NETWORKS else name, percent)
    for call in calls:
        whole = "".join(each.content for each in call.messages)
        assert (call.scene.role == told_to[0]) or sentence not in whole


@pytest.mark.parametrize("percent", TOLD)
@pytest.mark.parametrize("name", REPLACED)
async def test_the_instruction_stands_in_place_of_the_one_that_it_modulates(name, percent, store):
    sentence, replaced = words(name, percent), REPLACED[name]
    ordinary = await requests(name, store, rounds=2)
    assert any(replaced[0] in each.text for each in ordinary)
    modulated = await requests(name, store, rounds=2, agreement=percent)
    assert any(sentence in each.text for each in modulated)
    for each in modulated:
        assert_lacks(each.text.replace(sentence, ""), *replaced)
        if sentence in each.text:
            assert_lacks(each.text.replace(sentence, ""), "disagree", "as advice", "with care")


@pytest.mark.parametrize("name", INSTALLED)
async def test_without_the_setting_nothing_is_said_and_no_space_is_left(name, store):
    seen, calls = await told(name, store)
    assert seen == set()
    for call in calls:
        text = "\n".join(each.content for each in call.messages)
        assert "% of cases" not in text
        assert "  " not in text.replace("\n", "")
    on, _ = await told(name, store, agreement=70, **ASKED.get(name, {}))
    assert on


OPPOSITES = ("need not (fully )?agree", "you disagree", "disagree with my", "critici[sz]e")
OPPOSITES += ("you challenge", "(look for|say|point out) what is (right and )?wrong")
OPPOSITES += ("do not follow the others", "as advice")
"""What no prompt that tells an agent how far to agree tells it besides."""


@pytest.mark.parametrize("percent", TOLD)
@pytest.mark.parametrize("name", INSTALLED)
async def test_no_opposite_stands_beside_the_instruction(name, percent, store):
    sentence = words(name, percent)
    given = rounds_of(name, 3) | ASKED.get(name, {})
    sent = await requests(name, store, agreement=percent, **given)
    told = [each for each in sent if sentence in each.system + each.prompt]
    assert told
    for each in told:
        place = each.prompt if sentence in each.prompt else each.system
        assert_lacks(place.replace(sentence, ""), *OPPOSITES)
