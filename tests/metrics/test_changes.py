"""Which debaters changed their answers."""

import pytest

from moot.metrics.changes import (
    change_rate,
    measure_changed,
    measure_parsed_change_rate,
    measure_parsed_changed,
)

ALL = (measure_changed, measure_parsed_changed, change_rate, measure_parsed_change_rate)


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        ([["4", "5"], ["4", "4.0"], ["6", "8/2"]], [2, 2, 2 / 3, 2 / 3]),
        ([["4", "5", "4"]], [1, 1, 1, 1]),
        ([["4", None]], [1, None, 1, None]),
        ([[None, None]], [0, None, 0, None]),
        ([[None, "4"], ["4", "4"], ["4", "5"]], [2, 1, 2 / 3, 0.5]),
        ([["4", "5"], ["4"]], [1, 1, 1, 1]),
        ([["4"], ["5"]], [None] * 4),
    ],
)
def test_any_two_answers_that_differ_are_a_change(table, answers, values):
    expected = [None if value is None else pytest.approx(value) for value in values]
    assert [one(table(*answers)) for one in ALL] == expected


def test_a_judge_changes_nothing(table):
    transcript = table(["4", "4"], ["5", "4"], roles={1: "judge"})
    assert [one(transcript) for one in ALL] == [0, 0, 0, 0]
