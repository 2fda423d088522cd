"""Student's distribution, against scipy's."""

import pytest
from scipy.stats import t as student

from moot.statistics.student import find_critical_t, measure_tails


@pytest.mark.parametrize("freedom", [1, 2, 7, 30, 400])
def test_tails_and_critical_values(freedom):
    for value in (-6.0, -1.3, 0.0, 0.4, 2.0, 9.0):
        assert measure_tails(value, freedom) == pytest.approx(2 * student.sf(abs(value), freedom))
    for tails in (0.5, 0.05, 0.001):
        assert find_critical_t(tails, freedom) == pytest.approx(student.isf(tails / 2, freedom))
