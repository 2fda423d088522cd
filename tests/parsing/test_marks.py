"""Marks: one reader for the grades and margins of all judges."""

import pytest

from moot.parsing.marks import read_mark

READ = [
    (4, 4), (4.5, 4.5), ("4", 4), (" 4 ", 4), ("4.5", 4.5), ("4/5", 4), ("4 out of 5", 4),
    ("four", 4), ({"score": 4}, 4), ({"Score": "4/5", "reason": "clear"}, 4), ("3 1/2", 3.5),
    ("4/10", None), ("40%", None), (True, None), (0, None), (6, None), ("6", None), (None, None),
    ("4 or 5", None), ("4-5", None), ({"score": 4, "grade": 3}, None), ([4], None), ("", None),
    ({"score": {"score": 4}}, None), ("good", None), ("1/0", None), ("4.0", 4),
]  # fmt: skip


@pytest.mark.parametrize(("said", "mark"), READ)
def test_a_mark_up_to_five(said, mark):
    assert read_mark(said, 5) == mark
