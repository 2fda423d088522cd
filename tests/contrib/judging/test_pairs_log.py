"""Tables of pairs: which columns are known, and what is said of rows that lack something."""

import json

import pytest

from contrib.imports.conftest import read
from moot import InputError
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.judging.pairs_log import find_columns

__all__ = ["read"]


def texts(debate):
    return debate.question.text, debate.turns[0].text, debate.verdict.text


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_with_any_separator_and_usual_names(tmp_path, read, mark):
    path = tmp_path / "own.csv"
    head = mark.join(("Id", "Prompt", "COUNCIL", "Solo"))
    path.write_text(f'\ufeff{head}\r\n1{mark}"a\nb"{mark}"x{mark} y"{mark}z\r\n', "utf-8")
    [debate], unread, _ = read(path, form="pairs")
    assert not unread
    assert texts(debate) == ("a\nb", "z", f"x{mark} y")


@pytest.mark.parametrize("form", [json.dumps, lambda rows: "\n".join(map(json.dumps, rows))])
def test_json_and_json_lines(tmp_path, read, form):
    rows = [{"question": "q", "solo": "s", "council": "c"}, {"question": "r", "solo": "s"}]
    path = tmp_path / "own.json"
    path.write_text(form(rows))
    [debate], [unread], _ = read(path, form="pairs")
    assert texts(debate) == ("q", "s", "c")
    assert unread.why == "lacks one of the columns question, solo, council"


def test_rows_without_a_text_are_named(tmp_path, read):
    path = tmp_path / "own.csv"
    path.write_text("question,solo,council\na,b,c\nd,,e\nf\n")
    [_], unread, _ = read(path, form="pairs")
    assert [(each.place, each.why) for each in unread] == [
        ("own.csv, line 3", "has no text for solo"),
        ("own.csv, line 4", "has no text for solo, council"),
    ]


def test_another_table_is_no_pairs_and_says_what_it_begins_with(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("question,answer\na,b\n")
    with pytest.raises(InputError, match=r"own.csv begins with 'question,answer'; the columns"):
        find_format(Log(path))
    assert find_columns(["question", "solo"]) is None
    assert find_columns(["input", "Baseline ", "panel"]) == {
        "question": "input",
        "solo": "Baseline ",
        "council": "panel",
    }
