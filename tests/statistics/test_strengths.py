"""Strengths are the most likely ones, with ties or a ridge to keep them finite."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.statistics.strengths import measure_strengths, solve_strengths
from moot.statistics.student import reach_of_mean

COUNTS = st.lists(st.integers(0, 9), min_size=6, max_size=6)


def likelihood(strengths, wins, ridge):
    chances = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    return float((wins * np.log(chances)).sum() - ridge / 2 * (strengths**2).sum())


def test_two_players_lie_as_far_apart_as_their_odds():
    [found] = solve_strengths(np.array([[[0.0, 3], [1, 0]]]), np.ones((2, 2)), ridge=0.0)
    assert found[0] - found[1] == pytest.approx(log(3))
    assert 400 / log(10) * (found[0] - found[1]) == pytest.approx(190.8, abs=0.05)
    [tied] = solve_strengths(np.array([[[0.0, 3], [1, 0]]]), np.ones((2, 2)))
    assert tied[0] - tied[1] == pytest.approx(log(3.5 / 1.5))


@settings(max_examples=40, deadline=None)
@given(counts=COUNTS, moved=st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=3))
def test_no_strengths_beside_the_found_ones_are_likelier(counts, moved):
    wins = np.zeros((3, 3))
    wins[~np.eye(3, dtype=bool)] = counts
    [found] = solve_strengths(wins[None], np.ones((3, 3)), ridge=1e-3)
    beside = found + np.array(moved) - np.mean(moved)
    assert abs(found.sum()) < 1e-9
    assert likelihood(found, wins, 1e-3) >= likelihood(beside, wins, 1e-3) - 1e-9


def test_who_never_lost_has_a_finite_strength_and_a_wide_interval():
    judged = [(str(number), "a", "b", 1.0) for number in range(8)]
    found, finite = measure_strengths(judged, ridge=1e-3)
    assert not finite
    assert 3 < found["a"].mean < 5
    assert 0 < found["a"].low < 1
    # No interval comes of a single proposition.
    found, _ = measure_strengths([("q", "a", "b", 1.0), ("q", "b", "a", 1.0)], ridge=1e-3)
    assert (found["a"].low, found["a"].high) == (None, None)


def test_the_reach_of_a_mean_is_that_of_student():
    assert reach_of_mean([1.0, 2.0, 3.0]) == pytest.approx(4.302653 / 3**0.5, abs=1e-4)
    assert reach_of_mean([1.0, 1.0]) is None
    assert reach_of_mean([1.0]) is None


def test_many_arms_are_linked_by_long_ways():
    names = [f"{number:02}" for number in range(40)]
    pairs = [*pairwise(names), *pairwise(names[::2])]
    judged = [(str(number), one, other, 0.5) for number, (one, other) in enumerate(pairs)]
    found, finite = measure_strengths(judged, ridge=1e-3, resamples=20)
    assert finite
    assert len(found) == 40
    assert max(abs(each.mean) for each in found.values()) < 1e-6


def test_differences_from_one_arm_leave_the_others_out_of_account():
    judged = [
        (f"{number}-{place}", *pair, worth)
        for number in range(30)
        for place, (*pair, worth) in enumerate(
            [("a", "b", float(number % 3 > 0)), ("b", "c", float(number % 2)), ("c", "z", 1.0)]
        )
    ]
    whole, finite = measure_strengths(judged, ridge=1e-3)
    assert not finite  # z never won
    found, _ = measure_strengths(judged, ridge=1e-3, among=["b", "a", "z"])
    assert [*found] == ["b", "a", "z"]
    assert (found["b"].mean, found["b"].low, found["b"].high) == (0, 0, 0)
    gap = whole["a"].mean - whole["b"].mean
    assert found["a"].mean == pytest.approx(gap)
    assert found["a"].low < gap < found["a"].high
    assert found["z"].high < 0
