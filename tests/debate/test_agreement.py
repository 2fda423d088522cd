"""How far agents are told to agree: where the words stand, and that they stand nowhere else."""

from itertools import count

import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.prompts.templates import slots_of
from stage import hold, ruling, says

SHIPPED = [each for each in registry if each.algorithm.__module__.startswith("moot.")]
NETWORKS = {each.name for each in SHIPPED if "nodes" in each.own.__struct_fields__}
NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
PLACES = {
    "agentverse": {("role", "critic")},
    "autogen": {("role", "agent")},
    "chateval": {("role", "debater")},
    "chateval-scored": {("role", role) for role in ("general-public", "critic", "scientist")},
    "community": {("role", "member")},
    "consultancy": {("step", "advise")},
    "debate-moderated": {("step", "oppose")},
    "debate-to-write": {("role", "member")},
    "exchange-of-thought": {("step", "exchange")},
    "langgraph": {("role", "agent")},
    "multi-persona": {("step", "oppose")},
    "multi-persona-proposals": {("role", "negative")},
    "society-of-minds": {("step", "revise")},
}
"""In which prompts of its pack a protocol tells its agents how far to agree."""


def words(percent):
    return f"with the other agents about {percent}% of the time"


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


async def told(name, store, **given):
    """Where the words stand: agents, and the role of the message, new in each call."""
    seen, calls = set(), []

    def script(call):
        calls.append(call)
        system = [each for each in call.messages if each.role == "system"]
        for each in (*system, call.messages[-1]):
            if "% of the time" in each.content:
                assert words(given["agreement"]) in each.content
                assert each.content.count("% of the time") == 1
                seen.add((call.scene.role, call.scene.step, each.role))
        if call.scene.reads_as == "ruling":
            return ruling()
        return says(call, ends=9)

    model = Scripted(script, name=f"script-{next(NAMES)}")
    held = await hold(name, model, store, rounds=2, **given)
    assert held.failed is None
    return seen, calls


@pytest.mark.parametrize("percent", [0, 50, 100])
async def test_a_society_is_told_where_it_revises(percent, store):
    seen, calls = await told("society-of-minds", store, agreement=percent)
    assert seen == {("mind", "revise", "user")}
    for call in calls:
        assert (words(percent) in call.messages[-1].content) == (call.scene.step == "revise")


async def test_chateval_is_told_in_the_system_message(store):
    for summary in (False, True):
        given = {"mode": "simultaneous", "summary": summary, "agreement": 90}
        seen, calls = await told("chateval", store, **given)
        assert seen == {("debater", "speak", "system")}
        assert all(
            (words(90) in call.messages[0].content) == (call.scene.role == "debater")
            for call in calls
        )


async def test_of_the_personas_only_the_devil_is_told(store):
    seen, calls = await told("multi-persona", store, agreement=30)
    assert seen == {("negative", "oppose", "user")}
    for call in calls:
        if call.scene.role != "negative":
            assert words(30) not in "".join(each.content for each in call.messages)
    seen, _ = await told("multi-persona-proposals", store, agreement=30)
    assert {(role, place) for role, _, place in seen} == {("negative", "system")}


@pytest.mark.parametrize("name", [name for name in PLACES if registry.get(name).here])
async def test_off_says_nothing_and_leaves_no_trace(name, store):
    off = await told(name, store)
    assert off[0] == set()
    on = await told(name, store, agreement=70)
    assert on[0]
    before = ["\n".join(each.content for each in call.messages) for call in off[1]]
    after = ["\n".join(each.content for each in call.messages) for call in on[1]]
    sentence = registry.get(name).pack().agreement(70)
    assert sentence.startswith(" ")
    assert [text.replace(sentence, "") for text in after] == before
    assert not any("  " in text.replace("\n", "") for text in after)


@pytest.mark.parametrize("name", sorted(NETWORKS))
async def test_a_network_tells_the_nodes_that_can_be_told(name, store):
    seen, _ = await told(name, store, agreement=20)
    assert seen == {("member", "speak", "system")}
    nodes = [{"name": "A"}, {"name": "B", "agreement": 20}, {"name": "C", "protocol": "single"}]
    edges = {"edges": [["A", "B"], ["B", "C"], ["C", "judge"]]} if name == "network" else {}
    protocol = registry.get(name)
    checked = protocol.check({"nodes": nodes, "agreement": 80, **edges})["nodes"]
    assert [each.get("agreement") for each in checked] == [80, 20, None]
