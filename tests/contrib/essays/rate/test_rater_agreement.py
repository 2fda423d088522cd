"""What people made of essays: scores by hand, alpha against another implementation."""

import random

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.essays.rate.rankings_analysis import Ranking, score_arm, tabulate_agreement
from moot.contrib.essays.rate.rater_agreement import krippendorff_alpha


def ranked(rater, item, aspect="quality", **places):
    return Ranking(rater, item, aspect, places)


def agreement(rankings):
    """Aspect, alpha, raters, propositions and rankings of each aspect."""
    return [row.cells for row in tabulate_agreement("props", rankings).rows]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 2, 3), (3, 2, 1)),  # the paper's example
        ((1, 1, 2), (3, 3, 1)),  # only the order counts
        ((2, 1, 2), (2, 3, 2)),
        ((1, 1, 1), (3, 3, 3)),
    ],
)
def test_scores_of_a_ranking(places, expected):
    arms = "abc"[: len(places)]
    given_places = dict(zip(arms, places, strict=True))
    assert ranked("ann", "q", **given_places).scores == dict(zip(arms, expected, strict=True))


TWO_ITEMS = [
    ranked("ann", "q1", a=1, b=2, c=3),
    ranked("bob", "q1", a=1, b=1, c=3),
    ranked("ann", "q2", a=3, b=1, c=2),
]


def test_scores_and_firsts_by_hand():
    scores, firsts = zip(*(score_arm(TWO_ITEMS, arm) for arm in "bac"), strict=True)
    assert [each.mean for each in scores] == pytest.approx([8 / 3, 7 / 3, 4 / 3])
    assert [each.mean for each in firsts] == pytest.approx([2 / 3, 2 / 3, 0])
    assert (scores[1].n, scores[1].questions) == (3, 2)
    assert 1 <= scores[1].low <= scores[1].mean <= scores[1].high <= 3


def other_alpha(units, raters):
    table = np.full((raters, len(units)), np.nan)
    for column, unit in enumerate(units):
        table[: len(unit), column] = unit
    return krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal")


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), min_size=1, max_size=12))
def test_alpha_agrees_with_another_implementation(units):
    found = krippendorff_alpha(units)
    if len({value for unit in units if len(unit) > 1 for value in unit}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(other_alpha(units, 4), abs=1e-9)


def test_nothing_to_compare_has_no_alpha():
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([[1], [2]]) is None
    assert krippendorff_alpha([[2, 2], [2, 2]]) is None
    [[_, alpha, *counts]] = agreement([ranked("ann", "q1", a=1, b=2)])
    assert (alpha.mean, alpha.low, counts) == (None, None, [1, 0, 0])
    [[_, alpha, *counts]] = agreement(
        [ranked(rater, item, a=1, b=1) for rater in "xy" for item in "qr"]
    )
    assert (alpha.mean, alpha.low, counts) == (None, None, [2, 2, 4])


def test_raters_at_random_do_not_agree_and_raters_alike_do():
    chance = random.Random(2)

    def judged(noise):
        for item in range(40):
            truth = dict(zip("abc", chance.sample(range(3), 3), strict=True))
            for rater in "xyz":
                own = {arm: place + chance.gauss(0, noise) for arm, place in truth.items()}
                order = sorted(own, key=own.__getitem__)
                yield ranked(rater, f"q{item}", **{arm: order.index(arm) + 1 for arm in "abc"})

    [[_, alike, *_]], [[_, apart, *_]] = (agreement(list(judged(each))) for each in (0.0, 1000.0))
    assert (alike.mean, alike.low, alike.high) == (1.0, None, None)
    assert abs(apart.mean) < 0.1
    assert apart.low < apart.mean < apart.high
    assert apart.low < 0 < apart.high
