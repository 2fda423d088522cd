"""What single protocols promise beside the table: fallbacks, exits, whose words count."""

import pytest

from moot.core.questions import Question
from support.debates import SUM, hold, says

COLOURS = Question(
    id="colours",
    kind="choice",
    text="Which?",
    choices=("red", "green", "blue", "black"),
    answer="B",
)
SPOKEN = ("chateval", "chateval-scored", "community", "multi-persona-proposals", "network")


@pytest.mark.parametrize("name", SPOKEN)
async def test_the_style_reaches_agents_that_speak_over_a_history(name, store):
    asked, first = {}, name == "chateval-scored"  # whose General Public is asked in no style
    for style in ("simple", "cot", "spp"):
        sent = asked.setdefault(style, [])

        def script(call, sent=sent):
            sent.append(call.messages[-1].content)
            return says(call)

        await hold(name, script, store, style=style)
    assert "step by step" not in asked["simple"][first]
    assert "step by step" in asked["cot"][first]
    assert "Start collaboration!" in asked["spp"][first]
    assert all(sent[0].count(SUM.text) == 1 for sent in asked.values())


@pytest.mark.parametrize("name", ["chateval", "community"])
async def test_agents_of_a_common_history_know_who_they_are(name, store):
    def script(call):
        if call.scene.role in {"debater", "member"}:
            told = "\n".join(each.content for each in call.messages)
            assert f"You are Agent {call.draw.seat + 1}" in told
        return says(call)

    assert (await hold(name, script, store)).failed is None


async def test_medprompt_says_its_verdict_in_the_letters_of_the_question(store):
    def script(call):
        shown = call.scene.question
        return f"Final answer: {shown.letters[shown.choices.index('blue')]}"

    held = await hold("medprompt", script, store, question=COLOURS)
    assert len({turn.text for turn in held.turns}) > 1
    assert {turn.answer for turn in held.turns} == {"C"}
    assert (held.verdict.answer, held.verdict.text) == ("C", "(C) blue")
    again = await hold("medprompt", script, store, question=COLOURS, seed=1)
    assert [turn.order for turn in held.turns] != [turn.order for turn in again.turns]
    other = await hold("medprompt", script, store, question=COLOURS, replicate=1)
    assert [turn.order for turn in held.turns] != [turn.order for turn in other.turns]


async def test_a_node_with_shuffled_choices_is_shown_what_others_chose_in_its_own_letters(store):
    seen = []

    def script(call):
        scene = call.scene
        if scene.agent.startswith("second/"):
            letter = scene.question.letters[scene.question.choices.index("green")]
            assert f"first came to this:\n({letter}) green" in call.messages[-1].content
            seen.append(letter)
            return f"Final answer: {letter}"
        return "Final answer: B"

    nodes = [{"name": "first", "protocol": "single"}, {"name": "second", "protocol": "medprompt"}]
    edges = [["first", "second"], ["second", "judge"]]
    held = await hold(
        "network", script, store, question=COLOURS, nodes=nodes, edges=edges, graph="own"
    )
    assert held.failed is None
    assert len(set(seen)) > 1
    assert held.verdict.answer == "B"


async def test_a_solution_that_is_called_correct_counts_where_the_evaluator_gives_none(store):
    def script(call):
        if call.scene.role == "evaluator":
            return '{"Correctness": 1, "Response": "fine", "Final Answer": ""}'
        return says(call, answer="4" if call.scene.role == "solver" else "9")

    held = await hold("agentverse", script, store)
    assert (held.verdict.answer, held.verdict.by) == ("4", "solver")


async def test_experts_are_known_by_what_they_were_recruited_for(store):
    def script(call):
        if call.scene.role == "role-assigner":
            return '{"experts": ["Number theorist", "Schoolteacher"]}'
        if call.scene.role == "critic":
            assert ("Number theorist", "Schoolteacher")[call.draw.seat - 2] in call.messages[
                0
            ].content
        if call.scene.role == "evaluator":
            assert "Schoolteacher says" in call.messages[-1].content
        return says(call)

    assert (await hold("agentverse", script, store)).failed is None


async def test_the_second_stage_is_cooler_but_not_where_it_has_a_temperature_of_its_own(store):
    for cast, warmth in (([], 0.5), ([{"role": "aggregator", "temperature": 0.9}], 0.9)):
        seen = {}

        def script(call, seen=seen):
            seen[call.scene.role] = call.sampling.temperature
            return says(call)

        await hold("ensemble-refinement", script, store, temperature=0.7, cast=cast)
        assert seen["aggregator"] == warmth
