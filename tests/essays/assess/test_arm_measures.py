"""Measures of arms: means and differences by hand, over propositions, of equally many essays."""

import pytest

from moot.essays.assess.arm_measures import (
    BLEU,
    WORDS,
    MeasureValue,
    compare_arms,
    group_essays,
    mean_with_interval,
)
from moot.essays.run_essays import Essay, LostEssays
from moot.statistics.intervals import Cluster

BASE, OTHER, THIRD = ("town", "base"), ("town", "other"), ("town", "third")


def essay(arm, question="m0", replicate=0, **given):
    return Essay(
        dataset="town",
        question=question,
        proposition="Cats are better",
        arm=arm,
        replicate=replicate,
        text=f"{arm} {question} {replicate}",
        **given,
    )


def arms(values, lost=None, essays=(), **given):
    lost = lost or dict.fromkeys(values, LostEssays())
    return compare_arms(group_essays(essays), lost, values, baseline="base", **given)


def test_means_and_differences_are_as_by_hand():
    base, other = arms(
        {
            BASE: {
                BLEU: {"a": MeasureValue(40.0, 1, 7), "b": MeasureValue(60.0, 1, 7)},
                WORDS: {"a": MeasureValue(700.0, 7, 7), "b": MeasureValue(1400.0, 7, 7)},
            },
            OTHER: {
                BLEU: {"a": MeasureValue(30.0, 1, 7), "b": MeasureValue(40.0, 1, 7)},
                WORDS: {"a": MeasureValue(1050.0, 7, 7), "b": MeasureValue(1400.0, 7, 7)},
            },
        }
    )
    assert base.measures[BLEU].mean.mean == 50.0
    assert (base.measures[BLEU].mean.low, base.measures[BLEU].mean.high) == (40.0, 60.0)
    assert base.measures[WORDS].mean.mean == 150.0
    assert base.measures[WORDS].mean.n == 14
    assert base.measures[BLEU].difference is None
    gap = other.measures[BLEU].difference
    assert (gap.mean, gap.low, gap.high, gap.propositions) == (-15.0, -20.0, -10.0, 2)
    assert gap.p == pytest.approx(0.5, abs=0.02)  # of four changes of sign, two are as extreme
    assert other.measures[WORDS].difference.mean == 25.0


def test_propositions_with_more_essays_in_one_arm_are_left_out_of_what_is_of_all_together():
    _, other = arms(
        {
            BASE: {
                BLEU: {"a": MeasureValue(40.0, 1, 7), "b": MeasureValue(60.0, 1, 6)},
                WORDS: {"a": MeasureValue(7.0, 7, 7), "b": MeasureValue(6.0, 6, 6)},
            },
            OTHER: {
                BLEU: {
                    "a": MeasureValue(30.0, 1, 7),
                    "b": MeasureValue(40.0, 1, 7),
                    "c": MeasureValue(1.0, 1, 7),
                },
                WORDS: {"a": MeasureValue(14.0, 7, 7), "b": MeasureValue(14.0, 7, 7)},
            },
        }
    )
    gap = other.measures[BLEU].difference
    assert (gap.mean, gap.propositions, gap.left_out) == (-10.0, 1, 1)
    assert (gap.low, gap.high) == (None, None)
    words = other.measures[WORDS].difference
    assert (words.mean, words.propositions, words.left_out) == (1.0, 2, 0)


def test_a_measure_without_ends_that_never_differs_has_no_interval():
    same = mean_with_interval([Cluster(12.0, 1), Cluster(24.0, 2)], None)
    assert (same.mean, same.low, same.high) == (12.0, None, None)
    assert mean_with_interval([Cluster(12.0, 1), Cluster(12.0, 1)], (0.0, 100.0)).low is not None


def test_the_correction_is_over_the_arms_of_one_measure():
    few = {str(n): MeasureValue(40.0, 1, 7) for n in range(8)}
    more = {str(n): MeasureValue(41.0, 1, 7) for n in range(8)}
    _, other, third = arms({BASE: {BLEU: few}, OTHER: {BLEU: more}, THIRD: {BLEU: more}})
    gap = other.measures[BLEU].difference
    assert gap.p == 2 / 2**8
    assert gap.p_holm == third.measures[BLEU].difference.p_holm == 2 * gap.p


def test_arms_that_left_no_essay_are_told_with_what_they_lost():
    one = essay("base", cut=True, simulated=True)
    points = {one: (), essay("base", "m1"): ("a point",)}
    base, other = arms(
        {BASE: {}},
        {BASE: LostEssays(empty=1), OTHER: LostEssays(failed=3)},
        [*points],
        asked=points,
    )
    assert (base.essays, base.propositions, base.cut, base.pointless) == (2, 2, 1, 1)
    assert (base.simulated, base.lost) == (True, LostEssays(empty=1))
    assert (other.essays, other.propositions, other.lost) == (0, 0, LostEssays(failed=3))
