"""How well scores tell outcomes: the definition written out, no claim by chance, and a fit."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.statistics.calibration import ScoredConfidence, measure_confidence
from moot.statistics.concordance import (
    ScoredOutcome,
    count_concordant,
    fit_score,
    measure_concordance,
)
from moot.statistics.intervals import clopper_pearson

CASES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([-1, 0, 1]), st.integers(0, 2)),
    min_size=1,
    max_size=20,
)


def written_out(cases):
    """The share of concordant pairs; ``cases`` are (score, outcome, how often it counts)."""
    agree = pairs = 0.0
    for (score, outcome, times), (other, result, often) in combinations(cases, 2):
        if outcome != result:
            weight = times * often
            greater = (score - other) * (outcome - result)
            agree += weight * (0.5 if greater == 0 else greater > 0)
            pairs += weight
    return agree / pairs if pairs else None


@given(CASES)
def test_it_is_the_share_of_pairs_in_which_the_greater_outcome_has_the_greater_score(cases):
    scores, outcomes, weights = np.array(cases, dtype=float).T
    [found] = count_concordant(scores, outcomes, weights[None, :])
    known = written_out(cases)
    assert np.isnan(found) if known is None else found == pytest.approx(known)


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=2, max_size=15)
)
def test_of_yes_and_no_it_is_the_auroc(pairs):
    cases = [ScoredOutcome(f"q{n}", score, int(yes)) for n, (score, yes) in enumerate(pairs)]
    answers = [ScoredConfidence(f"q{n}", score, yes) for n, (score, yes) in enumerate(pairs)]
    assert measure_concordance(cases).share.mean == measure_confidence("auroc", answers).mean


def draw(seed, strength, n=60):
    """Two cases a question whose outcome is 1 the more often, the greater the score."""
    chance = Random(seed)
    for number in range(n):
        for _ in range(2):
            score = chance.random()
            yield ScoredOutcome(
                f"q{number}", score, chance.random() < 0.3 + strength * (score - 0.5)
            )


def test_what_is_there_is_found_and_what_is_not_is_rarely_claimed():
    there = [measure_concordance([*draw(seed, 0.5)]).p for seed in range(20)]
    absent = [measure_concordance([*draw(seed, 0.0)]) for seed in range(60)]
    assert sum(p <= 0.05 for p in there) >= 18
    assert sum(each.p <= 0.05 for each in absent) <= 8  # 9 or more of 60 have 0.5 % at 5 %
    for each in absent:
        assert (each.p > 0.05) == (each.share.low <= 0.5 <= each.share.high)


def test_a_perfect_score_of_few_questions_is_no_certainty():
    perfect = [ScoredOutcome(f"q{n}", float(n), int(n >= 8)) for n in range(18)]
    found = measure_concordance(perfect)
    assert found.share.mean == found.share.high == 1.0
    assert found.share.low == pytest.approx(clopper_pearson(8, 8)[0])
    assert found.p == pytest.approx(2 / 2**8)
    few = measure_concordance([each._replace(outcome=int(each.score > 10)) for each in perfect])
    assert (few.share.mean, few.share.low, few.p) == (1.0, None, None)
    backwards = measure_concordance([each._replace(score=-each.score) for each in perfect])
    assert (backwards.share.mean, backwards.p) == (0.0, found.p)
    same = measure_concordance([each._replace(score=1.0) for each in perfect])
    assert (same.share.mean, same.p) == (0.5, 1.0)


def test_a_fitted_score_weighs_what_tells_and_nothing_that_never_varies():
    chance = Random(1)
    facts = [(chance.random(), chance.random(), 3.0) for _ in range(400)]
    outcomes = [int(chance.random() < first) for first, _, _ in facts]
    score = fit_score(facts, outcomes)
    assert score((1.0, 0.5, 3.0)) - score((0.0, 0.5, 3.0)) > 0.5
    assert abs(score((0.5, 1.0, 3.0)) - score((0.5, 0.0, 3.0))) < 0.2
    assert score((0.5, 0.5, 9.0)) == score((0.5, 0.5, 3.0))
