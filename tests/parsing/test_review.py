"""Reviews: rankings and scores under labels, in JSON or in lines, at any place and damaged."""

import pytest

from moot.parsing.review import weigh_marks

MARKS = {"accuracy": 8, "completeness": 6, "clarity": 10, "conciseness": 4, "relevance": 10}


def test_marks_by_a_rubric_are_weighed_and_low_accuracy_caps_them():
    assert weigh_marks(MARKS) == pytest.approx(0.35 * 8 + 0.2 * 6 + 0.2 * 10 + 0.15 * 4 + 1)
    assert weigh_marks(dict.fromkeys(MARKS, 10) | {"accuracy": 6}) == 7.0
    assert weigh_marks(dict.fromkeys(MARKS, 10) | {"accuracy": 4}) == 4.0
    assert weigh_marks(dict.fromkeys(MARKS, 1)) == 1.0
