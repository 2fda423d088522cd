"""AgentVerse: whose answer counts."""

import pytest

from moot.models.scripted import Scripted
from support.debates import hold, says
from support.prompts import assert_lacks, assert_order, requests

OPEN = '{"Correctness": 0, "Response": "Count again from two.", "Final Answer": "4711"}'


async def asked(store, evaluation=OPEN, **given):
    return await requests("agentverse", store, speaking(evaluation), rounds=2, **given)


def speaking(evaluation, experts='{"experts": ["optician", "a teacher of sums"]}'):
    """A script: the experts that are recruited, and what the evaluator says."""

    def script(call):
        if call.scene.role == "role-assigner":
            return experts
        return evaluation if call.scene.role == "evaluator" else says(call, answer="5")

    return script


async def test_the_improved_answer_of_the_last_critic_counts_where_the_evaluator_has_none(store):
    def script(call):
        if call.scene.role == "critic":
            return f"Final answer: 9 is what it says.\nImproved Answer: {call.draw.seat}"
        return speaking('{"Correctness": 0, "Response": "", "Final Answer": ""}')(call)

    held = await hold("agentverse", script, store, rounds=1)
    assert (held.verdict.answer, held.verdict.by) == ("3", "critic")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("the zoologist's answer", "3"),
        ("Critic 2's answer", "4"),
        ("same as the physicist", "4"),
        ("a zoologist", "3"),
    ],
)
async def test_a_critic_that_the_evaluator_selects_in_words_decides(words, answer, store):
    """A critic's answer is the number of its seat; the experts have the seats 2 and 3."""

    def script(call):
        if call.scene.role == "critic":
            return f"Improved Answer: {call.draw.seat + 1}"
        chosen = f'{{"Correctness": 1, "Response": "", "Final Answer": "{words}"}}'
        return speaking(chosen, '{"experts": ["a zoologist", "a physicist"]}')(call)

    held = await hold("agentverse", script, store, rounds=1)
    assert (held.verdict.answer, held.verdict.by) == (answer, "evaluator")


async def test_the_solver_is_shown_the_advice_and_neither_score_nor_answer(store):
    lines = "Correctness: 0\nResponse: Count again from two.\nFinal Answer: 4711"
    for evaluation in (OPEN, lines):
        each = (await asked(store, evaluation)).one(step="improve")
        assert_order(each.prompt, "The experts say", "evaluator advises", "Count again")
        assert_lacks(each.text, "4711", "correctness")
    each = (await asked(store, "It is wrong: 4711.")).one(step="improve")
    assert_lacks(each.text, "4711", "evaluator")
    for evaluation, advises in ((OPEN, True), ("It is wrong: 4711.", False)):
        heard = []

        def script(call, heard=heard, evaluation=evaluation):
            heard.extend(call.scene.heard if call.scene.step == "improve" else ())
            return speaking(evaluation)(call)

        model = Scripted(script, name=f"advises-{advises}")
        held = await hold("agentverse", model, store, rounds=2)
        improved = next(turn for turn in held.turns if turn.step == "improve")
        assert (5 in improved.reads) == advises, "the evaluator's turn"
        assert "4711" not in heard
