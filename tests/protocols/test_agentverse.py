"""AgentVerse: what its prompts convey, whose answer counts, and who is cooler."""

import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import SUM, hold, says
from support.prompts import assert_lacks, assert_order, requests

PROTOCOL = registry.get("agentverse")


def speaking(evaluation, experts='{"experts": ["optician", "a teacher of sums"]}'):
    """A script: the experts that are recruited, and what the evaluator says."""

    def script(call):
        if call.scene.role == "role-assigner":
            return experts
        return evaluation if call.scene.role == "evaluator" else says(call, answer="5")

    return script


OPEN = '{"Correctness": 0, "Response": "Count again from two.", "Final Answer": "4711"}'


async def asked(store, evaluation=OPEN, **given):
    return await requests("agentverse", store, speaking(evaluation), rounds=2, **given)


async def test_the_leader_recruits_exactly_so_many_and_is_shown_the_form(store):
    each = (await asked(store, experts=3)).one(step="recruit")
    assert_order(each.prompt, SUM.text, "exactly 3", "directly", "without reasons", '"experts"')
    assert_order(each.prompt, "The form", '["a botanist who')


@pytest.mark.parametrize(
    ("expert", "shown"),
    [("optician", "You are this expert: optician"), ("an optician", "expert: an optician")],
)
async def test_a_critic_is_the_expert_with_or_without_an_article(expert, shown, store):
    found = await requests(
        "agentverse", store, speaking(OPEN, f'{{"experts": ["{expert}"]}}'), experts=1
    )
    for each in found.of(role="critic"):
        assert shown in each.system
        assert SUM.text in each.system
        assert_lacks(each.system, "you are optician")


async def test_a_critic_checks_and_then_solves_step_by_step_under_its_own_marker(store):
    for each in (await asked(store)).of(step="criticise"):
        order = ("solution so far", "answer: 5", "Check it", "right and what is wrong")
        assert_order(each.prompt, *order, "solve the question yourself, step by step", "Improved")
        assert_lacks(each.prompt, r"\"Final answer:\"")


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
    for evaluation in (
        OPEN,
        "Correctness: 0\nResponse: Count again from two.\nFinal Answer: 4711",
    ):
        each = (await asked(store, evaluation)).one(step="improve")
        order = ("The experts say", "evaluator advises", "Count again")
        assert_order(each.prompt, *order, "correct solution, with your reasoning", "Final answer:")
        assert_lacks(each.text, "4711", "correctness")
    each = (await asked(store, "It is wrong: 4711.")).one(step="improve")
    assert_lacks(each.text, "4711", "evaluator")
    held = await hold("agentverse", speaking(OPEN), store, rounds=2)
    improved = next(turn for turn in held.turns if turn.step == "improve")
    assert 5 in improved.reads  # the evaluator's turn
    silent = Scripted(speaking("It is wrong: 4711."), name="without advice")
    held = await hold("agentverse", silent, store, rounds=2)
    improved = next(turn for turn in held.turns if turn.step == "improve")
    assert 5 not in improved.reads  # without advice, nothing of it is shown


async def test_no_agent_is_moved_by_the_evaluator_s_answer(store):
    scenes = []

    def script(call):
        scenes.append(call.scene)
        return speaking(OPEN)(call)

    await hold("agentverse", Scripted(script, name="heard"), store, rounds=2)
    improved = next(scene for scene in scenes if scene.step == "improve")
    assert "4711" not in improved.heard


async def test_the_evaluator_weighs_solution_and_reviews_and_advises_without_the_answer(store):
    each = (await asked(store)).of(step="evaluate")[0]
    order = ("solution of the group", "optician says of it", "a teacher of sums says of it")
    assert_order(
        each.prompt, *order, "1 if it is and 0 if it is not", "advise", "without the answer"
    )
    assert_order(each.prompt, '"Correctness"', '"Response"', '"Final Answer"')
    assert SUM.text in each.system


@pytest.mark.parametrize(("temperature", "cooler"), [(0.7, 0.3), (1.0, 0.6), (0.0, 0.0)])
async def test_the_evaluator_is_cooler_than_the_others(temperature, cooler, store):
    found = await asked(store, temperature=temperature)
    for each in found:
        assert each.temperature == (cooler if each.role == "evaluator" else temperature)


@pytest.mark.parametrize("percent", [0, 50, 100])
async def test_agreement_takes_the_place_of_the_check(percent, store):
    words = PROTOCOL.pack().agreement(percent)
    for each in await asked(store, agreement=percent):
        assert each.prompt.count(words) == (each.step == "criticise")
        assert words not in each.system
        if each.step == "criticise":
            assert_lacks(each.text, "check it", "what is wrong")
            assert_order(each.prompt, words, "step by step", "Improved Answer:")


async def test_a_single_critic_takes_part_alone_and_rounds_are_never_exceeded(store):
    for rounds in (1, 2, 4):
        held = await hold("agentverse", speaking(OPEN), store, experts=1, rounds=rounds)
        assert [turn.role for turn in held.turns].count("evaluator") == rounds
        assert len(held.turns) == 1 + 3 * rounds
        assert max(turn.round for turn in held.turns) == rounds


async def test_a_single_expert_is_spoken_of_as_one(store):
    found = await asked(store, experts=1)
    recruit = found.one(step="recruit").prompt
    assert_order(recruit, "Which expert is", "Name exactly one", '"experts"')
    assert_lacks(recruit, "1 expert", "exactly 1", "each from")
    assert "The expert says of your solution" in found.of(step="improve")[0].prompt


async def test_a_later_node_reads_the_evaluator_s_words_and_not_its_json(store):
    nodes = [{"name": "C1", "protocol": "agentverse"}, {"name": "C2", "protocol": "single"}]
    edges = [["C1", "C2"], ["C2", "judge"]]
    found = await requests("network", store, graph="own", nodes=nodes, edges=edges)
    shown = found.one(agent="C2/agent").prompt
    assert_order(shown, "C1 came to this:\nI am C1/evaluator.\nIts answer: 4")
    assert_lacks(shown, "Correctness", "{")
