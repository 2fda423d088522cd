"""Intervals, against other implementations and by simulation."""

import random
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from moot.statistics.intervals import (
    Cluster,
    clopper_pearson,
    draw_counts,
    find_bounded_interval,
    interval,
    mean,
)
from support import reference

soak = partial(pytest.param, marks=pytest.mark.soak)
ONES = [Cluster(1.0, 1)]
ZEROS = [Cluster(0.0, 1)]


@st.composite
def clusters(draw, low=0, least=2):
    """Questions with one to four replicates, each from ``low`` to 1."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=least, max_size=30))
    return [Cluster(float(draw(st.integers(low * size, size))), size) for size in sizes]


@st.composite
def two_kinds(draw):
    """Questions of two kinds, in means as different as their sizes allow."""
    kind = st.integers(1, 4).flatmap(
        lambda size: st.tuples(st.integers(-size, size).map(float), st.just(size))
    )
    one, other = (Cluster(*draw(kind)) for _ in range(2))
    assume(one.total * other.size != other.total * one.size)
    return [one] * draw(st.integers(1, 300)) + [other] * draw(st.integers(1, 300))


def test_nothing_and_one_question():
    assert (mean([]), mean(ONES)) == (None, 1.0)
    for few in ([], ONES, [Cluster(3.0, 5)]):
        assert interval(few) is find_bounded_interval(few) is None


@settings(deadline=None, max_examples=60)
@given(clusters(low=-1), st.randoms())
def test_it_holds_the_mean_within_bounds_in_any_order_and_mirrored(seen, chance):
    low, high = interval(seen, bounds=(-1.0, 1.0))
    assert low - 1e-12 <= mean(seen) <= high + 1e-12
    assert -1 <= low <= high <= 1
    mixed = chance.sample(seen, len(seen))
    assert interval(mixed, bounds=(-1.0, 1.0)) == (low, high)
    swapped = [Cluster(-total, size) for total, size in seen]
    assert interval(swapped, bounds=(-1.0, 1.0)) == pytest.approx((-high, -low), abs=1e-12)


@settings(deadline=None)
@given(two_kinds())
def test_with_two_kinds_the_ends_are_mirrored_to_the_last_bit(seen):
    swapped = [Cluster(-total, size) for total, size in seen]
    low, high = interval(seen, bounds=(-1.0, 1.0))
    assert interval(swapped, bounds=(-1.0, 1.0)) == (-high, -low)


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_right_and_wrong_come_binomially(right, wrong):
    n = right + wrong
    low = reference.binom.ppf(0.025, n, right / n)
    high = n - reference.binom.ppf(0.025, n, wrong / n)
    ends = interval(ONES * right + ZEROS * wrong)
    assert ends == pytest.approx((low / n, high / n), abs=1e-12)


def test_two_kinds_are_what_drawing_gives():
    """Within one question: the drawn percentile of a mean of n may fall on its neighbour."""
    draw = np.random.default_rng(3)
    for one, times, other, rest in [
        (Cluster(1.0, 1), 30, Cluster(0.0, 1), 70),
        (Cluster(1.0, 1), 2, Cluster(0.0, 1), 998),
        (Cluster(2.0, 2), 40, Cluster(1.0, 4), 25),
        (Cluster(1.0, 1), 25, Cluster(2.0, 4), 40),  # the less total is the greater mean
        (Cluster(-1.0, 1), 12, Cluster(1.0, 3), 30),
    ]:
        n = times + rest
        k = draw.binomial(n, times / n, size=200_000)
        totals = k * one.total + (n - k) * other.total
        drawn = np.quantile(totals / (k * one.size + (n - k) * other.size), (0.025, 0.975))
        apart = 3.0 / (n * min(one.size, other.size))
        assert interval([one] * times + [other] * rest) == pytest.approx(drawn, abs=apart)


def test_it_agrees_with_another_bootstrap():
    values = np.random.default_rng(5).beta(2, 5, size=80)
    ours = interval([Cluster(float(value), 1) for value in values])
    theirs = reference.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.004)


def test_its_coverage_worked_out():
    """Of 100 questions every number may be right; weighed by how likely each is, no chance left."""
    n = 100
    ends = [interval(ONES * right + ZEROS * (n - right)) for right in range(n + 1)]
    for percent in range(10, 91):
        share = percent / 100
        covered = sum(
            reference.binom.pmf(right, n, share)
            for right, (low, high) in enumerate(ends)
            if low <= share <= high
        )
        assert 0.92 <= covered <= 0.97, share


def test_clusters_cover_where_replicates_hang_together():
    """Each question has its own difficulty; five replicates each."""
    chance = random.Random(11)
    hits = narrow = 0
    for _ in range(300):
        seen = []
        for _ in range(60):
            ease = chance.choice((0.1, 0.5, 0.9))
            seen.append(Cluster(float(sum(chance.random() < ease for _ in range(5))), 5))
        low, high = interval(seen, resamples=2000)
        hits += low <= 0.5 <= high
        right = int(sum(total for total, _ in seen))
        low, high = reference.proportion_confint(right, 300, method="wilson")
        narrow += low <= 0.5 <= high
    assert hits / 300 >= 0.91
    assert narrow < hits  # as if all 300 debates were independent: claims too much


@pytest.mark.parametrize("n", [2, 5, 100])
def test_where_all_came_out_alike_the_interval_is_the_exact_one(n):
    for seen, right in ((ONES, n), (ZEROS, 0)):
        expected = reference.proportion_confint(right, n, method="beta")
        assert interval(seen * n) == pytest.approx(tuple(map(float, expected)), abs=1e-12)


def test_no_difference_seen_is_not_no_difference():
    low, high = interval(ZEROS * 10, bounds=(-1.0, 1.0))
    assert low == pytest.approx(-high)
    assert high == pytest.approx(1 - clopper_pearson(10, 10)[0])


def test_draws_of_many_kinds_are_those_of_a_multinomial_distribution():
    times = (3, 1, 1, 2) + (1,) * 12_000
    n = sum(times)
    drawn = np.concatenate([*draw_counts(times, n, 1_500, seed=2)]).astype(float)
    assert drawn.shape == (1_500, len(times))
    assert set(drawn.sum(axis=1)) == {n}
    assert drawn[:, 0].mean() == pytest.approx(3, abs=5 * (3 / 1_500) ** 0.5)
    assert drawn[:, 3].mean() == pytest.approx(2, abs=5 * (2 / 1_500) ** 0.5)
    ones = drawn[:, 4:]
    assert abs(ones.mean(axis=0) - 1).max() < 6 * (1 / 1_500) ** 0.5
    assert ones.var() == pytest.approx(1 - 1 / n, abs=0.005)
    [wide] = {each.dtype.itemsize for each in draw_counts((256, 1), 257, 9, seed=1)}
    assert wide == 2  # 256 is no byte
    assert (ones == 0).mean() == pytest.approx((1 - 1 / n) ** n, abs=0.002)


@settings(deadline=None)
@given(st.integers(0, 2000), st.integers(0, 2000))
def test_clopper_pearson(successes, failures):
    n = successes + failures
    ends = clopper_pearson(successes, n)
    if n:
        expected = reference.proportion_confint(successes, n, method="beta")
        assert ends == pytest.approx(tuple(map(float, expected)), rel=1e-9)
        low, high = clopper_pearson(failures, n)
        assert ends == pytest.approx((1 - high, 1 - low), abs=1e-12)
    else:
        assert ends == (0.0, 1.0)


@cache
def bounded_of(values):
    """The interval of single values, once for those that are the same in any order."""
    return find_bounded_interval([Cluster(value, 1) for value in values])


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=12), st.integers(0, 11))
def test_bounded_rises_with_each_value_is_mirrored_and_holds_the_mean(values, place):
    def of(values):
        return bounded_of(tuple(sorted(values)))

    low, high = of(values)
    assert 0 <= low <= sum(values) / len(values) <= high <= 1
    assert of([1 - value for value in values]) == pytest.approx((1 - high, 1 - low))
    place %= len(values)
    more = [*values[:place], 1.0, *values[place + 1 :]]
    raised_low, raised_high = of(more)
    assert raised_low >= low - 0.004  # drawn: where all are alike it is exact
    assert raised_high >= high - 0.004


NEAR = [(0.9, 0.08, 0.02), *map(soak, [(0.3, 0.4, 0.3), (0.02, 0.0, 0.98)])]


@pytest.mark.parametrize("chances", NEAR)
def test_bounded_holds_the_truth_near_its_bounds_too(chances):
    chance, values = random.Random(3), (0.0, 0.5, 1.0)
    truth = sum(share * value for share, value in zip(chances, values, strict=True))
    held = 0
    for _ in range(200):
        drawn = chance.choices(values, chances, k=12)
        low, high = bounded_of(tuple(sorted(drawn)))
        held += low <= truth <= high
    assert held / 200 >= 0.94


@pytest.mark.parametrize("value", [2.0, 16.0, 0.000178])
def test_what_has_no_greatest_value_and_came_out_alike_has_no_interval(value):
    alike = [Cluster(value, 1)] * 12
    assert interval(alike, bounds=(0, None)) is None
    low, high = interval([*alike, Cluster(3 * value, 1)], bounds=(0, None))
    assert 0.999 * value < low < high
    assert interval([Cluster(1.0, 1)] * 12) == (pytest.approx(0.735, abs=1e-3), 1.0)
