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
PLACES = {
    "agentverse": {("step", "criticise")},
    "autogen": {("role", "agent")},
    "ballot": {("step", "revise")},
    "chateval": {("role", "debater")},
    "chateval-scored": {("role", role) for role in ("general-public", "critic", "scientist")},
    "community": {("role", "member"), ("step", "speak")},
    "consultancy": {("role", "consultant"), ("step", "advise")},
    "debate-moderated": {
        *(("role", side) for side in ("affirmative", "negative")),
        *(("step", step) for step in ("oppose", "reply")),
    },
    "confidence-debate": {("step", "revise")},
    "debate-to-write": {("step", "discuss")},
    "diverse-methods": {("step", step) for step in ("revise", "step-back", "divide")},
    "diverse-start": {("step", "revise")},
    "exchange-of-thought": {("role", role) for role in ("kitty", "peter", "ben")},
    "exposure": {("step", "revise"), ("step", "revise-by-tally")},
    "group-debate": {("step", "revise"), ("step", "revise-by-summaries")},
    "langgraph": {("role", "agent")},
    "majority-lock": {("step", "revise")},
    "multi-persona": {("step", "oppose")},
    "multi-persona-proposals": {("step", "challenge")},
    "planted-peers": {("step", "revise")},
    "selective-debate": {("step", "revise")},
    "sparse-debate": {("step", "revise")},
    "society-of-minds": {("step", "revise"), ("step", "revise-by-summary")},
}
"""In which prompts of its pack a protocol tells its agents how far to agree."""
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
TOLD = (0, 20, 50, 80, 100)


def rounds_of(name, count):
    """So many rounds, where the protocol counts them: none for one that asks again once."""
    fields = registry.get(name).settings.__struct_fields__
    return {"rounds": count} if "rounds" in fields else {}


def words(name, percent):
    """The instruction in a protocol's own words."""
    return registry.get(name).pack().agreement(percent)


def test_a_protocol_with_the_setting_has_a_place_for_it_and_no_other_has():
    found = {}
    for each in SHIPPED:
        steps = each.pack()._steps.items()
        slots = {place for place, step in steps if "agreement" in slots_of(step.source, where="")}
        if slots:
            found[each.name] = slots
    assert found == PLACES
    modulated = {each.name for each in SHIPPED if "agreement" in each.settings.__struct_fields__}
    assert modulated == set(PLACES) | NETWORKS


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


@pytest.mark.parametrize("percent", TOLD)
async def test_a_society_is_told_where_it_revises(percent, store):
    seen, calls = await told("society-of-minds", store, agreement=percent)
    assert seen == {("mind", "revise", "user")}
    sentence = words("society-of-minds", percent)
    for call in calls:
        assert (sentence in call.messages[-1].content) == (call.scene.step == "revise")


async def test_chateval_is_told_in_the_system_message(store):
    for summary in (False, True):
        given = {"mode": "simultaneous", "summary": summary, "agreement": 90}
        seen, calls = await told("chateval", store, **given)
        assert seen == {("debater", "speak", "system")}
        assert all(
            (words("chateval", 90) in call.messages[0].content) == (call.scene.role == "debater")
            for call in calls
        )


async def test_of_the_personas_only_the_devil_is_told(store):
    seen, calls = await told("multi-persona", store, agreement=30)
    assert seen == {("negative", "oppose", "user")}
    for call in calls:
        if call.scene.role != "negative":
            whole = "".join(each.content for each in call.messages)
            assert words("multi-persona", 30) not in whole
    seen, _ = await told("multi-persona-proposals", store, agreement=30)
    assert {(role, place) for role, _, place in seen} == {("negative", "user")}


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


@pytest.mark.parametrize("percent", [90, 100])
async def test_a_devil_that_agrees_affirms_and_is_not_asked_for_another_answer(percent, store):
    told = await requests("multi-persona", store, rounds=1, agreement=percent)
    said = told.one(step="oppose").prompt
    assert "you agree with my answer" in said
    assert "Say that you agree" in said
    assert_lacks(said, "disagree", "other answer", "instead", "wrong")


@pytest.mark.parametrize("name", [name for name in PLACES if registry.get(name).is_installed])
async def test_without_the_setting_nothing_is_said_and_no_space_is_left(name, store):
    seen, calls = await told(name, store)
    assert seen == set()
    for call in calls:
        text = "\n".join(each.content for each in call.messages)
        assert "% of cases" not in text
        assert "  " not in text.replace("\n", "")
    on, calls = await told(name, store, agreement=70, **ASKED.get(name, {}))
    assert on
    for call in calls:
        assert not any("  " in each.content.replace("\n", "") for each in call.messages)


@pytest.mark.parametrize("name", sorted(NETWORKS))
async def test_a_network_tells_the_nodes_that_can_be_told(name, store):
    seen, _ = await told(name, store, agreement=20)
    assert seen == {("member", "speak", "user")}
    nodes = [{"name": "A"}, {"name": "B", "agreement": 20}, {"name": "C", "protocol": "single"}]
    edges = {"edges": [["A", "B"], ["B", "C"], ["C", "judge"]]} if name == "network" else {}
    protocol = registry.get(name)
    checked = protocol.check({"nodes": nodes, "agreement": 80, **edges})["nodes"]
    assert [each.get("agreement") for each in checked] == [80, 20, None]


OPPOSITES = (
    r"need not (fully )?agree",
    r"you disagree",
    r"disagree with my",
    r"critici[sz]e",
    r"you challenge",
    r"(look for|say|point out) what is (right and )?wrong",
    r"do not follow the others",
    r"as advice",
)
"""What no prompt that tells an agent how far to agree tells it besides."""


@pytest.mark.parametrize("percent", TOLD)
@pytest.mark.parametrize("name", [name for name in PLACES if registry.get(name).is_installed])
async def test_no_opposite_stands_beside_the_instruction(name, percent, store):
    sentence = words(name, percent)
    given = rounds_of(name, 3) | ASKED.get(name, {})
    sent = await requests(name, store, agreement=percent, **given)
    told = [each for each in sent if sentence in each.system + each.prompt]
    assert told
    for each in told:
        if sentence in each.prompt:
            assert_lacks(each.prompt.replace(sentence, ""), *OPPOSITES)
        else:
            assert_lacks(each.system.replace(sentence, ""), *OPPOSITES)
