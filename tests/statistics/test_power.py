"""Power against sums over all outcomes with scipy, statsmodels, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.statistics.intervals import Cluster
from moot.statistics.power import (
    correct_smallest,
    find_questions,
    power_of_mcnemar,
    smallest_difference,
    smallest_mean_difference,
)
from support import reference


def summed(n, difference, differing):
    """The power by every way in which n questions can come out."""
    differing = max(differing, difference)
    up, down = (differing + difference) / 2, (differing - difference) / 2
    outcomes = reference.multinomial(n, [up, down, 1 - up - down])
    return sum(
        float(outcomes.pmf([better, worse, n - better - worse]))
        for better in range(n + 1)
        for worse in range(min(better, n - better + 1))
        if reference.binomtest(better, better + worse).pvalue <= 0.05
    )


@pytest.mark.parametrize("n", [5, 6, 13, 30])
@pytest.mark.parametrize(("difference", "differing"), [(0.1, 0.3), (0.4, 0.5), (0.6, 0.2)])
def test_the_power_is_the_sum_over_all_outcomes(n, difference, differing):
    expected = summed(n, difference, differing)
    assert power_of_mcnemar(n, difference, differing) == pytest.approx(expected, abs=1e-7)


@settings(deadline=None, max_examples=40)
@given(st.integers(6, 3000), st.floats(0, 1))
def test_the_smallest_difference_is_just_found(n, differing):
    gap = smallest_difference(n, differing)
    assert 0.8 <= power_of_mcnemar(n, gap, differing) < 0.801
    assert power_of_mcnemar(n, gap * 0.999, differing) < 0.8


def test_fewer_than_six_questions_show_nothing():
    assert [smallest_difference(n, 0.5) for n in range(6)] == [None] * 6
    assert smallest_difference(6, 0.0) == pytest.approx(0.8 ** (1 / 6), rel=1e-4)
    assert smallest_difference(6, 1.0) is not None


def test_replicated_it_is_that_of_the_t_test():
    values = np.random.default_rng(41).normal(0.1, 0.3, size=400)
    expected = reference.TTestPower().solve_power(nobs=400, alpha=0.05, power=0.8)
    got = smallest_mean_difference([Cluster(float(value) * 4, 4) for value in values])
    assert got == pytest.approx(expected * np.std(values, ddof=1), rel=0.01)


def test_no_spread_is_not_any_difference_however_small():
    assert smallest_mean_difference([]) is None
    assert smallest_mean_difference([Cluster(2.0, 2)] * 50) is None
    assert smallest_mean_difference([Cluster(1.0, 2)] * 9 + [Cluster(0.0, 2)] * 50) is None
    assert smallest_mean_difference([Cluster(1.0, 2)] * 10 + [Cluster(0.0, 2)] * 50) > 0


@pytest.mark.parametrize("tests", [2, 5, 12])
def test_a_correction_takes_a_greater_difference_and_more_questions(tests):
    """The first step of Holm's correction: the level is divided by the number of tests."""
    alone, corrected = smallest_difference(200, 0.3), smallest_difference(200, 0.3, tests=tests)
    assert corrected > alone
    assert 0.8 <= power_of_mcnemar(200, corrected, 0.3, tests=tests) < 0.801
    assert find_questions(0.05, 0.3, tests=tests) > find_questions(0.05, 0.3)
    exact = smallest_difference(2_000, 0.19, tests=tests) / smallest_difference(2_000, 0.19)
    assert correct_smallest(1.0, tests) == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("gap", [0.02, 0.05, 0.3, 1.0])
def test_as_many_questions_find_a_difference_and_a_tenth_fewer_do_not(gap):
    n = find_questions(gap, 0.3)
    assert power_of_mcnemar(n, gap, 0.3) >= 0.8
    assert power_of_mcnemar(int(n * 0.85), gap, 0.3) < 0.8
