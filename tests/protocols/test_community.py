"""Communities and their judges: what a judge may answer, and what it is never shown."""

import msgspec
import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import KINDS, chain, hold, says
from support.prompts import assert_lacks, assert_order, requests

PICK = msgspec.structs.replace(KINDS[2], choices=("one", "two", "three", "five"))
SMALL = {"agents": 2, "rounds": 1}
KEYS = '{"answer": "", "reason": ""}'


def reasoned(call):
    """A reply that differs by agent, in the form that is asked for."""
    answer = "ABCD"[call.scene.turn % 4] if call.scene.question.kind == "choice" else "4"
    return f'{{"answer": "{answer}", "reason": "words of {call.scene.agent}"}}'


@pytest.mark.parametrize(
    "name", ["debate-moderated", "multi-persona", "multi-persona-proposals", "agentverse"]
)
async def test_the_judge_of_any_protocol_judges_its_own_debate_alone(name, store):
    nodes = chain({"name": "first", **SMALL}, {"name": "second", "protocol": name})
    judges = {"judge", "moderator", "evaluator"}
    sent = await requests("network", store, **nodes)
    own = [each for each in sent if each.agent.startswith("second/")]
    assert any("first came to this" in each.text for each in own if each.role not in judges)
    for each in own:
        if each.role in judges:
            assert "first came to this" not in each.text
    held = await hold("network", says, store, **nodes)
    first = next(each.verdict.turn for each in held.nodes)
    for turn in held.turns:
        assert not (turn.node == "second" and turn.role in judges and first in turn.reads)


async def test_a_reply_without_an_answer_is_passed_on_and_8_2_is_4_0(store):
    lost = {"member-1": "I am lost.", "member-2": '{"answer": "none", "reason": "It is open."}'}
    sent = await requests("community", store, lambda c: lost.get(c.scene.agent, ""), **SMALL)
    judge = sent.one(role="judge").prompt
    said = ("Agent 1: I am lost.", "Agent 2 gives no clear answer, but says: It is open")
    assert_order(judge, *said)

    def script(call):
        answer = "8/2" if call.scene.role == "judge" else "4.0"
        return f'{{"answer": "{answer}", "reason": "so"}}'

    held = await hold("community", script, store, **SMALL)
    assert (held.verdict.by, held.verdict.answer) == ("judge", "8/2")


async def test_the_concise_form_is_a_schema_and_a_style_of_communities_alone(store):
    schemas = []

    def script(call):
        schemas.append(call.sampling.schema)
        return reasoned(call)

    await hold("community", script, store, question=PICK)
    assert all(list(each["properties"]) == ["answer", "reason"] for each in schemas)
    schemas.clear()
    await hold("community", Scripted(script, name="cot"), store, question=PICK, style="cot")
    assert set(schemas) == {None}
    held = await hold("society-of-minds", Scripted(reasoned, name="s"), store, style="concise")
    assert held.verdict.answer == "4"
    assert held.verdict.text.startswith("words of")
    nodes = chain({"name": "votes", "protocol": "self-consistency"}, {"name": "talk"})
    settings = registry.get("network").check(nodes)
    assert [each["style"] for each in settings["nodes"]] == ["cot", "concise"]
    told = registry.get("network").check(nodes | {"style": "simple"})
    assert [each["style"] for each in told["nodes"]] == ["simple", "simple"]


@pytest.mark.parametrize("agreement", [None, 0, 100])
async def test_a_member_alone_is_told_of_nobody_else(agreement, store):
    given = {} if agreement is None else {"agreement": agreement}
    found = await requests("community", store, reasoned, question=PICK, agents=1, **given)
    first, second = found.of(role="member")
    for each in (first, second):
        assert_lacks(each.text, "other", "criticise", "debate", "opinions", "the agents")
    assert_order(second.prompt, "What you have said so far:", "words of member", "Check", KEYS)


LONER = '{"answer": "D", "reason": "I know better."}'


def stubborn(call):
    """Members answer A or B; every judge answers D."""
    if call.scene.role == "judge":
        return LONER
    return f'{{"answer": "{"AB"[call.scene.agent.endswith("1")]}", "reason": "so"}}'


@pytest.mark.parametrize("name", ["community", "network"])
async def test_an_answer_that_nobody_gave_is_no_answer_of_the_judge(name, store):
    held = await hold(name, stubborn, store, question=PICK, **SMALL)
    judge = max(held.turns, key=lambda turn: turn.id)
    ends = [held.verdict, *(each.verdict for each in held.nodes)]
    assert {(each.answer, each.by) for each in ends} == {(None, "judge: nobody gave its answer")}
    assert {each.text for each in ends} == {"I know better."}
    assert judge.answer == "D", "what it said stays in the record"
    free = await hold(name, stubborn, store, question=PICK, free_judge=True, **SMALL)
    ends = [free.verdict, *(each.verdict for each in free.nodes)]
    assert {(each.answer, each.by) for each in ends} == {("D", "judge")}


async def test_nodes_of_a_hopfield_network_vote_with_answers_that_somebody_gave(store):
    def script(call):
        if call.scene.role == "judge":
            return LONER if "C3" not in call.scene.agent else '{"answer": "A", "reason": "so"}'
        return '{"answer": "A", "reason": "so"}'

    given = {"sweeps": 2, "communities": 3, **SMALL}
    held = await hold("hopfield", script, store, question=PICK, **given)
    assert held.verdict.answer == "A"
    assert held.verdict.votes == {"A": 1}
    free = await hold("hopfield", script, store, question=PICK, free_judge=True, **given)
    assert free.verdict.answer == "D"
