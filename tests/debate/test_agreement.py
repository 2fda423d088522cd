"""How far agents are told to agree: who is told, where, and nothing against it besides."""

from itertools import count

import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
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
TOLD = (0, 50, 100)


def rounds_of(name, count):
    """So many rounds, where the protocol counts them: none for one that asks again once."""
    fields = registry.get(name).settings.__struct_fields__
    return {"rounds": count} if "rounds" in fields else {}


def words(name, percent):
    """The instruction in a protocol's own words."""
    return registry.get(name).pack().agreement(percent)


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
