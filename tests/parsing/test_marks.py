"""Marks: one reader for the grades and margins of all judges."""

import pytest

from moot.core.questions import Question
from moot.parsing.ballots import parse_ballot
from moot.parsing.grades import Grades, parse_grades
from moot.parsing.marks import read_mark, read_whole_mark
from moot.parsing.match_ruling import MatchRuling, parse_match_ruling

ASKED = Question(id="q", kind="text", text="?")
READ = [
    (4, 4), (4.5, 4.5), ("4", 4), (" 4 ", 4), ("4.5", 4.5), ("4/5", 4), ("4 out of 5", 4),
    ("four", 4), ({"score": 4}, 4), ({"Score": "4/5", "reason": "clear"}, 4), ("3 1/2", 3.5),
    ("4/10", None), ("40%", None), (True, None), (0, None), (6, None), ("6", None), (None, None),
    ("4 or 5", None), ("4-5", None), ({"score": 4, "grade": 3}, None), ([4], None), ("", None),
    ({"score": {"score": 4}}, None), ("good", None), ("1/0", None),
]  # fmt: skip


@pytest.mark.parametrize(("said", "mark"), READ)
def test_a_mark_up_to_five(said, mark):
    assert read_mark(said, 5) == mark


def test_whole_marks():
    assert read_whole_mark("4.0", 5) == 4
    assert read_whole_mark("4.5", 5) is None


def test_grades_in_words_are_grades():
    said = '{"grades": {"accuracy": "4", "clarity": "3/5", "depth": {"score": 5}, "wit": "high"}}'
    found = parse_grades(said, ASKED).reading
    assert isinstance(found, Grades)
    assert found.grades == {"accuracy": 4, "clarity": 3, "depth": 5}


@pytest.mark.parametrize("margin", ['"2"', '"2/5"', "2", '{"score": 2}', '"2 out of 5"'])
def test_margins_and_grades_of_a_ruling(margin):
    said = f'{{"winner": "A", "margin": {margin}, "grades": {{"A": {{"reasons": "4"}}}}}}'
    found = parse_match_ruling(said, ASKED).reading
    assert isinstance(found, MatchRuling)
    assert found.margin == 2
    assert found.grades == {"A": {"reasons": 4}}


@pytest.mark.parametrize(
    "table",
    [
        "| Rank | Answer |\n|---|---|\n| 1 | B |\n| 2 | A |\n| 3 | C |",
        "| # | Answer | Why |\n|---|---|---|\n| 1 | B | clear |\n| 2 | A | short |\n| 3 | C | - |",
        "| Answer | Rank |\n|---|---|\n| A | 2 |\n| B | 1 |\n| C | 3 |",
        "| Place | Option |\n| :-: | --- |\n| 3 | C |\n| 1 | B |\n| 2 | A |",
    ],
)
def test_a_ranking_in_a_table(table):
    asked = Question(id="q", kind="choice", text="?", choices=("x", "y", "z"))
    found = parse_ballot(table, asked, heard={"A": "A", "B": "B", "C": "C"}).reading
    assert found.ranking == ("B", "A", "C")
