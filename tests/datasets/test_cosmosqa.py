import csv
import gzip
from collections import Counter

import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.datasets import library

HEADER = "id,context,question,answer0,answer1,answer2,answer3,label\n"
GOOD = "x#1,We left at ten .,Why so early ?,Rain .,Sleep .,Hunger .,None of the above choices .,1\n"
NONE = "None of the above choices ."


@pytest.fixture
def cosmosqa(shared_data):
    assert all(kept.published for kept in library.add("cosmosqa", shared_data / "cosmosqa"))
    return library.questions("cosmosqa")


def test_all_published_rows_are_read(cosmosqa):
    assert [q.id for q in cosmosqa] == [f"cosmosqa-{row}" for row in range(1, 2986)]
    assert Counter(q.answer for q in cosmosqa) == {"A": 744, "B": 729, "C": 761, "D": 751}
    assert {(q.kind, q.letters) for q in cosmosqa} == {("choice", "ABCD")}
    assert all(q.text and q.context and all(q.choices) for q in cosmosqa)


def test_no_question_is_without_its_passage_or_taken_for_it(cosmosqa):
    assert all(q.text not in {q.context, *q.choices} for q in cosmosqa)
    assert sum("?" in q.text for q in cosmosqa) > 2900
    assert len({(q.context, q.text) for q in cosmosqa}) == 2985 - 382
    assert len({(q.context, q.text, q.choices) for q in cosmosqa}) == 2985


def test_none_of_the_above_is_a_choice_like_others(cosmosqa):
    places = Counter(q.choices.index(NONE) for q in cosmosqa if NONE in q.choices)
    assert sum(places.values()) == 2187
    assert set(places) == {0, 1, 2, 3}


@pytest.mark.parametrize("row", [1, 1500, 2985])
def test_a_question_is_its_row(cosmosqa, shared_data, row):
    copy = shared_data / "cosmosqa" / "valid.csv.gz"
    with gzip.open(copy, "rt", encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))[row - 1]
    question = cosmosqa[row - 1]
    assert (question.context, question.text) == (cells["context"], cells["question"])
    right = question.choices["ABCD".index(question.answer)]
    assert right == cells[f"answer{cells['label']}"]
    assert question.choices == tuple(cells[f"answer{place}"] for place in range(4))


def test_the_training_file_is_of_the_same_form(tmp_path):
    (tmp_path / "train.csv").write_text(HEADER + GOOD)
    [kept] = library.add("cosmosqa", tmp_path / "train.csv", force=True)
    assert (kept.path.name, kept.published) == ("train.csv", False)
    [example] = library.training("cosmosqa")
    assert example.reason == ""
    assert example.question == Question(
        id="cosmosqa-training-1",
        kind="choice",
        text="Why so early ?",
        context="We left at ten .",
        choices=("Rain .", "Sleep .", "Hunger .", NONE),
        answer="B",
    )


@pytest.mark.parametrize("row", ["x#2,c,q,a,b,c,d,4", "x#2,c,q,a,b,c,1", "x#2,c,q,a,b,c,d,"])
def test_a_damaged_row_is_named_by_its_line(tmp_path, row):
    path = tmp_path / "valid.csv"
    path.write_text(HEADER + GOOD + row + "\n")
    library.add("cosmosqa", path, force=True)
    assert library.peek("cosmosqa", 1)[0].answer == "B"
    with pytest.raises(InputError, match=r"valid\.csv, line 3: "):
        library.questions("cosmosqa")
