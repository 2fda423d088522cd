"""Two sides before an arbiter: what they are called, who they are, and whom a ruling is for."""

import pytest

from moot.core.errors import InputError
from moot.debate.agent_config import personas_of
from moot.debate.protocol import registry
from moot.metrics.side_support import find_supported
from moot.models.scripted import Scripted
from moot.prompts.personas import is_control, name_persona
from moot.prompts.personas import personas as known
from support.debates import hold, ruling

BOTH = ("debate-moderated", "multi-persona")
TWO_SIDES = pytest.mark.parametrize("name", BOTH)
PAIR = [{"role": "affirmative", "persona": "left"}, {"role": "negative", "persona": "right"}]

NAMED = {"agents": PAIR, "sides_as": "persona"}


def test_a_named_persona_stands_in_the_settings_in_its_own_words():
    settings = registry.get("multi-persona").check({"agents": PAIR})
    told = personas_of(settings, ("affirmative", "negative"))
    assert told == {"affirmative": known()["left"].text, "negative": known()["right"].text}
    assert [name_persona(text) for text in told.values()] == ["left", "right"]
    again = registry.get("multi-persona").check(settings)
    assert again == settings
    with pytest.raises(InputError, match=r"agents\[1\]: persona: say in a few words"):
        registry.get("single").check({"agents": [{"persona": " "}]})


def test_the_two_of_a_pair_are_told_the_same_but_for_who_they_are():
    pairs = {}
    for each in known().values():
        pairs.setdefault(each.pair, []).append(each)
    for one, other in pairs.values():
        assert one.control is other.control is is_control(one.name, other.name)
        assert one.advocates is other.advocates
        assert one.key != other.key
        for each in (one, other):  # the words of stored debates still have their name
            assert name_persona(each.text) == name_persona(each.earlier or each.text) == each.name
    assert not is_control("blue", "oak")
    long = "somebody else altogether, of whom much is said"
    assert name_persona(long) == "somebody else altogethe…"


@TWO_SIDES
def test_sides_named_by_persona_need_one_each(name):
    protocol = registry.get(name)
    for given in ({}, {"agents": PAIR[:1]}, {"agents": [PAIR[0], {**PAIR[0], "role": "negative"}]}):
        with pytest.raises(InputError, match=r"sides_as = 'persona': both sides need a persona"):
            protocol.check({"sides_as": "persona", **given})
    own = [{**each, "persona": "You keep bees."} for each in PAIR]
    with pytest.raises(InputError, match="there are left, right, female"):
        protocol.check({"sides_as": "persona", "agents": own})
    assert protocol.check({"sides_as": "persona", "agents": PAIR})["sides_as"] == "persona"


TURNED = {"agents": [{**PAIR[0], "persona": "right"}, {**PAIR[1], "persona": "left"}]}


@pytest.mark.parametrize(
    ("given", "said", "role"),
    [
        ({}, "Affirmative", "affirmative"),
        ({}, "the Negative side", "negative"),
        ({"swaps_labels": True}, "Affirmative", "negative"),
        (NAMED, "Left", "affirmative"),
        (NAMED, "right-wing", "negative"),
        (NAMED, "Affirmative", None),
        (NAMED, "Left or Right", None),
        (NAMED | TURNED, "Left", "negative"),
        (NAMED | {"swaps_labels": True}, "Left-wing side", "negative"),
        (NAMED, "Neither", None),
    ],
)
@pytest.mark.parametrize("name", BOTH)
async def test_a_ruling_is_for_the_side_that_was_called_so(name, given, said, role, store):
    """Also when the debate is measured again, from the words of the ruling alone."""

    def script(call):
        if call.scene.reads_as == "ruling":
            return ruling("4", said)
        return f"Final answer: {5 if call.scene.role == 'affirmative' else 6}"

    held = await hold(name, script, store, rounds=1, **given)
    assert held.verdict.answer == "4"
    assert find_supported(held) == role

    def silent(call):
        said_so = script(call)
        return said_so.replace('"4"', '""') if call.scene.reads_as == "ruling" else said_so

    held = await hold(name, Scripted(silent, name="silent"), store, rounds=1, **given)
    if role:
        assert held.verdict.answer == {"affirmative": "5", "negative": "6"}[role]
        assert find_supported(held) == role
