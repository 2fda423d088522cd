"""How far conditions lie apart: known cases, coverage of the interval, and no false finds."""

from random import Random
from statistics import pstdev

import pytest

from moot.statistics.spread import TriedQuestion, spread


def drawn(shares, n, seed, replicates=1):
    rng = Random(seed)
    return [
        TriedQuestion(
            tuple(float(sum(rng.random() < share for _ in range(replicates))) for share in shares),
            replicates,
        )
        for _ in range(n)
    ]


def test_the_range_and_the_deviation_of_known_means():
    tried = [TriedQuestion((1.0, 0.0, 1.0), 1)] * 6 + [TriedQuestion((1.0, 0.0, 0.0), 1)] * 4
    found = spread(tried)
    assert found.range == pytest.approx(1.0)
    assert found.sd == pytest.approx(pstdev([1.0, 0.0, 0.6]))
    assert found.p <= 0.01
    assert spread([]) is None


def test_replicates_of_a_question_count_once_as_a_block():
    found = spread([TriedQuestion((4.0, 2.0), 4), TriedQuestion((2.0, 0.0), 4)])
    assert found.range == pytest.approx(0.5)
    assert found.sd == pytest.approx(0.25)
    assert found.p == pytest.approx(0.5, abs=0.02)  # two questions, two orders each


def test_conditions_that_never_differ_are_not_claimed_to_be_the_same():
    found = spread(
        [TriedQuestion((1.0, 1.0, 1.0), 1)] * 10 + [TriedQuestion((0.0, 0.0, 0.0), 1)] * 10
    )
    assert (found.range, found.chance, found.p) == (0.0, 0.0, 1.0)
    low, high = found.range_ends
    assert low == 0
    assert 0.1 < high < 0.2
    assert spread([TriedQuestion((1.0, 0.0), 1)]).range_ends is None


@pytest.mark.parametrize(("n", "replicates"), [(40, 1), (30, 4)])
def test_where_no_difference_is_planted_none_is_found_more_often_than_said(n, replicates):
    found = [spread(drawn((0.6, 0.6, 0.6), n, seed, replicates), draws=999) for seed in range(80)]
    assert sum(each.p <= 0.05 for each in found) <= 10  # 4 expected; more in 1 of 300 studies
    chance = sum(each.chance for each in found) / len(found)
    assert sum(each.range for each in found) / len(found) == pytest.approx(chance, rel=0.15)


def test_a_planted_range_is_within_its_interval():
    found = [spread(drawn((0.4, 0.55, 0.7), 100, seed), draws=999) for seed in range(60)]
    inside = sum(low <= 0.3 <= high for each in found for low, high in [each.range_ends])
    assert inside >= 52  # of 57 expected
    assert sum(each.p <= 0.05 for each in found) > 50
