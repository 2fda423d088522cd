"""An opening that a question cannot have is an error before anything is asked or paid."""

import json

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.plan import Plan
from moot.studies.study import load


@pytest.fixture
def planned(tmp_path):
    """A plan over questions of a file, with arms by opening."""

    def plan(questions, *openings, **more):
        lines = [json.dumps(each) for each in questions]
        (tmp_path / "own.jsonl").write_text("\n".join(lines))
        arms = [{"protocol": "single", "opening": list(openings)}] if openings else []
        study = {
            "name": "x",
            "settings": {"model": "scripted?reply=4"},
            "datasets": [{"name": "file", "label": "mine", "path": str(tmp_path / "own.jsonl")}],
            "arms": arms,
        }
        return Plan(load(study | more))

    return plan


KNOWN = {"id": "a", "kind": "number", "question": "2+2?", "answer": "4"}
UNKNOWN = {"id": "b", "kind": "number", "question": "How many?"}
TEXT = {"id": "c", "kind": "text", "question": "Which town?", "answer": "Paris"}
OPTION = {"id": "d", "kind": "choice", "question": "Which?", "choices": ["w", "x"]}


@pytest.mark.parametrize(
    ("question", "opening", "said"),
    [
        (UNKNOWN, "control-right", "question 'b': opening = 'control-right': its right answer"),
        (UNKNOWN, "control-random", "question 'b': opening = 'control-random': its right answer"),
        (TEXT, "control-wrong", "question 'c': opening = 'control-wrong': .* free text"),
        (OPTION, "control-wrong", "question 'd': opening = 'control-wrong': its right answer"),
    ],
)
def test_dataset_arm_and_question_are_named(planned, question, opening, said):
    where = rf"study: arm 'single opening={opening}', dataset 'mine': {said}"
    with pytest.raises(InputError, match=where):
        planned([KNOWN, question], "open", opening)


def test_what_can_be_is_planned(planned):
    assert planned([KNOWN, UNKNOWN, TEXT, OPTION], "open").size == 4
    assert planned([OPTION], "open", "control-random").size == 2
    assert planned([TEXT], "control-right").size == 1


def test_a_network_is_looked_at_too(planned):
    nodes = [{"name": "A"}, {"name": "B"}]
    arm = {"protocol": "hopfield", "nodes": nodes, "opening": "control-right"}
    with pytest.raises(InputError, match="arm 'hopfield', dataset 'mine': question 'b'"):
        planned([UNKNOWN], arms=[arm])


@pytest.mark.parametrize("opening", ["control-right", "control-wrong"])
async def test_a_question_that_is_asked_has_no_known_answer(tmp_path, opening):
    calls = []
    model = moot.Scripted(lambda call: calls.append(call) or "4")
    given = {"protocol": "single", "model": model, "store": tmp_path, "opening": opening}
    with pytest.raises(InputError, match=f"opening = '{opening}': its right answer is not known"):
        await moot.ask("2+2?", kind="number", **given)
    assert not calls
    assert not list(tmp_path.iterdir())


async def test_it_can_be_asked_whether_any_option_is_right(tmp_path):
    model = moot.Scripted(lambda call: f"Final answer: {call.scene.opening[0]}")
    given = {"protocol": "single", "model": model, "store": tmp_path}
    answers = set()
    for seed in range(12):
        told = await moot.ask(
            "Which?", choices=["w", "x", "y"], opening="control-random", seed=seed, **given
        )
        answers.add(told.answer)
    assert answers == {"A", "B", "C"}
