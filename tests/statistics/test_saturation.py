"""Where a curve stops to rise: what is planted is found within its interval, and nothing else."""

from statistics import NormalDist

import numpy as np
import pytest

from moot.statistics.saturation import find_saturation


def curve(accuracies, questions, rng):
    """Right and wrong answers: a question that is hard for one size is so for all, by and large."""
    hard = rng.normal(size=(questions, 1)) + 0.8 * rng.normal(size=(questions, len(accuracies)))
    ends = [NormalDist().inv_cdf(min(max(each, 1e-12), 1 - 1e-12)) for each in accuracies]
    return (hard / 1.64**0.5 < np.array(ends)).astype(float)


def kinds(accuracies, questions, times=40, seed=3):
    rng = np.random.default_rng(seed)
    return [find_saturation(curve(accuracies, questions, rng)) for _ in range(times)]


def test_a_planted_point_is_within_the_interval():
    found = kinds([0.5, 0.6, 0.7, 0.7, 0.7, 0.7], 300)
    assert all(each.kind in {"saturates", "unsettled"} for each in found)
    held = [each.low <= 2 and (each.high is None or each.high >= 2) for each in found]
    assert sum(held) >= 38
    assert sum(each.at == 2 for each in found) > 20


def test_with_many_questions_it_is_shown_that_nothing_more_is_gained():
    found = kinds([0.5, 0.6, 0.7, 0.7, 0.7], 20_000, times=5)
    assert {(each.kind, each.at, each.low, each.high) for each in found} == {("saturates", 2, 2, 2)}


def test_what_rises_throughout_has_no_such_point():
    assert {each.kind for each in kinds([0.4, 0.5, 0.6, 0.7, 0.8], 600)} == {"rises"}
    few = kinds([0.4, 0.5, 0.6, 0.7, 0.8], 100)
    assert {each.kind for each in few} <= {"rises", "unsettled"}
    assert {each.high for each in few} == {None}


@pytest.mark.parametrize("accuracies", [[0.6] * 6, [0.7, 0.68, 0.66, 0.6], [0.0] * 3, [1.0] * 3])
def test_what_never_rises_has_none(accuracies):
    found = kinds(accuracies, 300)
    assert sum(each.kind != "flat" for each in found) <= 3
    assert {each.at for each in found if each.kind == "flat"} == {None}


def test_a_curve_that_falls_again_is_saturated_where_it_is_highest():
    found = kinds([0.5, 0.6, 0.75, 0.6, 0.5], 600)
    assert {(each.kind, each.at) for each in found} == {("saturates", 2)}


def test_few_questions_show_nothing():
    assert find_saturation(np.array([[0.0, 1.0]])).kind == "unknown"
    assert find_saturation(np.array([[0.0], [1.0]])).kind == "unknown"
    assert find_saturation(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])).kind == "flat"


def test_a_gain_within_the_margin_counts_for_nothing():
    right = curve([0.5, 0.6], 5000, np.random.default_rng(0))
    assert find_saturation(right, 0.05).kind == "rises"
    assert find_saturation(right, 0.2).kind == "flat"
