"""Rows of any format become questions, by a mapping of columns."""

import json
import subprocess
import sys

import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Question
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


def test_what_a_dataset_prints_is_read_without_a_mapping(tmp_path):
    questions = [
        *(q for q in library.questions("starters") if isinstance(q.answer, str)),
        Question(id="o", kind="text", text="Why?", context="It rains."),
        Question(id="t", kind="number", text="Half?", answer=("0.5", "1/2")),
    ]
    path = tmp_path / "printed.jsonl"
    encode = library.msgspec.json.encode
    path.write_bytes(b"\n".join(map(encode, questions)))
    assert read(str(path)) == questions


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
        ({"answer": 12}, {}, "number", "12"),
        ({"answer": 12.5}, {}, "number", "12.5"),
        ({"answer": "1,450"}, {}, "number", "1450"),
        ({"answer": True}, {}, "boolean", "true"),
        ({"answer": "Yes"}, {"kind": "boolean"}, "boolean", "true"),
        ({"answer": "E5"}, {"kind": "square"}, "square", "e5"),
        ({"answer": "1984"}, {"kind": "text"}, "text", "1984"),
        ({"answer": "1984", "kind": "text"}, {"kind": "number"}, "text", "1984"),
        ({"answer": ["Ann Lee", "A. Lee"]}, {}, "text", ("Ann Lee", "A. Lee")),
        ({"answer": None}, {}, "text", None),
        ({}, {}, "text", None),
        ({"answer": "", "kind": "number"}, {}, "number", None),
        ({"answer": 2, "choices": ["x", "y"]}, {"first": 1}, "choice", "B"),
        ({"answer": 0, "choices": ["x", "y"]}, {"first": 0}, "choice", "A"),
        ({"answer": 1.0, "choices": ["x", "y"]}, {"first": 0}, "choice", "B"),
        ({"answer": [0, 1], "choices": ["x", "y"]}, {"first": 0}, "choice", ("A", "B")),
        ({"answer": 7, "choices": [3, 7]}, {}, "choice", "B"),
        ({"answer": "y", "choices": "x| y"}, {}, "choice", "B"),
    ],
)
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
        ({"answer": 2, "choices": ["x", "y"]}, {"first": 0}, "2; .* must be a number from 0 to 1"),
        ({"answer": 0, "choices": ["x", "y"]}, {"first": 1}, "0; .* must be a number from 1 to 2"),
        ({"answer": "C", "choices": ["x", "y"]}, {}, "'C'; .* the letter or the text of one of"),
        ({"choices": ["x"]}, {}, "column 'choices': the kind is 'choice', with 1 choices"),
        ({"choices": ["x"] * 27}, {}, "the kind is 'choice', with 27 choices; .*2 to 26"),
        ({"choices": ["x", "y"]}, {"kind": "text"}, "the kind is 'text', with 2 choices"),
        ({"choices": []}, {"kind": "choice"}, "the kind is 'choice', with 0 choices"),
        ({"choices": ["x", " "]}, {}, "column 'choices': expected a list of texts"),
        ({"choices": {"a": "x"}}, {}, "column 'choices': expected a list of texts"),
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


def test_columns_that_are_not_named_are_not_read(write):
    path = write([{"ask": "Which?", "id": "one", "answer": {"no": "answer"}}])
    [question] = read(path, columns={"question": "ask"})
    assert (question.id, question.answer) == ("birds-1", None)


@pytest.mark.parametrize(
    ("name", "held", "said"),
    [
        ("none.jsonl", None, r"none\.jsonl cannot be read: No such file"),
        ("birds.parquet", b"PAR1 and no more", r"birds\.parquet cannot be read: "),
        ("birds.jsonl", b'{"question": "x"}\n{', r"birds\.jsonl, line 2: "),
        ("birds.jsonl", b'{"question": "\xff"}', r"birds\.jsonl, line 1: "),
        ("birds.json", b'[{"question": "x"},\n3]', r"birds\.json, line 2: Expected `object`"),
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


def test_without_pyarrow_parquet_is_an_error_that_says_what_to_install(tmp_path):
    (tmp_path / "birds.parquet").write_bytes(b"PAR1")
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"  # as where it is not installed
        "from moot.datasets.library import questions\n"
        "questions('file', path='birds.parquet')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = "birds.parquet: to read Parquet, pip install 'moot[data]'"
    assert ran.stderr.strip().endswith(f"InputError: {said}")


def test_a_sample_is_drawn_as_of_any_fixed_list(write):
    path = write([{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(40)])
    ten = read(path, n=10, seed=3)
    assert len({q.id for q in ten}) == 10
    assert read(path, n=20, seed=3)[:10] == ten
    with pytest.raises(InputError, match="only 40 questions"):
        read(path, n=41)


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


def test_a_template_reads_its_columns_of_parquet(write):
    pytest.importorskip("pyarrow")
    path = write([{"goal": "Sing", "more": "x", "no": 1}], "birds.parquet")
    [question] = read(path, columns={"question": "{goal}?", "id": "{dataset}-{row}"})
    assert (question.text, question.id) == ("Sing?", "file-1")


def test_a_second_column_must_say_the_same_answer(write):
    row = {"question": "q", "a": "x", "b": "y", "label": "B", "text": "y"}
    columns = {"choices": ["a", "b"], "answer": "label", "answer_again": "text"}
    [question] = read(write([row]), columns=columns)
    assert question.answer == "B"
    with pytest.raises(InputError, match="column 'text': 'x', but the answer is 'y'"):
        read(write([row | {"text": "x"}]), columns=columns)
