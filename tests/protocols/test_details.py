"""What single protocols promise beside the table: letters of another order, and fallbacks."""

from moot.core.questions import Question
from support.debates import hold, says

NAMED = ("red", "green", "blue", "black")
COLOURS = Question(id="colours", kind="choice", text="Which?", choices=NAMED, answer="B")


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
    given = {"nodes": nodes, "edges": edges, "graph": "own"}
    held = await hold("network", script, store, question=COLOURS, **given)
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
