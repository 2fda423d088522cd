"""Measures of confidences: the known figures, definitions written out, scipy's, and coverage."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from moot.statistics.calibration import (
    MEASURES,
    ScoredConfidence,
    bin_confidences,
    measure_change,
    measure_confidence,
)
from moot.statistics.intervals import Cluster, interval

KNOWN = list(zip((0.9, 0.9, 0.9, 0.9, 0.6, 0.6), (1, 1, 1, 0, 1, 0), strict=True))


def score(pairs, *, each=1):
    """Return answers to questions of their own; ``each`` of them in a row share a question."""
    return [
        ScoredConfidence(f"q{place // each}", confidence, bool(right))
        for place, (confidence, right) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [("brier", 0.2266667), ("ece", 0.1333333), ("auroc", 0.625), ("overconfidence", 0.1333333)],
)
def test_the_measures_of_a_known_example(name, value):
    assert measure_confidence(name, score(KNOWN)).mean == pytest.approx(value, abs=1e-6)


CONFIDENCES = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 0.9, 1.0]) | st.floats(0, 1)
PAIRS = st.lists(st.tuples(CONFIDENCES, st.booleans()), min_size=1, max_size=25)


@given(PAIRS)
def test_auroc_is_the_statistic_of_mann_and_whitney(pairs):
    rights = [confidence for confidence, right in pairs if right]
    wrongs = [confidence for confidence, right in pairs if not right]
    found = measure_confidence("auroc", score(pairs)).mean
    if not rights or not wrongs:
        assert found is None
    else:
        known = mannwhitneyu(rights, wrongs).statistic / (len(rights) * len(wrongs))
        assert found == pytest.approx(known)


@given(PAIRS)
def test_ece_is_the_mean_gap_of_its_bins(pairs):
    n = len(pairs)
    gap = 0.0
    for place in range(10):
        own = [
            (confidence, right)
            for confidence, right in pairs
            if place / 10 < confidence <= (place + 1) / 10 or (place == 0 and confidence == 0)
        ]
        if own:
            gap += abs(np.mean([c for c, _ in own]) - np.mean([r for _, r in own])) * len(own) / n
    found = score(pairs)
    assert measure_confidence("ece", found).mean == pytest.approx(gap)
    bins = bin_confidences(found)
    assert sum(each.right.n for each in bins) == n
    assert sum(abs(each.confidence - each.right.mean) * each.right.n for each in bins) / n == (
        pytest.approx(gap)
    )


@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.8]), st.booleans()), min_size=1, max_size=5))
def test_auarc_is_the_mean_over_every_order_of_ties(pairs):
    means = []
    for order in permutations(pairs):
        if all(one[0] >= two[0] for one, two in pairwise(order)):
            rights = np.cumsum([right for _, right in order])
            means.append(np.mean(rights / np.arange(1, len(order) + 1)))
    assert measure_confidence("auarc", score(pairs)).mean == pytest.approx(np.mean(means))


def test_a_perfect_separation_is_not_certain():
    found = measure_confidence("auroc", score([(0.9, 1)] * 30 + [(0.4, 0)] * 10))
    assert found.mean == found.high == 1
    assert found.low == pytest.approx(0.025 ** (1 / 10))
    assert measure_confidence("auroc", score([(0.4, 1)] * 9 + [(0.9, 0)] * 9)).low == 0
    alike = measure_confidence("auroc", score([(0.8, n % 3 == 0) for n in range(60)]))
    assert (alike.mean, alike.low, alike.high) == (0.5, 0.5, 0.5)


def test_answers_to_one_question_are_no_further_questions():
    once = score(KNOWN * 10)
    thrice = [each for each in once for _ in range(3)]
    for name in MEASURES:
        if name == "auarc":
            continue
        one, other = measure_confidence(name, once), measure_confidence(name, thrice)
        assert (other.low, other.high) == pytest.approx((one.low, one.high))
        assert (other.n, other.questions) == (180, 60)


def test_without_answers_or_with_one_question_nothing_is_claimed():
    assert measure_confidence("brier", []).mean is None
    alone = measure_confidence("ece", score([(0.7, 1)]))
    assert (alone.mean, alone.low) == (pytest.approx(0.3), None)
    assert bin_confidences([]) == []


def test_a_change_is_paired_by_question():
    draw = np.random.default_rng(1)
    hard = draw.random(200)
    before = score([(c, draw.random() < c) for c in hard])
    after = [each._replace(confidence=min(1.0, each.confidence + 0.1)) for each in before]
    found = measure_change("overconfidence", before, after + score([(0.1, 1)] * 300)[200:])
    assert found.questions == 200
    assert 0.07 < found.low <= found.mean <= found.high < 0.1
    apart = [measure_confidence("overconfidence", side) for side in (before, after)]
    assert found.high - found.low < (apart[0].high - apart[0].low) / 4


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_interval_has_the_value_in_it(seed):
    draw = np.random.default_rng(seed)
    pairs = [(c, draw.random() < c) for c in draw.random(40)]
    for name in MEASURES:
        found = measure_confidence(name, score(pairs, each=2))
        assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_intervals_of_the_error_hold_the_true_one(shift):
    draw = np.random.default_rng(7)
    held = 0
    for _ in range(40):
        stated = draw.choice([0.6, 0.8, 1.0], 80)
        found = measure_confidence(
            "ece", score([(c, draw.random() < c - shift) for c in stated.tolist()])
        )
        held += found.low <= shift + 1e-9 and found.high >= shift
    assert held >= 34


def test_few_questions_have_an_interval_as_much_wider_as_students():
    draw = np.random.default_rng(3)
    stated = draw.random(10)
    answers = [
        ScoredConfidence(str(place), float(sure), bool(draw.random() < sure))
        for place, sure in enumerate(stated)
    ]
    gaps = [Cluster(each.confidence - each.right, 1) for each in answers]
    low, high = interval(gaps, bounds=(-1.0, 1.0))
    found = measure_confidence("overconfidence", answers)
    # 2.262 of Student for 1.960 of the normal distribution, and the square root of 10 / 9
    assert (found.high - found.low) / (high - low) == pytest.approx(1.216, abs=0.08)
    assert found.low < low < high < found.high
