"""What people made of essays: scores by hand, alpha against another implementation."""

import random

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.essays.rate.human_scores import Ranking, measure_agreement, score_arms, score_places
from moot.essays.rate.rater_agreement import krippendorff_alpha


def ranked(rater, item, aspect="quality", **places):
    return Ranking(rater=rater, item=item, aspect=aspect, places=places)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 2, 3), (3, 2, 1)),  # the paper's example
        ((1, 1, 3), (3, 3, 1)),
        ((1, 1, 2), (3, 3, 1)),  # only the order counts
        ((2, 1, 2), (2, 3, 2)),
        ((1, 1, 1), (3, 3, 3)),
        ((7, 9), (2, 1)),
    ],
)
def test_scores_of_a_ranking(places, expected):
    arms = "abc"[: len(places)]
    given_places = dict(zip(arms, places, strict=True))
    assert score_places(given_places) == dict(zip(arms, expected, strict=True))


TWO_ITEMS = [
    ranked("ann", "q1", a=1, b=2, c=3),
    ranked("bob", "q1", a=1, b=1, c=3),
    ranked("ann", "q2", a=3, b=1, c=2),
]


def test_scores_and_firsts_by_hand():
    b, a, c = score_arms(TWO_ITEMS)
    assert [each.arm for each in (b, a, c)] == ["b", "a", "c"]
    assert [each.score.mean for each in (b, a, c)] == pytest.approx([8 / 3, 7 / 3, 4 / 3])
    assert [each.first.mean for each in (b, a, c)] == pytest.approx([2 / 3, 2 / 3, 0])
    assert (a.rankings, a.score.n, a.score.questions) == (3, 3, 2)
    assert 1 <= a.score.low <= a.score.mean <= a.score.high <= 3


def test_shares_ranked_first_add_up_to_more_than_1_where_there_are_ties():
    assert sum(each.first.mean for each in score_arms(TWO_ITEMS)) == pytest.approx(4 / 3)


def test_a_later_ranking_takes_the_place_of_an_earlier():
    again = [*TWO_ITEMS, ranked("ann", "q1", a=3, b=2, c=1)]
    assert score_arms(again) == score_arms([again[3], *again[1:3]])
    assert measure_agreement(again, resamples=10) == measure_agreement(
        [again[3], *again[1:3]], resamples=10
    )


def test_aspects_are_kept_apart():
    both = [*TWO_ITEMS, ranked("ann", "q1", "persuasiveness", a=2, b=1)]
    assert [(each.aspect, each.arm) for each in score_arms(both)][3:] == [
        ("persuasiveness", "b"),
        ("persuasiveness", "a"),
    ]
    assert [each.aspect for each in measure_agreement(both, resamples=10)] == [
        "quality",
        "persuasiveness",
    ]


@given(st.permutations(TWO_ITEMS))
def test_the_order_of_rankings_changes_nothing(again):
    assert score_arms(again) == score_arms(TWO_ITEMS)
    assert measure_agreement(again, resamples=20) == measure_agreement(TWO_ITEMS, resamples=20)


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


def test_so_it_does_on_much_data_with_values_missing():
    chance = random.Random(5)
    units = []
    for _ in range(200):
        true = chance.gauss(3, 1)
        given_values = [round(true + chance.gauss(0, 0.7)) for _ in range(5)]
        units.append(given_values[: chance.randrange(6)])
    found = krippendorff_alpha(units)
    assert 0.4 < found < 0.8
    assert found == pytest.approx(other_alpha(units, 5))


def test_alpha_by_hand():
    # Two raters, the units 1-1, 1-2, 2-2. Of the six values, three
    # are 1 and three 2: chance pairs unlike values with 3 * 3 of 6 * 5 / 2; one unit of three is
    # unlike, which is 1 - 5 * 1 / (3 * 3) of it.
    assert krippendorff_alpha([[1, 1], [1, 2], [2, 2]]) == pytest.approx(1 - 5 * 1 / 9)
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3], [5]]) == 1.0
    assert krippendorff_alpha([[1, 2], [2, 1]]) == pytest.approx(1 - 3 * 2 / 4)


def test_nothing_to_compare_has_no_alpha():
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([[1], [2]]) is None
    assert krippendorff_alpha([[2, 2], [2, 2]]) is None
    (found,) = measure_agreement([ranked("ann", "q1", a=1, b=2)])
    assert (found.alpha, found.low, found.items, found.raters) == (None, None, 0, 1)
    (tied,) = measure_agreement([ranked(rater, item, a=1, b=1) for rater in "xy" for item in "qr"])
    assert (tied.alpha, tied.low, tied.items) == (None, None, 2)


def test_agreement_counts_what_is_compared():
    (found,) = measure_agreement(TWO_ITEMS)
    assert (found.raters, found.items, found.rankings) == (2, 1, 2)
    assert (found.low, found.high) == (None, None)
    assert found.alpha == pytest.approx(krippendorff_alpha([[3, 3], [2, 3], [1, 1]]))


def test_raters_at_random_do_not_agree_and_raters_alike_do():
    chance = random.Random(2)

    def judged(noise):
        for item in range(40):
            truth = dict(zip("abc", chance.sample(range(3), 3), strict=True))
            for rater in "xyz":
                own = {arm: place + chance.gauss(0, noise) for arm, place in truth.items()}
                order = sorted(own, key=own.__getitem__)
                yield ranked(rater, f"q{item}", **{arm: order.index(arm) + 1 for arm in "abc"})

    (alike,), (random_,) = (
        measure_agreement(list(judged(0.0))),
        measure_agreement(list(judged(1000.0))),
    )
    assert (alike.alpha, alike.low, alike.high) == (1.0, None, None)
    assert abs(random_.alpha) < 0.1
    assert random_.low < random_.alpha < random_.high
    assert random_.low < 0 < random_.high
