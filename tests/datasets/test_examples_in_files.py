import json

import pytest

from moot.core.errors import InputError
from moot.core.questions import Example, Question
from moot.datasets.example_rows import read_examples

ROWS = [
    {"question": "What is 2+2*3?", "answer": 8, "reason": "2*3 = 6. Then 2 + 6 = 8."},
    {"question": " Which is a metal? ", "choices": ["iron", "wood"], "answer": "A"},
    {"question": "Where?", "context": "The cat\nsits on e5.", "answer": "e5", "kind": "square"},
]


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def lines(*rows):
    return "\n".join(json.dumps(row) for row in rows)


def test_json_lines_and_an_array_give_the_same_examples(write):
    one = read_examples(write(lines(*ROWS)))
    two = read_examples(write(json.dumps(ROWS, indent=1), "mine.json"))
    first = Question(id="mine-1", kind="number", text="What is 2+2*3?", answer="8")
    assert one[0] == Example(question=first, reason="2*3 = 6. Then 2 + 6 = 8.")
    assert one[1].question.choices == ("iron", "wood")
    assert one[2].question.context == "The cat\nsits on e5."
    said = [
        [(e.question.kind, e.question.text, e.question.answer) for e in each] for each in (one, two)
    ]
    assert said[0] == said[1]
    assert len({e.question.id for e in two}) == len(ROWS)


def test_a_kind_given_for_all_holds_where_a_row_says_none(write):
    second = {"question": "q", "answer": "yes", "kind": "text"}
    path = write(lines({"question": "q", "answer": "E5"}, second))
    found = [(e.question.kind, e.question.answer) for e in read_examples(path, kind="square")]
    assert found == [("square", "e5"), ("text", "yes")]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"question": "q"}, "column 'answer': it is empty"),
        ({"question": "q", "anwser": "a", "answer": 3}, "'anwser'; did you mean 'answer'"),
        ({"question": "q", "answer": " ", "kind": "text"}, "column 'answer': it is empty"),
        ({"question": "q", "answer": [], "kind": "text"}, "column 'answer': it is empty"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_named_by_file_line_and_key(write, row, why):
    good = {"question": "q", "answer": "fine"}
    with pytest.raises(InputError, match=rf"mine\.jsonl, line 2: .*{why}"):
        read_examples(write(lines(good, row)))
    with pytest.raises(InputError, match=rf"mine\.json, line 3: .*{why}"):
        read_examples(write(f"[\n{json.dumps(good)},\n{json.dumps(row)}]", "mine.json"))


def test_what_is_no_json_and_what_is_not_there(write, tmp_path):
    with pytest.raises(InputError, match=r"mine\.jsonl, line 1: .*malformed"):
        read_examples(write("question: q"))
    with pytest.raises(InputError, match="has no examples"):
        read_examples(write("\n"))
    with pytest.raises(InputError, match=r"none\.jsonl cannot be read"):
        read_examples(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_examples(tmp_path)
