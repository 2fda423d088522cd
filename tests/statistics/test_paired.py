"""Paired tests and their correction, against other implementations and by simulation."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.statistics.intervals import Cluster
from moot.statistics.paired import holm, mcnemar, sign_flip
from support import reference

CHANCES = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.02, 0.05, 1.0]))


def of(totals, size=4):
    return [Cluster(float(total), size) for total in totals]


def other_sign_flip(totals, draws=np.inf):
    done = reference.permutation_test(
        (np.array(totals, dtype=float),),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=draws,
        alternative="two-sided",
        rng=1,
    )
    return float(done.pvalue)


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_binomial_test(better, worse):
    n = better + worse
    expected = reference.binomtest(better, n).pvalue if n else 1.0
    assert mcnemar(better, worse) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(better, worse) == mcnemar(worse, better)


def test_mcnemar_of_very_many():
    expected = reference.binomtest(9_800, 20_000).pvalue
    assert mcnemar(9_800, 10_200) == pytest.approx(expected, rel=1e-6)
    assert mcnemar(0, 20_000) == 0.0  # 2**-19999 is less than the least float


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=9))
def test_sign_flip_is_every_change_of_signs_counted(totals):
    flips = [0]
    for total in totals:
        flips = [each + sign * total for each in flips for sign in (-1, 1)]
    extreme = sum(abs(each) >= abs(sum(totals)) for each in flips)
    assert sign_flip(of(totals)) == pytest.approx(extreme / len(flips), rel=1e-9)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_with_one_replicate_it_is_mcnemars(better, worse, alike):
    seen = of([1] * better + [-1] * worse + [0] * alike, size=1)
    assert sign_flip(seen) == mcnemar(better, worse)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-5, 5), max_size=40), st.randoms())
def test_neither_order_nor_which_arm_comes_first_matters(totals, chance):
    mixed = [-total for total in totals]
    chance.shuffle(mixed)
    assert sign_flip(of(mixed)) == sign_flip(of(totals))
    assert 0 < sign_flip(of(totals)) <= 1


def test_fractions_are_drawn_and_come_near_to_what_is_exact():
    totals = [0.3, -0.1, 0.7, 0.2, 0.2, -0.4, 0.9, 0.5, 0.1, 0.6]
    drawn = sign_flip(of(totals))
    assert drawn == pytest.approx(other_sign_flip(totals), abs=0.015)
    assert drawn == sign_flip(of(totals)) == sign_flip(of([-total for total in totals]))
    assert sign_flip(of(totals), seed=1) != drawn


def test_a_drawn_sum_is_as_far_as_itself_in_any_order():
    """In tenths: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 to the last bit."""
    totals = [0.1, 0.2, 0.3]
    assert sign_flip(of(totals)) == pytest.approx(0.25, abs=0.015)  # 2 of 8
    assert sign_flip(of([1, 2, 3])) == pytest.approx(0.25)


def test_more_than_can_be_worked_out_are_drawn():
    totals = [1, 2, 3] * 9_000 + [-1, -2, -3] * 8_900
    scale = sum(total * total for total in totals) ** 0.5
    expected = 2 * reference.norm.sf(abs(sum(totals)) / scale)
    assert sign_flip(of(totals)) == pytest.approx(expected, abs=0.015)


def test_no_find_is_beyond_what_floats_hold():
    assert sign_flip(of([1] * 3000 + [2] * 3000)) == 0.0
    assert sign_flip([]) == sign_flip(of([0, 0])) == 1.0


@pytest.mark.parametrize("replicates", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_without_an_effect_it_finds_one_in_at_most_a_twentieth(replicates):
    """Questions of very different ease, both arms alike, 1000 times."""
    draw = np.random.default_rng(13)
    ease = draw.beta(0.5, 0.5, size=(1000, 40, 1))
    arms = [(draw.random((1000, 40, replicates)) < ease).sum(axis=2) for _ in range(2)]
    found = sum(sign_flip(of(row, replicates)) <= 0.05 for row in arms[0] - arms[1])
    assert 0.005 <= found / 1000 <= 0.065


@settings(deadline=None, max_examples=40)
@given(st.lists(CHANCES, min_size=1, max_size=30))
def test_holm_agrees_with_another_implementation(values):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", int)  # statsmodels collects all garbage here: a second a call
        expected = reference.multipletests(values, method="holm")[1]
    assert holm(values) == pytest.approx(list(expected), abs=1e-12)


def test_without_any_effect_a_family_has_a_find_in_at_most_a_twentieth():
    """Ten arms, all as good as the one baseline they share, 500 times."""
    draw = np.random.default_rng(19)
    false = plain = 0
    for _ in range(500):
        right = draw.random((11, 80)) < 0.5
        better, worse = (right[1:] & ~right[0]).sum(axis=1), (~right[1:] & right[0]).sum(axis=1)
        values = [mcnemar(int(b), int(w)) for b, w in zip(better, worse, strict=True)]
        plain += min(values) <= 0.05
        false += min(holm(values)) <= 0.05
    assert false / 500 <= 0.06
    assert plain / 500 > 0.1
