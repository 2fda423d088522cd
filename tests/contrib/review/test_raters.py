"""Raters: tables and true marks that were planted are found."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.review.raters import estimate_raters, sharpen_mean


def draw(items=600, *, sure=(0.9, 0.9, 0.9, 0.2), top=3, seed=0):
    """Items with a true mark, and raters that give it with a chance of their own."""
    rng = random.Random(seed)
    true = [rng.randint(1, top) for _ in range(items)]
    marks = [
        {
            f"r{place}": mark if rng.random() < chance else rng.randint(1, top)
            for place, chance in enumerate(sure)
        }
        for mark in true
    ]
    return true, marks


def test_true_marks_and_tables_are_found():
    true, marks = draw()
    found = estimate_raters(marks, 3)
    likeliest = [1 + max(range(3), key=chances.__getitem__) for chances in found.chances]
    assert sum(map(int.__eq__, likeliest, true)) > 0.95 * len(true)
    for row, chances in enumerate(found.tables["r0"]):
        assert chances[row] == pytest.approx(0.9 + 0.1 / 3, abs=0.05)
    for row, chances in enumerate(found.tables["r3"]):
        assert chances[row] == pytest.approx(0.2 + 0.8 / 3, abs=0.1)


def test_a_rater_that_marks_at_random_tells_nothing():
    found = estimate_raters(draw(sure=(0.9, 0.9, 0.9, 0.0))[1], 3)
    assert found.information["r3"] < 0.03
    assert min(found.information[name] for name in ("r0", "r1", "r2")) > 0.8


def test_a_rater_that_turns_marks_round_tells_as_much_as_one_that_does_not():
    _, marks = draw(sure=(0.9, 0.9, 0.9))
    turned = [{**item, "odd": 4 - item["r0"]} for item in marks]
    found = estimate_raters(turned, 3)
    assert found.information["odd"] == pytest.approx(found.information["r0"])
    assert found.tables["odd"][0][2] > 0.8


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1), min_size=1))
def test_chances_and_tables_sum_up_to_1(marks):
    found = estimate_raters(marks, 4)
    for row in (*found.chances, *(row for table in found.tables.values() for row in table)):
        assert sum(row) == pytest.approx(1)
    assert all(0 <= each <= 2 + 1e-9 for each in found.information.values())


def test_the_mean_is_drawn_to_the_likeliest_mark():
    assert sharpen_mean([0.25, 0.75], [1, 2], 1.0) == 1.75
    assert sharpen_mean([0.25, 0.75], [1, 2], 0.5) == pytest.approx(1.1875 / 0.625)
    assert sharpen_mean([0.0, 1.0], [1, 2], 0.5) == 2


def test_true_marks_are_in_the_order_of_what_raters_give_them():
    worth = estimate_raters(draw()[1], 3).worth
    assert worth == sorted(worth)
    assert worth[0] < 1.5
    assert worth[-1] > 2.5
