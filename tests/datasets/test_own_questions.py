"""A file of questions as it is, each once, with what was taken for what."""

import json
from hashlib import sha256

import pytest

from moot.core.errors import InputError, UnknownName
from moot.datasets import library
from moot.datasets.own_questions import read_own_questions


@pytest.fixture
def save(tmp_path):
    def save(text, name="own.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return save


TABLE = "Question,A,B,C,Answer\nWho?,x,y,z,B\nWhat?,x,y,z,x\nwho? ,x,y,z,B\nWho?,x,y,z,C\n"


def test_equal_questions_are_one_and_all_is_said(save):
    path = save(TABLE)
    found = read_own_questions(path)
    assert [(each.text, each.answer) for each in found.questions] == [("Who?", "B"), ("What?", "A")]
    assert (found.given, found.unique) == (4, 2)
    assert found.columns == {
        "question": "Question", "answer": "Answer", "A": "A", "B": "B", "C": "C",
    }  # fmt: skip
    assert found.file_sha256 == sha256(path.read_bytes()).hexdigest()
    taken, equal = found.notes
    assert "question is 'Question', answer is 'Answer', choices is 'A', 'B', 'C'" in taken
    assert equal.startswith("2 of 4 questions are equal to an earlier one, 1 of them with another")


def test_the_columns_are_those_of_the_dataset_file(save):
    path = save(TABLE)
    found = read_own_questions(str(path))
    again = library.questions("file", path=str(path), columns=found.columns)
    assert [each.id for each in again if each in found.questions] == ["own-2", "own-3"]


def test_columns_correct_what_was_recognised(save):
    path = save("prompt;label;gold;a;b\nq;x;Bird;x;y\n")
    with pytest.raises(InputError, match="column 'gold': 'Bird'; for kind 'choice'"):
        read_own_questions(path)
    found = read_own_questions(path, columns={"answer": "label"})
    assert (found.questions[0].answer, found.columns["answer"]) == ("A", "label")
    found = read_own_questions(path, columns={"choices": "", "answer": "gold"})
    assert (found.questions[0].answer, found.questions[0].choices) == ("Bird", ())
    assert found.columns == {"question": "prompt", "answer": "gold"}
    with pytest.raises(UnknownName, match="unknown column 'lable'; did you mean 'label'"):
        read_own_questions(path, columns={"answer": "lable"})
    with pytest.raises(UnknownName, match="unknown key 'anser'; did you mean 'answer'"):
        read_own_questions(path, columns={"anser": "label"})


def test_a_dataset_has_no_file():
    found = read_own_questions("starters")
    assert found.questions == library.questions("starters")
    assert (found.file_sha256, found.columns, found.notes) == (None, {}, ())
    with pytest.raises(InputError, match="columns, a kind and rows to skip are of files"):
        read_own_questions("starters", columns={"answer": "x"})


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file, and no dataset of this name"):
        read_own_questions(tmp_path / "none.csv")


def test_rows_left_out_are_a_note(save):
    found = read_own_questions(
        save("question,A,B,answer\nq,x,y,A\nr,x,y,goose\n"), skip_unreadable=True
    )
    assert (found.given, len(found.questions)) == (1, 1)
    assert "1 of 2 rows is left out: line 3" in found.notes[1]


def test_a_file_without_a_known_question_is_asked_for_its_columns(save):
    wrong = "none of its columns is known to be the question: Frage, Antwort. Name the columns"
    with pytest.raises(InputError, match=f"{wrong}, as in question=Frage,answer=Antwort"):
        read_own_questions(save("Frage,Antwort\n1+1?,2\n"))
    with pytest.raises(InputError, match="as in question=text,answer=label"):
        read_own_questions(save("text,label\n1+1?,2\n"))


def test_json_on_one_line_has_an_id_for_each_row(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(json.dumps([{"question": f"{n} + 1?", "answer": n + 1} for n in range(3)]))
    found = read_own_questions(path)
    assert [each.id for each in found.questions] == ["own-1", "own-1-2", "own-1-3"]
    assert found.others == ()
