"""The usual columns of a user's file are recognised, in any form of table."""

import csv
import json
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.errors import InputError
from moot.datasets import library, unread_rows
from moot.datasets.dataset import registry

QUESTIONS = ("question", "Question", "PROMPT", "input", " Problem ", "query")
ANSWERS = ("answer", "Answer", "label", "TARGET", "Gold", "correct")
LETTERS = ("{}", "option {}", "Option_{}", "choice-{}")


@pytest.fixture
def save(tmp_path):
    def save(text, name="own.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return save


@pytest.fixture(autouse=True)
def _nothing_was_said(monkeypatch):
    monkeypatch.setattr(unread_rows, "_said", set())


def read(path, **parameters):
    return library.questions("file", path=path, **parameters)


cells = st.text("abc é,;\t\"'|\n$\\\\{}", min_size=1, max_size=12).filter(lambda c: c.strip())


@st.composite
def tables(draw):
    """Draw a header, rows, and the questions that they are, as an independent reading has them."""
    count = draw(st.integers(2, 5))
    form = draw(st.sampled_from(LETTERS))
    lettered = [form.format("ABCDE"[place]) for place in range(count)]
    asked, answered = draw(st.sampled_from(QUESTIONS)), draw(st.sampled_from(ANSWERS))
    header = draw(st.permutations([asked, answered, *lettered, "more"]))
    rows, wanted = [], []
    for number in range(draw(st.integers(1, 4))):
        options = draw(
            st.lists(cells, min_size=count, max_size=count, unique_by=lambda c: c.split() and c)
        )
        options = [f"{place} {text.strip()}" for place, text in enumerate(options)]
        text = f"{number} {draw(cells).strip()}"
        right = draw(st.integers(0, count - 1))
        row = dict(zip(lettered, options, strict=True)) | {"more": "x", asked: text}
        row[answered] = draw(st.sampled_from(["ABCDE"[right], options[right]]))
        rows.append([row[name] for name in header])
        wanted.append((text, tuple(options), "ABCDE"[right]))
    return header, rows, wanted


def write_table(folder, header, rows, form):
    if form in ",;\t":
        text = StringIO(newline="")
        csv.writer(text, delimiter=form).writerows([header, *rows])
        path = folder / ("own.tsv" if form == "\t" else "own.csv")
        path.write_bytes(text.getvalue().encode("utf-8-sig"))
        return path
    tables = [dict(zip(header, row, strict=True)) for row in rows]
    path = folder / ("own.jsonl" if form == "lines" else "own.json")
    if form == "lines":
        path.write_text("".join(json.dumps(each) + "\n" for each in tables))
    else:
        path.write_text(
            json.dumps(tables if form == "list" else {"v": 1, "data": tables}, indent=1)
        )
    return path


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([",", ";", "\t", "lines", "list", "data"]))
def test_what_was_written_is_read_in_every_form(table, form):
    header, rows, wanted = table
    with TemporaryDirectory() as folder:
        found = read(str(write_table(Path(folder), header, rows, form)))
    assert [(each.text, each.choices, each.answer) for each in found] == wanted


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("asked", QUESTIONS)
def test_usual_names_are_read_in_any_case(save, name, asked):
    [one] = read(save(f"{asked},{name}\nq,4\n"))
    assert (one.text, one.answer) == ("q", "4")


def test_the_name_of_a_role_comes_before_other_usual_names(save):
    [one] = read(save("prompt,label,question,answer\nno,5,q,4\n"))
    assert (one.text, one.answer) == ("q", "4")


def test_what_was_taken_for_what_is_said_once_and_a_plain_file_says_nothing(save, caplog):
    path = save("Prompt,Gold\nq,4\n")
    assert read(path) == read(path)
    [said] = [each.message for each in caplog.records]
    assert "question is 'Prompt', answer is 'Gold'; to correct it, say columns = {" in said
    caplog.clear()
    read(save("Question,A,B,answer\nq,x,y,A\n", "plain.csv"))
    assert not caplog.records


def test_columns_correct_and_letters_name_the_columns_of_choices(save):
    path = save("Prompt,first,second,label,answer\nq,x,y,B,nobody\n")
    columns = {"answer": "label", "A": "first", "B": "second"}
    [one] = read(path, columns=columns)
    assert (one.text, one.choices, one.answer) == ("q", ("x", "y"), "B")
    [one] = read(path, columns={"answer": "answer", "choices": ""})
    assert (one.choices, one.answer) == ((), "nobody")


@pytest.mark.parametrize(
    ("answers", "right"),
    [
        ("0 2 1", "ACB"),
        ("1 3 2", "ACB"),
        ("3 3 1", "CCA"),
        ("A 3 b", "ACB"),
        ("0.0 2.0 1.0", "ACB"),
    ],
)
def test_where_answers_count_the_choices_the_file_says_from_where(save, answers, right):
    rows = "".join(f"q{n},x,y,z,{each}\n" for n, each in enumerate(answers.split()))
    found = read(save("question,A,B,C,answer\n" + rows))
    assert [each.answer for each in found] == [*right]


@pytest.mark.parametrize("answers", ["1 2 1", "0 3 1", "2"])
def test_numbers_that_may_count_from_0_or_from_1_are_an_error(save, answers):
    rows = "".join(f"q{n},x,y,z,{each}\n" for n, each in enumerate(answers.split()))
    with pytest.raises(InputError, match=r"line 2: .*say first = 0 or first = 1"):
        read(save("question,A,B,C,answer\n" + rows))


def test_rows_that_cannot_be_read_are_counted_named_and_left_out_on_request(save, caplog):
    rows = [f"q{n},x,y,{'goose' if n % 3 == 0 else 'A'}\n" for n in range(30)]
    path = save("question,A,B,answer\n" + "".join(rows) + 'q30,x\n"q31"z,x,y,A\nq32,x,y,A\n')
    wrong = "line 2: column 'answer': 'goose'.*; 12 of 33 rows cannot be read; to leave"
    with pytest.raises(InputError, match=wrong):
        read(path)
    found = read(path, skip_unreadable=True)
    assert [each.text for each in found] == [f"q{n}" for n in range(30) if n % 3] + ["q32"]
    [said] = [each.message for each in caplog.records]
    assert "12 of 33 rows are left out: line 2: column 'answer': 'goose'" in said
    assert said.endswith("and 9 more")


def test_rows_of_json_lines_are_left_out_too(save):
    text = '{"question": "q", "answer": 1}\n{"question": \n[1]\n{"question": "r", "answer": 2}\n'
    assert [q.answer for q in read(save(text, "own.jsonl"), skip_unreadable=True)] == ["1", "2"]
    text = '[{"question": "q", "answer": 1},\n3,\n{"question": "r", "answer": 2}]'
    assert [q.answer for q in read(save(text, "own.json"), skip_unreadable=True)] == ["1", "2"]


def test_where_no_row_can_be_read_leaving_out_is_an_error(save):
    path = save("question,A,B,answer\nq,x,y,goose\nr,x,y,duck\n")
    for skip in (False, True):
        with pytest.raises(InputError, match=r"'goose'.*; so it is with all 2 rows$"):
            read(path, skip_unreadable=skip)


def test_a_late_parameter_is_in_no_older_run():
    assert "skip_unreadable" not in registry.get("file").check_settings({"path": "x"})
    found = registry.get("file").check_settings({"path": "x", "skip_unreadable": True})
    assert found["skip_unreadable"] is True


def test_a_workbook_is_named(save):
    with pytest.raises(InputError, match="no workbooks; save the sheet as CSV"):
        read(save("PK", "own.xlsx"))
