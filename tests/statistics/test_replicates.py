"""Variance split, against other implementations and where the truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.statistics.replicates import Split, split
from support import reference

GROUPS = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=5), max_size=20)


def drawn(sizes, question, seed, rng):
    """Normal values with the given standard deviations."""
    return [rng.normal(rng.normal(0, question), seed, size=n) for n in sizes]


@settings(deadline=None)
@given(GROUPS)
def test_no_part_is_negative_whatever_the_values(groups):
    got = split(groups)
    if len(groups) < 2 or all(len(each) == 1 for each in groups):
        assert got is None
    else:
        assert got.question >= 0
        assert got.seed >= 0
        assert got.share is None or 0 <= got.share <= 1


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("balanced", [True, False])
def test_its_mean_squares_are_those_of_another_analysis_of_variance(seed, balanced):
    rng = np.random.default_rng(seed)
    sizes = [4] * 15 if balanced else rng.integers(1, 6, size=15)
    groups = drawn(sizes, 1.0, 1.5, rng)
    n, a = sum(sizes), 15
    usual = (n - sum(k * k for k in sizes) / n) / (a - 1)
    got = split(groups)
    within = sum(float(((each - each.mean()) ** 2).sum()) for each in groups) / (n - a)
    assert got.seed == pytest.approx(within)
    ratio = float(reference.f_oneway(*groups).statistic)
    assert got.question == pytest.approx(max(0.0, (ratio - 1) * within / usual))


@pytest.mark.parametrize("sizes", [[3] * 40, [1] * 15 + [2] * 15 + [7] * 10])
def test_it_recovers_what_was_put_in(sizes):
    rng = np.random.default_rng(23)
    got = [split(drawn(sizes, 0.8, 0.6, rng)) for _ in range(600)]
    assert np.mean([each.question for each in got]) == pytest.approx(0.64, rel=0.04)
    assert np.mean([each.seed for each in got]) == pytest.approx(0.36, rel=0.04)


def test_the_error_is_that_of_the_mean():
    rng = np.random.default_rng(31)
    means = [np.mean(drawn([4] * 30, 0.8, 0.6, rng)) for _ in range(3000)]
    assert Split(0.64, 0.36).error(30, 4) == pytest.approx(np.std(means), rel=0.05)
    assert Split(0.25, 0.0).error(100, 1) == Split(0.25, 0.0).error(100, 50) == 0.05


def test_by_hand():
    assert split([[1.0, 1.0], [0.0, 0.0]]) == (0.5, 0.0)
    assert split([[1.0, 0.0], [0.0, 1.0]]) == (0.0, 0.5)  # the estimate is -0.25
    alike = split([[1.0, 1.0], [1.0]])
    assert alike == (0.0, 0.0)
    assert alike.share is None
    assert split([[1.0, 0.0]]) is split([[1.0], [0.0]]) is split([]) is None
    assert split([[], [1.0, 1.0], [0.0, 0.0]]) == (0.5, 0.0)
