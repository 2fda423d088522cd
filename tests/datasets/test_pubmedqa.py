import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROW = {
    "QUESTION": "Do pens help?",
    "CONTEXTS": ["Pens are common.", "Of 9 pens, 8 did."],
    "LABELS": ["BACKGROUND", "RESULTS"],
    "LONG_ANSWER": "They do.",
    "final_decision": "yes",
}


@pytest.fixture
def own(lay_in):
    def add(rows, truth):
        files = {"ori_pqal.json": rows, "test_ground_truth.json": truth}
        lay_in("pubmedqa", {name: json.dumps(each, indent=1) for name, each in files.items()})

    return add


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"final_decision": "perhaps"}, "Invalid enum value 'perhaps'"),
        ({"CONTEXTS": ["one"]}, "1 contexts and 2 labels"),
        ({"CONTEXTS": [], "LABELS": []}, "0 contexts and 0 labels"),
        ({"QUESTION": 3}, "Expected `str`"),
    ],
)
def test_a_damaged_row_is_named_by_its_line(own, change, why):
    own({"1": ROW, "2": ROW | change}, {"1": "yes", "2": "yes"})
    [first] = library.peek("pubmedqa", 1)
    assert first.context == "BACKGROUND: Pens are common.\nRESULTS: Of 9 pens, 8 did."
    with pytest.raises(InputError, match=r"ori_pqal\.json, line 15: ") as caught:
        library.questions("pubmedqa")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("said", "line", "why"),
    [
        ({"1": "yes", "2": "no"}, 3, "the decision is 'no', in ori_pqal.json 'yes'"),
        ({"1": "yes", "9": "yes"}, 3, "ori_pqal.json has no row '9'"),
        ({"1": True}, 2, "Expected `str`"),
        (["yes"], 1, "Expected `object`"),
    ],
)
def test_a_damaged_decision_is_named_by_its_line(own, said, line, why):
    own({"1": ROW, "2": ROW}, said)
    with pytest.raises(InputError, match=rf"test_ground_truth\.json, line {line}: ") as caught:
        library.questions("pubmedqa")
    assert why in str(caught.value)
