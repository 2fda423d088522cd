import gzip
import json
from collections import Counter

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
def pubmedqa(shared_data):
    assert all(kept.published for kept in library.add("pubmedqa", shared_data / "pubmedqa"))
    return library.questions("pubmedqa")


@pytest.fixture
def rows(shared_data):
    with gzip.open(shared_data / "pubmedqa" / "ori_pqal.json.gz") as file:
        return json.load(file)


@pytest.fixture
def truth(shared_data):
    return json.loads((shared_data / "pubmedqa" / "test_ground_truth.json").read_text())


@pytest.fixture
def own(tmp_path):
    def add(rows, truth):
        (tmp_path / "ori_pqal.json").write_text(json.dumps(rows, indent=1))
        (tmp_path / "test_ground_truth.json").write_text(json.dumps(truth, indent=1))
        library.add("pubmedqa", tmp_path, force=True)

    return add


def test_the_published_test_is_read(pubmedqa, truth):
    assert [q.id for q in pubmedqa] == [f"pubmedqa-{number}" for number in truth]
    assert len(set(truth)) == 500
    assert {(q.kind, q.choices) for q in pubmedqa} == {("choice", ("yes", "no", "maybe"))}
    said = [q.choices["ABC".index(q.answer)] for q in pubmedqa]
    assert said == list(truth.values())
    assert Counter(said) == {"yes": 276, "no": 169, "maybe": 55}


@pytest.mark.parametrize("place", [0, 250, 499])
def test_a_question_has_every_part_of_its_abstract_with_its_label(pubmedqa, rows, place):
    question = pubmedqa[place]
    row = rows[question.id.removeprefix("pubmedqa-")]
    assert question.text == row["QUESTION"]
    parts = [line.partition(": ") for line in question.context.split("\n")]
    assert [label for label, _, _ in parts] == row["LABELS"]
    assert [text for _, _, text in parts] == row["CONTEXTS"]


def test_no_conclusion_is_shown(pubmedqa, rows):
    for question in pubmedqa:
        conclusion = rows[question.id.removeprefix("pubmedqa-")]["LONG_ANSWER"]
        assert conclusion not in question.context


def test_the_training_part_is_the_other_rows(pubmedqa, rows, truth):
    examples = library.training("pubmedqa")
    numbers = [e.question.id.removeprefix("pubmedqa-training-") for e in examples]
    assert sorted([*numbers, *truth]) == sorted(rows)
    assert [e.reason for e in examples] == [rows[number]["LONG_ANSWER"] for number in numbers]
    said = Counter(e.question.choices["ABC".index(e.question.answer)] for e in examples)
    assert said == {"yes": 276, "no": 169, "maybe": 55}
    assert not {e.question.text for e in examples} & {q.text for q in pubmedqa}


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
