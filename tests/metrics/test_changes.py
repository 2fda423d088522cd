"""Which debaters changed their answers."""

import pytest

from moot.metrics.changes import (
    change_rate,
    change_rate_of_all,
    changed_of_all,
    measure_changed,
    measure_parsed_change_rate,
    measure_parsed_changed,
    parsed_changed_of_all,
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


OF_ALL = (changed_of_all, parsed_changed_of_all, change_rate_of_all)


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        ([["4", "5"], ["4", "4.0"], ["6", "8/2"]], [2, 2, 2 / 3]),
        ([["4", None], ["4", "5"]], [2, 1, 1]),
        ([[None, None]], [0, 0, 0]),
        ([["4", "5"], ["4"]], [1, 1, 0.5]),  # who spoke once is one that did not change
        ([["4"], ["5"]], [0, 0, 0]),
        ([["4"], [None]], [0, 0, 0]),
    ],
)
def test_of_all_debaters_one_that_spoke_once_has_not_changed(table, answers, values):
    assert [one(table(*answers)) for one in OF_ALL] == [pytest.approx(value) for value in values]


def test_of_no_debaters_nothing_is_known(table):
    assert [one(table(["4"], roles={0: "judge"})) for one in OF_ALL] == [None] * 3
