"""A damaged row of a published file is named by its file and line."""

import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library

GSM8K = '{"question": "q", "answer": "1+1=2\\n#### 2,000"}'
MEDQA = {"question": " q ", "answer": "x", "answer_idx": "B"}
MEDQA["options"] = {"A": "w", "B": "x", "C": "y", "D": "z"}
NUMBER = "'####' and a number"
ENDS = ("It is 3.", "3", "#### three", "####", "#### 1 #### ", "#### 1/0", "#### 3 pens")
UNLIKE = {"answer_idx": "A"}
ROWS = [
    *(("gsm8k", json.dumps({"question": "q", "answer": end}), NUMBER) for end in ENDS),
    ("medqa", json.dumps(MEDQA | UNLIKE), "column 'answer': 'x', but the answer is 'w'"),
    ("medqa", json.dumps(MEDQA | {"options": {"A": "w"}}), r"column 'options\.B' is missing"),
]
FILES = {
    "gsm8k": ("test.jsonl", GSM8K, "2000"),
    "medqa": ("phrases_no_exclude_test.jsonl", json.dumps(MEDQA), "B"),
}


@pytest.mark.parametrize(("name", "row", "why"), ROWS)
def test_a_damaged_row_is_named_by_its_line(lay_in, name, row, why):
    file, good, answer = FILES[name]
    lay_in(name, {file: f"{good}\n{row}\n"})
    assert library.peek(name, 1)[0].answer == answer
    line = 2 + good.count("\n")
    with pytest.raises(InputError, match=rf"{file}, line {line}: .*{why}"):
        library.questions(name)


def test_a_file_without_its_list_is_named(lay_in):
    lay_in("chess-state-tracking", {"task.json": '{"rows": []}'})
    with pytest.raises(InputError, match=r"task\.json, line 1: it has no 'examples'"):
        library.questions("chess-state-tracking")
