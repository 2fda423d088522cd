"""What correlated votes are worth, against numpy."""

import numpy as np
import pytest

from moot.statistics.effective_votes import effective_votes, mean_correlation
from moot.statistics.intervals import lower_bound


def test_nine_judges_are_worth_two():
    assert effective_votes(9, 0.391) == pytest.approx(2.18, abs=0.005)
    assert effective_votes(9, 0) == 9
    assert effective_votes(9, 1) == 1
    assert effective_votes(3, -0.5) is None
    assert effective_votes(3, None) is None


def test_the_mean_correlation_is_numpys():
    wrong = np.random.default_rng(1).random((50, 4)) < 0.4
    wrong[:, 1] |= wrong[:, 0]
    every = np.corrcoef(wrong.T.astype(float))
    expected = every[np.triu_indices(4, 1)].mean()
    assert mean_correlation(wrong.tolist()) == pytest.approx(expected)
    # Voters that never or always err have no correlation.
    assert mean_correlation([[True, False, True], [True, False, False]]) is None
    assert mean_correlation([]) is None


def test_the_one_sided_bound_is_exact():
    from scipy.stats import beta

    for k, n in ((5, 100), (1, 20), (20, 20)):
        assert lower_bound(k, n) == pytest.approx(beta.ppf(0.05, k, n - k + 1))
    assert lower_bound(0, 10) == 0.0
