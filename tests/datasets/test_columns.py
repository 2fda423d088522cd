"""Rows of any format become questions, by a mapping of columns."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
from msgspec import UNSET

from moot.core.errors import InputError, UnknownName
from moot.datasets import library

ROWS = [
    {"ask": "Which bird cannot fly?", "a": "robin", "b": "emu", "c": "swift", "label": "B"},
    {"ask": "Which bird sings?", "a": "robin", "b": "emu", "c": "stork", "label": "robin"},
    {"ask": "Which bird swims?", "a": "swift", "b": "duck", "c": "", "label": "b"},
]
COLUMNS = {"question": "ask", "choices": ["a", "b", "c"], "answer": "label"}
ANSWERS = [("A", "B", "C"), ("B", "A", "B")]


@pytest.fixture
def write(tmp_path):
    """Write rows in the format the name says; gives the path."""

    def write(rows, name="birds.jsonl"):
        path = tmp_path / name
        if path.suffix == ".parquet":
            from pyarrow import Table, parquet

            parquet.write_table(Table.from_pylist(rows), path)
        elif path.suffix == ".csv":
            lines = [rows[0], *(row.values() for row in rows)]
            path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
        elif path.suffix == ".json":
            path.write_text(json.dumps(rows, indent=1))
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    return write


@pytest.fixture
def save(tmp_path):
    def save(text, name="own.csv"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return save


def read(path, **parameters):
    return library.questions("file", path=path, **parameters)


@pytest.fixture(params=["jsonl", "json", "csv", "parquet"])
def suffix(request):
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    return request.param


def test_every_format_gives_the_same_questions(write, suffix):
    found = read(write(ROWS, f"birds.{suffix}"), columns=COLUMNS)
    assert [(q.kind, q.answer) for q in found] == [("choice", letter) for letter in "BAB"]
    assert [q.text for q in found] == [row["ask"] for row in ROWS]
    assert [q.choices for q in found] == [
        ("robin", "emu", "swift"), ("robin", "emu", "stork"), ("swift", "duck"),
    ]  # fmt: skip
    assert len({q.id for q in found}) == 3
    start = {"jsonl": 1, "json": 2, "csv": 2, "parquet": 1}[suffix]  # a line, or a row
    assert found[0].id == f"birds-{start}"


def test_what_is_wrong_is_named_with_file_place_column_and_the_valid_ones(write, suffix):
    rows = [ROWS[0], ROWS[1] | {"label": "goose"}]
    path = write(rows, f"birds.{suffix}")
    place = {"jsonl": "line 2", "json": "line 9", "csv": "line 3", "parquet": "row 2"}[suffix]
    with pytest.raises(InputError, match=rf"birds\.{suffix}, {place}: column 'label': 'goose'; "):
        read(path, columns=COLUMNS)
    first = {"jsonl": "line 1", "json": "line 2", "csv": "line 2", "parquet": "row 1"}[suffix]
    with pytest.raises(
        UnknownName,
        match=rf"{first}: unknown column 'labl'; did you mean 'label'\? Valid: a, ask, b, c, label",
    ):
        read(path, columns=COLUMNS | {"answer": "labl"})
    with pytest.raises(
        UnknownName, match=rf"{first}: name its .*: unknown column 'question'; .*Valid: a, ask"
    ):
        read(path)


def test_parquet_has_lists_numbers_and_nothing(write):
    pytest.importorskip("pyarrow")
    rows = [
        {"question": "Which flies?", "choices": ["emu", "owl"], "answer": 1, "id": 7, "more": 0},
        {"question": "Which runs?", "choices": ["emu", "owl"], "answer": None, "id": 8, "more": 0},
    ]
    many = [rows[0] | {"id": place} for place in range(2500)]
    one, two = read(write(rows, "birds.parquet"), first=0)
    assert (one.id, one.choices, one.answer) == ("7", ("emu", "owl"), "B")
    assert (two.id, two.kind, two.answer) == ("8", "choice", None)
    assert [q.id for q in read(write(many, "many.parquet"), first=0)] == list(map(str, range(2500)))


@pytest.mark.parametrize(
    ("row", "parameters", "kind", "answer"),
    [
        ({"answer": 12}, {}, "number", "12"), ({"answer": 12.5}, {}, "number", "12.5"),
        ({"answer": "1,450"}, {}, "number", "1450"), ({"answer": True}, {}, "boolean", "true"),
        ({"answer": "Yes"}, {"kind": "boolean"}, "boolean", "true"),
        ({"answer": "E5"}, {"kind": "square"}, "square", "e5"),
        ({"answer": "1984"}, {"kind": "text"}, "text", "1984"),
        ({"answer": "1984", "kind": "text"}, {"kind": "number"}, "text", "1984"),
        ({"answer": ["Ann Lee", "A. Lee"]}, {}, "text", ("Ann Lee", "A. Lee")),
        ({"answer": None}, {}, "text", None), ({}, {}, "text", None),
        ({"answer": "", "kind": "number"}, {}, "number", None),
        ({"answer": 2, "choices": ["x", "y"]}, {"first": 1}, "choice", "B"),
        ({"answer": 0, "choices": ["x", "y"]}, {"first": 0}, "choice", "A"),
        ({"answer": 1.0, "choices": ["x", "y"]}, {"first": 0}, "choice", "B"),
        ({"answer": [0, 1], "choices": ["x", "y"]}, {"first": 0}, "choice", ("A", "B")),
        ({"answer": 7, "choices": [3, 7]}, {}, "choice", "B"),
        ({"answer": "y", "choices": "x| y"}, {}, "choice", "B"),
        ({"answer": "B) gold", "choices": ["iron", "gold"]}, {}, "choice", "B"),
        ({"answer": "It is gold. #### B", "choices": ["iron", "gold"]}, {}, "choice", "B"),
        ({"answer": r"So $\boxed{B}$.", "choices": ["iron", "gold"]}, {}, "choice", "B"),
        ({"answer": "D", "choices": ["Up", "Same", "Down", "Up"]}, {}, "choice", ("A", "D")),
        ({"answer": "Aa", "choices": ["AA", "Aa", "aa"]}, {}, "choice", "B"),
        ({"answer": "$18"}, {}, "number", "18"), ({"answer": "2 1/4"}, {}, "number", "2.25"),
        ({"answer": r"\frac12"}, {}, "number", "1/2"),
        ({"answer": "twelve"}, {"kind": "number"}, "number", "12"),
        ({"answer": "Six and nine. #### 1,015"}, {"kind": "number"}, "number", "1015"),
        ({"answer": r"It is $\boxed{\frac{3}{4}}$."}, {"kind": "number"}, "number", "3/4"),
    ],
)  # fmt: skip
def test_answers_are_canonical(write, row, parameters, kind, answer):
    [question] = read(write([{"question": " Which? "} | row]), **parameters)
    assert (question.text, question.kind, question.answer) == ("Which?", kind, answer)


@pytest.mark.parametrize(
    ("row", "parameters", "said"),
    [
        ({"answer": "e5"}, {}, "column 'answer': 'e5' fits several kinds: say kind, one of choice"),
        ({"answer": "no", "kind": "maybe"}, {}, "column 'kind': 'maybe' is not one of choice, boo"),
        ({"answer": {"text": "x"}}, {}, "column 'answer': expected a text, got dict"),
        ({"answer": [["x"]]}, {}, "column 'answer': expected a text, got list"),
        ({"answer": "some"}, {"kind": "number"}, "column 'answer': 'some'; .*a number such as 3"),
        ({"answer": "2 or 3"}, {"kind": "number"}, "a number such as 3"),
        ({"answer": "12 cm"}, {"kind": "number"}, "a number such as 3"),
        ({"answer": "B) iron", "choices": ["iron", "gold"]}, {}, "the letter or the text"),
        ({"answer": "A or B", "choices": ["iron", "gold"]}, {}, "the letter or the text"),
        ({"answer": 2, "choices": ["x", "y"]}, {"first": 0}, "2; .* must be a number from 0 to 1"),
        ({"answer": 0, "choices": ["x", "y"]}, {"first": 1}, "0; .* must be a number from 1 to 2"),
        ({"answer": "C", "choices": ["x", "y"]}, {}, "'C'; .* the letter or the text of one of"),
        ({"choices": ["x"]}, {}, "column 'choices': the kind is 'choice', with 1 choices"),
        ({"choices": ["x"] * 27}, {}, "the kind is 'choice', with 27 choices; .*2 to 26"),
        ({"choices": ["x", "y"]}, {"kind": "text"}, "the kind is 'text', with 2 choices"),
        ({"choices": []}, {"kind": "choice"}, "the kind is 'choice', with 0 choices"),
        ({"choices": ["x", " "]}, {}, "column 'choices': expected a list of texts"),
        ({"choices": ["a", None, "b"]}, {}, "none of them empty"),
        ({"choices": {"a": {"b": 1}}}, {}, "column 'choices': expected a list of texts"),
        ({"question": " "}, {}, "column 'question': it is empty"),
        ({"question": None}, {}, "column 'question': it is empty"),
        ({"question": ["x"]}, {}, "column 'question': expected a text, got list"),
        ({"context": {"x": 1}}, {}, "column 'context': expected a text, got dict"),
        ({"id": True}, {}, "column 'id': expected a text, got bool"),
        ({"id": "one"}, {}, "the id 'one' is also in .*birds.jsonl, line 1"),
    ],
)  # fmt: skip
def test_a_row_that_is_no_question_is_named(write, row, parameters, said):
    path = write([{"question": "Which?", "id": "one"} | row])
    if "is also in" in said:
        path = write([{"question": "Which?", "id": "one"}, {"question": "Why?"} | row])
    place = "line 2" if "is also in" in said else "line 1"
    with pytest.raises(InputError, match=rf"birds\.jsonl, {place}: .*{said}"):
        read(path, **parameters)


def test_without_a_path_it_says_what_to_give():
    with pytest.raises(InputError, match=r"path is not given; name a file, as in path = 'my.jsonl"):
        library.questions("file")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"qestion": "ask"}, "'columns': unknown key 'qestion'; did you mean 'question'"),
        ({"answer": ["a", "b"]}, r"answer = \['a', 'b'\]: name one column"),
        ({"choices": ["a"]}, r"choices = \['a'\]: name one column"),
        ({"question": 3}, "parameter 'columns': Expected `str"),
    ],
)
def test_a_wrong_mapping_is_named(write, columns, said):
    with pytest.raises(InputError, match=said):
        read(write(ROWS), columns=columns)


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("none.jsonl", None, r"none\.jsonl cannot be read: No such file"),
        ("birds.parquet", b"PAR1 and no more", r"birds\.parquet cannot be read: "),
        ("birds.jsonl", b'{"question": "x"}\n{', r"birds\.jsonl, line 2: "),
        ("birds.jsonl", b'{"question": "\xff"}', r"birds\.jsonl, line 1: "),
        ("birds.json", b'[{"question": "x"},\n3]', r"birds\.json, line 2: Expected `object`"),
        ("birds.jsonl", b'{"question": "x", "answer": NaN}', "NaN is no value of JSON"),
        ("birds.json", b'[{"question": "x", "answer": NaN}]', "NaN is no value of JSON"),
        ("birds.csv", b"question,answer\nx\n", r"birds\.csv, line 2: it has 1 cells, the header 2"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, held, said):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    if held is not None:
        (tmp_path / name).write_bytes(held)
    with pytest.raises(InputError, match=said):
        read(str(tmp_path / name))


def test_without_pyarrow_parquet_is_an_error_that_says_what_to_install(save, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as where it is not installed
    with pytest.raises(InputError, match=r"birds\.parquet: to read Parquet, pip install 'moot\[d"):
        read(save("PAR1", "birds.parquet"))


def test_a_template_has_columns_in_braces(write):
    rows = [{"goal": " Sing ", "no": 7, "in": {"key": "g"}}, {"goal": "Hum", "no": 8, "in": {}}]
    columns = {"question": "Goal {no}: {goal}!", "id": "{dataset}/{row}/{line}/{in.key}"}
    path = write(rows)
    with pytest.raises(UnknownName, match=r"birds\.jsonl, line 2: unknown column 'in\.key'"):
        read(path, columns=columns)
    [question] = read(write(rows[:1]), columns=columns)
    assert (question.text, question.id) == ("Goal 7: Sing!", "file/1/1/g")
    with pytest.raises(InputError, match="line 1: column 'goal': expected a text"):
        read(write([{"goal": " ", "no": 7}]), columns={"question": "{goal}?"})


def test_a_second_column_must_say_the_same_answer(write):
    row = {"question": "q", "a": "x", "b": "y", "label": "B", "text": "y"}
    columns = {"choices": ["a", "b"], "answer": "label", "answer_again": "text"}
    [question] = read(write([row]), columns=columns)
    assert question.answer == "B"
    with pytest.raises(InputError, match="column 'text': 'x', but the answer is 'y'"):
        read(write([row | {"text": "x"}]), columns=columns)


ARC = [
    {"id": "x", "choices": {"text": ["iron", "gold"], "label": ["1", "2"]}, "answerKey": "1"},
    {"id": "y", "choices": {"text": ["gold", "ice"], "label": ["A", "B"]}, "answerKey": "B"},
]
ARC_COLUMNS = {"question": "question", "choices": "choices.text", "answer": "answerKey", "id": "id"}


@pytest.mark.parametrize("more", [{}, {"labels": "choices.label"}])
@pytest.mark.parametrize("name", ["arc.jsonl", "arc.json", "arc.parquet"])
def test_labels_of_two_forms_in_a_file_are_the_row_s_own(write, name, more):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    rows = [{"question": "Which melts?"} | row for row in ARC]
    found = read(write(rows, name), columns=ARC_COLUMNS | more)
    told = [(q.id, q.answer, q.choices[0]) for q in found]
    assert told == [("x", "A", "iron"), ("y", "B", "gold")]


def test_the_example_of_the_docs_reads_such_a_file():
    text = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text("utf-8")
    shown = text.partition("ai2_arc")[2].partition("columns = ")[2].partition("\n")[0]
    assert tomllib.loads(f"columns = {shown}")["columns"].items() >= ARC_COLUMNS.items()


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        ([{"text": "iron", "label": "1"}, {"text": "ice", "label": "2"}], "2", "B"),
        ({"A": "iron", "B": "ice", "C": None}, "B", "B"),
        ({"1": "iron", "2": "ice"}, "2", "B"),
        ({"opa": "iron", "opb": "ice"}, "opb", "B"),
        ({"A": "iron", "B": "ice"}, "ice", "B"),
        ({"text": ["iron", "ice"], "label": ["1", "2"]}, "2", "B"),
        (["iron", "ice", None, None], "B", "B"),
    ],
)
def test_choices_may_be_tables(write, choices, answer, right):
    [one] = read(write([{"question": "q", "choices": choices, "answer": answer}]))
    assert (one.choices, one.answer) == (("iron", "ice"), right)


def test_a_number_is_a_place_where_other_rows_have_letters(write):
    rows = [
        {"question": "q", "choices": ["iron", "ice"], "answer": "2"},
        {"question": "r", "choices": ["iron", "ice"], "answer": "A"},
        {"question": "s", "choices": ["2", "1"], "answer": "2"},
    ]
    assert [q.answer for q in read(write(rows))] == ["B", "A", "A"]
    with pytest.raises(InputError, match=r"line 1: .*say first = 0 or first = 1"):
        read(write(rows[:1], "places.jsonl"))
    with pytest.raises(InputError, match="line 1"):  # counted from 0 or from 1
        read(write([*rows, {"question": "t", "choices": ["a", "b"], "answer": "0"}], "zero.jsonl"))


def test_a_letter_that_is_the_text_of_another_choice_is_not_guessed(write):
    odd = {"question": "q", "choices": ["B", "A"], "answer": "A"}
    with pytest.raises(InputError, match=r"'A' is a letter, and the text of \(B\): write \(A\) or"):
        read(write([odd]))
    columns = {"question": "question", "choices": "choices", "answer": "({answer})"}
    for row, given in (
        (odd | {"answer": "(A)"}, {}),
        (odd, {"columns": columns}),
        (odd | {"choices": ["A", "B"]}, {}),
    ):
        assert [one.answer for one in read(write([row]), **given)] == ["A"]


@pytest.mark.parametrize("cell", ["['a b', 'c, d']", '["a b", "c, d"]', "a b|c, d"])
def test_choices_in_one_text_are_a_list_or_parted(save, cell):
    quoted = cell.replace('"', '""')
    [one] = read(save(f'question,choices,answer\nq,"{quoted}",B\n'))
    assert (one.choices, one.answer) == (("a b", "c, d"), "B")


def test_a_header_in_capitals_and_with_blanks_is_read(save):
    [one] = read(save("Question,A,B,C,D, Answer\nq,iron,gold,tin,zinc,B\n"))
    assert (one.text, one.choices, one.answer) == ("q", ("iron", "gold", "tin", "zinc"), "B")
    assert read(save("question, answer\nq,4\n"))[0].answer == "4"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("question,answer,answer\nq,1,2\n", "line 1: the header has the column 'answer' twice"),
        ("question|answer\nq|1\n", r"line 1: .* separated by bars \(\|\), not by commas"),
        ("question,choices,answer\nq,a;b,A\n", r"with 1 choices; .* choices are a\|b or a JSON l"),
        ("question,answer,secret\nq,4,perhaps\n", "column 'secret': 'perhaps'; it is true or fal"),
        ("", "no questions"),
        ("question,answer\n", "no questions"),
    ],
)
def test_a_table_that_misleads_is_named(save, text, why):
    with pytest.raises(InputError, match=why):
        read(save(text))


@pytest.mark.parametrize("name", ["own.jsonl", "own.json", "own.csv"])
def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path, name):
    text = {"own.json": '[{"question": "2+2?", "answer": 4}]', "own.csv": "question,answer\n2+2?,4"}
    text = text.get(name, '{"question": "2+2?", "answer": 4}')
    path = tmp_path / name
    path.write_text(text, encoding="utf-8-sig")
    assert read(str(path))[0].answer == "4"
    path.write_text(text, encoding="utf-16")
    with pytest.raises(InputError, match="line 1: UTF-16, not UTF-8: save the file as UTF-8"):
        read(str(path))


@pytest.mark.parametrize(
    ("open_", "cells"), [(False, ("true", "True", "yes", "1")), (True, ("false", "", "no"))]
)
def test_secret_is_read_from_a_column(save, open_, cells):
    for said in cells:
        [one] = read(save(f"question,answer,secret\nq,4,{said}\n"))
        assert one.secret is (UNSET if open_ else True)


def test_secret_of_another_shape_is_an_error_and_without_it_a_question_is_open(save):
    text = '{"question": "q", "answer": 4, "secret": %s}\n'
    for said in ("null", "false", '""', "0", '"No"'):
        assert read(save(text % said, "own.jsonl"))[0].secret is UNSET
    for said in ("[true]", '{"v": true}', "{}", "2"):
        with pytest.raises(InputError, match=r"line 1: column 'secret': .*it is true or false"):
            read(save(text % said, "own.jsonl"))


@pytest.mark.parametrize("name", ["anwser", "answers", "Correct Answer", "answerKey"])
def test_a_column_that_is_nearly_answer_is_named(save, name):
    with pytest.raises(InputError, match=f"line 2: no column 'answer'; did you mean '{name}'"):
        read(save(f"question,{name}\nq,4\n"))
    assert read(save(f"question,answer,{name}\nq,4,5\n"))[0].answer == "4"
    assert read(save(f"question,{name}\nq,\n"))[0].answer is None


@pytest.mark.parametrize(
    "name", ["answered", "answer_type", "incorrect_answers", "key", "incorrect"]
)
def test_a_file_may_have_no_answers(save, name):
    assert read(save(f"question,{name}\nq,4\n"))[0].answer is None
