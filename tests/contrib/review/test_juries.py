"""Grades of several jurors, pooled."""

from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.review.juries import find_low_marks, pool_by_geometric_median, pool_by_mean

GRADES = st.floats(1, 5)
POINTS = st.lists(st.tuples(GRADES, GRADES, GRADES), min_size=1, max_size=7)


@pytest.mark.parametrize("far", [1e9, -1e9])
def test_one_juror_of_five_cannot_move_the_median_and_moves_the_mean_without_bound(far):
    others = [(3.0,), (4.0,), (5.0,), (2.0,)]
    assert 2 <= pool_by_geometric_median([*others, (far,)])[0] <= 5
    assert abs(pool_by_mean([*others, (far,)])[0]) > 1e8
    several = [(3.0, 4.0), (4.0, 4.0), (5.0, 3.0), (2.0, 5.0)]
    assert all(0 <= grade <= 7 for grade in pool_by_geometric_median([*several, (far, far)]))


def test_pools_and_low_marks_by_hand():
    points = [(8,), (8,), (1,)]
    assert pool_by_mean(points) == [pytest.approx(17 / 3)]
    assert pool_by_geometric_median(points) == [8]
    corners = [(0.0, 0.0), (2.0, 0.0), (1.0, 3**0.5)]  # the middle of a triangle
    assert pool_by_geometric_median(corners) == pytest.approx([1, 3**0.5 / 3])
    assert find_low_marks({"a": 9, "b": 9, "c": 9, "d": 4}) == (["d"], 5.25)
    assert find_low_marks({"a": 8, "b": 6}) == ([], None)


@given(st.tuples(GRADES, GRADES))
def test_one_juror_is_the_pool(point):
    assert pool_by_mean([point]) == list(point)
    assert pool_by_geometric_median([point]) == list(point)


@given(POINTS)
def test_no_juror_and_not_the_mean_is_nearer_to_all_than_the_geometric_median(points):
    def total(at):
        return sum(dist(at, point) for point in points)

    found = total(pool_by_geometric_median(points))
    assert found <= total(pool_by_mean(points)) + 1e-6
