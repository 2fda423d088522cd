"""Communities and their judges: what a judge may answer, and what it is never shown."""

import msgspec
import pytest

from support.debates import KINDS, chain, hold, says
from support.prompts import requests

PICK = msgspec.structs.replace(KINDS[2], choices=("one", "two", "three", "five"))
SMALL = {"agents": 2, "rounds": 1}


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
