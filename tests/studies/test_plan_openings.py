"""An opening that a question cannot have is an error before anything is asked or paid."""

import json

import pytest

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


@pytest.mark.parametrize(
    ("question", "opening", "said"),
    [
        (UNKNOWN, "control-right", "question 'b': opening = 'control-right': its right answer"),
        (TEXT, "control-wrong", "question 'c': opening = 'control-wrong': .* free text"),
    ],
)
def test_dataset_arm_and_question_are_named(planned, question, opening, said):
    where = rf"study: arm 'single opening={opening}', dataset 'mine': {said}"
    with pytest.raises(InputError, match=where):
        planned([KNOWN, question], "open", opening)
    nodes = [{"name": "A"}, {"name": "B"}]  # a network is looked at, too
    arm = {"protocol": "hopfield", "nodes": nodes, "opening": "control-right"}
    with pytest.raises(InputError, match="arm 'hopfield', dataset 'mine': question 'b'"):
        planned([UNKNOWN], arms=[arm])
