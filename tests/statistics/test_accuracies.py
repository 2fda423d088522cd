"""Means, intervals and differences over questions, against others and by simulation."""

import random
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.results import Variance
from moot.statistics.accuracies import (
    cluster_by_question,
    compare_paired,
    correct_by_holm,
    mean_with_interval,
    median_over_arms,
    split_variance,
    total_with_interval,
)
from moot.statistics.intervals import Cluster, interval
from moot.statistics.paired import sign_flip
from support import reference

ONES, ZEROS = [Cluster(1.0, 1)], [Cluster(0.0, 1)]


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_right_and_wrong_debated_once_have_the_exact_interval(right, wrong):
    got = mean_with_interval(ONES * right + ZEROS * wrong)
    assert (got.n, got.questions) == (right + wrong, right + wrong)
    if right + wrong < 2:
        assert (got.low, got.high) == (None, None)
    else:
        expected = reference.proportion_confint(right, right + wrong, method="beta")
        assert (got.low, got.high) == pytest.approx(tuple(map(float, expected)), abs=1e-9)
        assert got.low <= got.mean <= got.high


def test_replicates_and_shares_are_resampled():
    chance = random.Random(2)
    for seen in (
        [Cluster(float(chance.randrange(4)), 3) for _ in range(30)],
        [Cluster(chance.choice((0.0, 0.5, 1.0)), 1) for _ in range(30)],
    ):
        got = mean_with_interval(seen)
        assert (got.low, got.high) == interval(seen)


def test_variance_is_split_into_what_was_planted():
    """Questions whose chance is 0.2 or 0.8: 0.09 between them, 0.16 within, as n grows."""
    draw = np.random.default_rng(4)
    ease = draw.choice((0.2, 0.8), size=4000)
    right = draw.random((4000, 3)) < ease[:, None]
    values = {(f"q{q}", k): float(right[q, k]) for q in range(4000) for k in range(3)}
    parts = split_variance(values)
    assert parts.question == pytest.approx(0.09, abs=0.008)
    assert parts.seed == pytest.approx(0.16, abs=0.008)
    assert parts.share == pytest.approx(0.36, abs=0.03)


def test_without_replicates_there_is_no_split():
    assert split_variance({("q1", 0): 1.0, ("q2", 0): 0.0}) is None
    assert split_variance({("q1", 0): 1.0, ("q1", 1): 0.0}) is None  # one question
    same = {(q, k): 1.0 for q in "ab" for k in range(2)}
    assert split_variance(same) == Variance(question=0.0, seed=0.0, share=None)


def arms(draw, gain, questions=40, replicates=5):
    """Two arms on the same questions; the second is right more often by ``gain``."""
    ease = draw.uniform(0.2, 0.7, size=questions)
    held = [draw.random((questions, replicates)) < (ease + more)[:, None] for more in (0.0, gain)]
    return [
        {(f"q{q}", k): float(right[q, k]) for q in range(questions) for k in range(replicates)}
        for right in held
    ]


def test_replicates_are_tested_by_their_signs():
    base, new = arms(np.random.default_rng(6), 0.1)
    gaps = cluster_by_question({key: value - base[key] for key, value in new.items()})
    assert compare_paired(new, base).p == sign_flip(gaps)


@pytest.mark.parametrize("replicates", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_without_an_effect_the_difference_shows_none_in_95_of_100(replicates):
    draw = np.random.default_rng(7)
    held = missed = 0
    for _ in range(200):
        base, new = arms(draw, 0.0, replicates=replicates)
        gap = compare_paired(new, base)
        held += gap.p > 0.05
        missed += not gap.low <= 0 <= gap.high
    assert held >= 0.95 * 200 - 2 * (200 * 0.05 * 0.95) ** 0.5
    assert missed <= 0.05 * 200 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_a_correction_leaves_out_what_has_no_pair():
    none = compare_paired({}, {})
    one = compare_paired(
        {(f"q{n}", 0): 1.0 for n in range(6)}, {(f"q{n}", 0): 0.0 for n in range(6)}
    )
    first, second, third = correct_by_holm([one, none, one])
    assert (first.p_holm, second, third.p_holm) == (2 * one.p, none, 2 * one.p)


def test_a_median_over_arms_is_resampled_with_all_arms_of_a_question():
    """Recounted by drawing whole questions one after the other, with the library's sampling."""
    chance = random.Random(3)
    ease = [chance.random() for _ in range(40)]
    arms = [
        {
            (f"q{n}", again): float(chance.random() < own)
            for n, own in enumerate(ease)
            for again in (0, 1)
        }
        for _ in range(4)
    ]
    got = median_over_arms(arms)

    def middle(drawn):
        return statistics.median(
            statistics.fmean(arm[f"q{n}", again] for n in drawn for again in (0, 1)) for arm in arms
        )

    tried = sorted(middle(chance.choices(range(40), k=40)) for _ in range(4000))
    assert got.mean == pytest.approx(middle(range(40)))
    assert (got.n, got.questions) == (320, 40)
    assert (got.low, got.high) == pytest.approx((tried[100], tried[3900]), abs=0.02)


def test_a_median_of_one_arm_is_its_mean_and_one_without_spread_is_not_certain():
    arm = {(f"q{n}", 0): float(n % 3 == 0) for n in range(12)}
    assert median_over_arms([arm]) == mean_with_interval(cluster_by_question(arm))
    right = {(f"q{n}", 0): 1.0 for n in range(12)}
    alike = median_over_arms([right, right])
    assert (alike.mean, alike.high) == (1.0, 1.0)
    assert alike.low == pytest.approx(float(reference.proportion_confint(12, 12, method="beta")[0]))
    one = median_over_arms([{("q", 0): 1.0}, {("q", 0): 0.0}])
    assert (one.mean, one.low, one.high) == (0.5, None, None)


def test_arms_of_other_questions_have_a_median_too():
    arms = [{(f"q{n}", 0): 1.0 for n in range(5)}, {(f"r{n}", 0): float(n < 2) for n in range(4)}]
    got = median_over_arms(arms)
    assert (got.mean, got.questions) == (0.75, 9)
    assert 0.5 <= got.low < got.high <= 1.0


def test_a_total_has_the_interval_of_the_mean_times_the_debates():
    spent = {(f"q{n}", 0): 0.001 * (n % 4) for n in range(20)}
    total = total_with_interval(spent)
    low, high = interval(cluster_by_question(spent), bounds=(0.0, None))
    assert total.mean == pytest.approx(sum(spent.values()))
    assert (total.low, total.high) == pytest.approx((20 * low, 20 * high))
    alike = total_with_interval({(f"q{n}", 0): 0.5 for n in range(4)})
    assert (alike.mean, alike.low, alike.high) == (2.0, None, None)
