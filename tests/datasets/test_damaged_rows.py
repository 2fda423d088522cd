"""A damaged row of a published file is named by its file and line."""

import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library

GSM8K = '{"question": "q", "answer": "1+1=2\\n#### 2,000"}'
COSMOSQA = """id,context,question,answer0,answer1,answer2,answer3,label
x#1,We left at ten .,Why so early ?,Rain .,Sleep .,Hunger .,None of the above choices .,1"""
MEDQA = {"question": " q ", "answer": "x", "answer_idx": "B"}
MEDQA["options"] = {"A": "w", "B": "x", "C": "y", "D": "z"}
NUMBER = "'####' and a number"
ENDS = ("It is 3.", "3", "#### three", "####", "#### 1 #### ", "#### 1/0", "#### 3 pens")
ROWS = [
    *(("gsm8k", json.dumps({"question": "q", "answer": end}), NUMBER) for end in ENDS),
    *(("cosmosqa", f"x#2,c,q,a,b,c{end}", "") for end in (",d,4", ",1", ",d,")),
    *(
        ("medqa", json.dumps(MEDQA | change), why)
        for change, why in (
            ({"answer_idx": "E"}, "'E'; for kind 'choice' it must be the letter"),
            ({"answer_idx": "A"}, "column 'answer': 'x', but the answer is 'w'"),
            ({"options": {"A": "w", "B": "x", "C": "y"}}, r"unknown column 'options\.D'"),
            ({"options": ["w", "x", "y", "z"]}, r"unknown column 'options\.A'"),
            ({"question": None}, "column 'question': it is empty"),
        )
    ),
]
FILES = {
    "gsm8k": ("test.jsonl", GSM8K, "2000"),
    "cosmosqa": ("valid.csv", COSMOSQA, "B"),
    "medqa": ("phrases_no_exclude_test.jsonl", json.dumps(MEDQA), "B"),
}


@pytest.mark.parametrize(("name", "row", "why"), ROWS)
def test_a_damaged_row_is_named_by_its_line(tmp_path, name, row, why):
    file, good, answer = FILES[name]
    (tmp_path / file).write_text(f"{good}\n{row}\n")
    library.add(name, tmp_path / file, force=True)
    assert library.peek(name, 1)[0].answer == answer
    line = 2 + good.count("\n")
    with pytest.raises(InputError, match=rf"{file}, line {line}: .*{why}"):
        library.questions(name)


def test_a_file_without_its_list_is_named(tmp_path):
    (tmp_path / "task.json").write_text('{"rows": []}')
    library.add("chess-state-tracking", tmp_path, force=True)
    with pytest.raises(InputError, match=r"task\.json, line 1: it has no 'examples'"):
        library.questions("chess-state-tracking")
