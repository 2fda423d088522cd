"""The binomial distribution against scipy's."""

from math import nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.statistics.binomial import at_least, at_most, chance, least_share
from support import reference


@st.composite
def cases(draw):
    n = draw(st.integers(0, 5000))
    return draw(st.integers(-1, n + 1)), n, draw(st.floats(1e-6, 1 - 1e-6))


@settings(deadline=None, max_examples=400)
@given(cases())
def test_chances_and_tails(case):
    k, n, share = case
    assert chance(k, n, share) == pytest.approx(
        float(reference.binom.pmf(k, n, share)), rel=1e-9, abs=1e-290
    )
    assert at_least(k, n, share) == pytest.approx(
        float(reference.binom.sf(k - 1, n, share)), abs=1e-11
    )
    assert at_most(k, n, share) == pytest.approx(float(reference.binom.cdf(k, n, share)), abs=1e-11)


def test_a_small_tail_keeps_its_digits_and_certainties_are_certain():
    tail = float(reference.binom.sf(89, 100, 0.3))
    assert at_least(90, 100, 0.3) == pytest.approx(tail, rel=1e-10)
    assert [chance(k, 3, 0.0) for k in range(4)] == [1.0, 0.0, 0.0, 0.0]
    assert [chance(k, 3, 1.0) for k in range(4)] == [0.0, 0.0, 0.0, 1.0]
    assert (at_least(1, 3, 0.0), at_least(3, 3, 1.0), at_most(2, 3, 1.0)) == (0.0, 1.0, 0.0)


@given(st.floats(0, 1))
def test_the_least_share_is_found(edge):
    found = least_share(lambda share: share >= edge)
    assert found == pytest.approx(edge, rel=1e-14, abs=nextafter(0, 1))
