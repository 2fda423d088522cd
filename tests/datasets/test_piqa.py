import json
from collections import Counter

import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROW = '{"goal": " g", "sol1": "a ", "sol2": "b"}\n'


@pytest.fixture
def piqa(shared_data):
    assert all(kept.published for kept in library.add("piqa", shared_data / "piqa"))
    return library.questions("piqa")


@pytest.fixture
def own(tmp_path):
    def add(rows, labels):
        (tmp_path / "valid.jsonl").write_text(rows)
        (tmp_path / "valid-labels.lst").write_text(labels)
        library.add("piqa", tmp_path, force=True)

    return add


def test_all_published_rows_are_read(piqa):
    assert [q.id for q in piqa] == [f"piqa-{line}" for line in range(1, 1839)]
    assert Counter(q.answer for q in piqa) == {"A": 910, "B": 928}
    assert {(q.kind, q.letters, q.context) for q in piqa} == {("choice", "AB", None)}
    assert all(text and text == text.strip() for q in piqa for text in (q.text, *q.choices))
    assert all(q.choices[0] != q.choices[1] for q in piqa)


def test_goals_are_repeated_and_ids_are_not(piqa):
    assert len({q.text for q in piqa}) < len({q.id for q in piqa}) == 1838


@pytest.mark.parametrize("line", [1, 919, 1838])
def test_a_question_is_its_line(piqa, shared_data, line):
    folder = shared_data / "piqa"
    row = json.loads((folder / "valid.jsonl").read_text("utf-8").split("\n")[line - 1])
    label = int((folder / "valid-labels.lst").read_text().split()[line - 1])
    question = piqa[line - 1]
    goal, _, asked = question.text.rpartition("\n\n")
    assert goal == f"Goal: {row['goal'].strip()}"
    assert asked == "Which of these two solutions reaches it?"
    assert question.choices == (row["sol1"].strip(), row["sol2"].strip())
    assert question.choices["AB".index(question.answer)] == row[f"sol{label + 1}"].strip()


@pytest.mark.parametrize(
    ("rows", "labels", "where"),
    [
        (ROW * 2, "1\n2\n", r"valid-labels\.lst, line 2: the label is neither 0 nor 1"),
        (ROW * 2, "1\n\n0\n", r"valid-labels\.lst, line 2: the label is neither"),
        (ROW * 2, "1\n", r"valid-labels\.lst, line 2: there is no label for line 2 of valid"),
        (ROW * 2, "1\n0\n1\n", r"valid-labels\.lst, line 3: valid\.jsonl has no question on this"),
        (ROW + '{"goal": "g", "sol1": "a"}\n', "1\n0\n", r"valid\.jsonl, line 2: .*'sol2'"),
        (ROW + "{\n", "1\n0\n", r"valid\.jsonl, line 2: "),
    ],
)
def test_damage_is_named_by_its_file_and_line(own, rows, labels, where):
    own(rows, labels)
    with pytest.raises(InputError, match=where):
        library.questions("piqa")


def test_a_label_is_that_of_its_line(own):
    own(ROW * 3, "1\r\n0\r\n1")
    assert [q.answer for q in library.questions("piqa")] == ["B", "A", "B"]
    assert library.peek("piqa", 1)[0].choices == ("a", "b")
