"""AgentVerse: whose answer counts."""

import pytest

from support.debates import hold, says


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
