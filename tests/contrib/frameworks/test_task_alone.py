"""What agents of a society are sent: the task alone; how an aggregator is asked, by kind."""

import pytest

from moot.debate.protocol import registry
from support.debates import KINDS, SUM, differing
from support.prompts import assert_lacks, assert_order, requests

NAMES = ("camel", "langgraph", "langgraph:one-by-one", "autogen")
SHARED = NAMES[1:]

for each in NAMES:
    if not registry.get(each.partition(":")[0]).is_installed:
        pytest.skip(f"{each} is not installed: see test_society", allow_module_level=True)

pytestmark = pytest.mark.soak


async def sent(name, store, **given):
    if name != "camel":
        given = {"agents": 3, **given}
    return await requests(name, store, differing, rounds=2, **given)


@pytest.mark.parametrize("name", SHARED)
async def test_agents_have_no_role_and_are_sent_the_task_alone(name, store):
    found = await sent(name, store)
    first = found.one(agent="agent-1", round=1)
    assert [each.role for each in first.messages] == ["user"]
    assert first.prompt.strip() == (
        f"{SUM.text}\n\nReason step by step before you answer. "
        'Close with one line that says "Final answer:" and then the number alone.'
    )
    for each in found:
        assert each.system == ""
        assert_lacks(each.text, "in turn", "right and what is wrong", "critic", "several agents",
                     "think for yourself", "settle on")  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
async def test_a_role_is_said_where_agents_are_told_how_far_to_agree(name, store):
    words = registry.get(name.partition(":")[0]).pack().agreement(80)
    for each in await sent(name, store, agreement=80):
        assert each.system.strip() == (words if each.role == "agent" else "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
async def test_the_aggregator_is_asked_by_the_kind_of_question(name, question, store):
    each = (await sent(name, store, question=question)).one(step="aggregate")
    assert each.system == ""
    asked = each.prompt[each.prompt.rindex("Summarise") :]
    assert_order(
        each.text, question.text, "Final answer: 10", "Summarise the answers of the agents"
    )
    assert_order(asked, "Summarise the answers of the agents", "Final answer:")
    analyses, alone = (
        "Analyse them and find the one that is most consistent",
        "nothing but this line",
    )
    assert (analyses in asked) == (question.kind == "boolean")
    assert (alone in asked) == (question.kind == "choice")
    assert_lacks(asked, "against each other", "several agents")


async def test_camel_names_the_two_and_gives_both_the_question(store):
    found = await sent("camel", store)
    for role, name, other in (
        ("user", "Team Leader", "Problem Solver"),
        ("assistant", "Problem Solver", "Team Leader"),
    ):
        for each in found.of(role=role):
            assert f"Never forget you are a {name} and I am a {other}" in each.system
            assert SUM.text in each.system
