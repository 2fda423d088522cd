import gzip
import json
from collections import Counter

import pytest

from moot.core.errors import InputError
from moot.datasets import library


@pytest.fixture
def medqa(shared_data):
    assert all(kept.published for kept in library.add("medqa", shared_data / "medqa"))
    return library.questions("medqa")


def test_all_published_rows_are_read(medqa):
    assert [q.id for q in medqa] == [f"medqa-{line}" for line in range(1, 1274)]
    assert Counter(q.answer for q in medqa) == {"A": 353, "B": 309, "C": 346, "D": 265}
    assert {(q.kind, q.letters, q.context) for q in medqa} == {("choice", "ABCD", None)}
    assert all(text and text == text.strip() for q in medqa for text in (q.text, *q.choices))
    assert len({q.text for q in medqa}) == 1273
    assert all(len(set(q.choices)) == 4 for q in medqa)


@pytest.mark.parametrize("line", [1, 640, 1273])
def test_a_question_is_its_line(medqa, shared_data, line):
    [copy] = (shared_data / "medqa").glob("*.jsonl.gz")
    row = json.loads(gzip.decompress(copy.read_bytes()).split(b"\n")[line - 1])
    question = medqa[line - 1]
    assert question.text == row["question"].strip()
    assert question.choices == tuple(row["options"][letter].strip() for letter in "ABCD")
    assert question.choices["ABCD".index(question.answer)] == row["answer"].strip()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"answer_idx": "E"}, "'E'; for kind 'choice' it must be the letter"),
        ({"answer_idx": "A"}, "column 'answer': 'x', but the answer is 'w'"),
        ({"options": {"A": "w", "B": "x", "C": "y"}}, "unknown column 'options.D'"),
        ({"options": ["w", "x", "y", "z"]}, "unknown column 'options.A'"),
        ({"question": None}, "column 'question': it is empty"),
    ],
)
def test_a_damaged_row_is_named_by_its_line(tmp_path, change, why):
    good = {"question": " q ", "answer": "x", "answer_idx": "B"}
    good["options"] = {"A": "w", "B": "x", "C": "y", "D": "z"}
    path = tmp_path / "phrases_no_exclude_test.jsonl"
    path.write_text(f"{json.dumps(good)}\n{json.dumps(good | change)}\n")
    library.add("medqa", path, force=True)
    [first] = library.peek("medqa", 1)
    assert (first.text, first.choices, first.answer) == ("q", ("w", "x", "y", "z"), "B")
    with pytest.raises(InputError, match=r"phrases_no_exclude_test\.jsonl, line 2: ") as caught:
        library.questions("medqa")
    assert why in str(caught.value)


def test_options_go_by_their_letters(tmp_path):
    row = {"question": "q", "answer": "x", "answer_idx": "B"}
    row["options"] = {"B": "x", "A": "w", "C": "y", "D": "z"}
    path = tmp_path / "phrases_no_exclude_test.jsonl"
    path.write_text(json.dumps(row))
    library.add("medqa", path, force=True)
    [question] = library.questions("medqa")
    assert (question.choices, question.answer) == (("w", "x", "y", "z"), "B")


def test_the_training_file_is_of_the_same_form(tmp_path):
    row = {"question": " q ", "answer": "x", "answer_idx": "B"}
    row["options"] = {"A": "w", "B": "x", "C": "y", "D": "z"}
    path = tmp_path / "phrases_no_exclude_train.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"bytes; that one is SHA-256 3a65baf7"):
        library.add("medqa", path)  # its size is not stated
    [kept] = library.add("medqa", path, force=True)
    assert (kept.path.name, kept.published) == (path.name, False)
    [example] = library.training("medqa")
    assert (example.question.id, example.question.answer) == ("medqa-training-1", "B")
    assert example.reason == ""
