"""Which arm is preferred: by hand, in any order, and where the truth is known."""

import random
from itertools import combinations
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.essays.assess.preference import (
    Comparison,
    bradley_terry,
    drop_single_orders,
    measure_orders,
    pair_rates,
    win_rates,
)

WINNERS = ("first", "second", "tie", None)


def said(question, first, second, winner, *, replicate=0, order=0, aspect="quality"):
    return Comparison(
        question=question,
        aspect=aspect,
        first_arm=first,
        second_arm=second,
        replicate=replicate,
        winner=winner,
        order=order,
    )


THREE = [
    said("q1", "a", "b", "first"),
    said("q1", "b", "a", "second", order=1),
    said("q2", "a", "b", "tie"),
    said("q2", "b", "a", "first", order=1),
    said("q3", "a", "b", None),
    said("q3", "b", "a", "second", order=1),
]
"""a wins 3, b 1, one tie, one is not read; the orders agree in one pair of two."""


def test_one_order_alone_counts_for_nobody():
    fair = drop_single_orders(THREE)
    assert [each.winner for each in fair] == ["first", "second", "tie", "first", None, None]
    a, b = win_rates(fair)
    assert (a.arm, a.won, a.tied, a.lost, a.unread) == ("a", 2, 1, 1, 2)
    assert (a.rate.mean, b.rate.mean) == (2.5 / 4, 1.5 / 4)
    assert drop_single_orders(fair) == fair
    # Whoever always takes the first essay, and now and then answers nothing, prefers no arm.
    biased = [
        said(f"q{k}", *pair, None if k % 3 == order else "first", order=order)
        for k in range(30)
        for order, pair in enumerate((("a", "b"), ("b", "a")))
    ]
    assert [each.rate.mean for each in win_rates(drop_single_orders(biased))] == [0.5, 0.5]
    assert {each.strength for each in bradley_terry(drop_single_orders(biased), resamples=50)} == {
        0.0
    }


def test_rates_by_hand():
    a, b = win_rates(THREE)
    assert (a.arm, a.won, a.tied, a.lost, a.unread) == ("a", 3, 1, 1, 1)
    assert (b.arm, b.won, b.tied, b.lost, b.unread) == ("b", 1, 1, 3, 1)
    assert a.rate.mean == pytest.approx(3.5 / 5)
    assert b.rate.mean == pytest.approx(1.5 / 5)
    assert a.ties.mean == b.ties.mean == pytest.approx(1 / 5)
    assert (a.rate.n, a.rate.questions) == (5, 3)
    assert a.rate.low < 0.7 < a.rate.high
    assert a.p is None
    (pair,) = pair_rates(THREE)
    assert (pair.arm, pair.against) == ("a", "b")
    assert pair.rate == a.rate
    # The propositions lie 1, -1/2 and 1/2 from even: 6 of 8 changes of sign are as far from 0.
    assert pair.p == pair.p_holm == pytest.approx(6 / 8)
    (other,) = pair_rates(THREE, arms=["c", "b"])
    assert (other.arm, other.against, other.rate.mean) == ("b", "a", pytest.approx(0.3))


def test_one_comparison_for_each_proposition_has_the_exact_interval():
    (pair,) = pair_rates([said(f"q{n}", "a", "b", "first") for n in range(10)])
    assert (pair.rate.low, pair.rate.high) == (pytest.approx(0.6915, abs=1e-4), 1.0)
    assert pair.p == pytest.approx(2 / 2**10)


def test_aspects_are_kept_apart():
    both = [said("q1", "a", "b", "first"), said("q1", "a", "b", "second", aspect="persuasion")]
    assert [(each.aspect, each.won) for each in pair_rates(both)] == [
        ("quality", 1),
        ("persuasion", 0),
    ]
    assert [each.aspect for each in measure_orders(both)] == ["quality", "persuasion"]
    assert [(each.aspect, each.arm) for each in bradley_terry(both)] == [
        ("quality", "a"),
        ("quality", "b"),
        ("persuasion", "b"),
        ("persuasion", "a"),
    ]


def test_the_p_of_many_pairs_is_corrected():
    of_three = [said(f"q{n}", *pair, "first") for n in range(8) for pair in ("ab", "ac", "bc")]
    assert {each.p for each in pair_rates(of_three)} == {2 / 2**8}
    assert {each.p_holm for each in pair_rates(of_three)} == {3 * 2 / 2**8}


def test_orders_by_hand():
    (found,) = measure_orders(THREE)
    assert (found.pairs, found.single) == (2, 2)
    assert found.agreement.mean == 0.5
    # Of the three that are no ties, what was shown first won in q1 once and in q2.
    assert found.first.mean == pytest.approx(2 / 3)
    assert (found.to_first, found.to_second) == (0, 0)


def test_a_judge_that_sees_places_alone_is_found_out():
    always = [
        said(f"q{n}", *pair, "first", order=order)
        for n in range(12)
        for order, pair in enumerate(("ab", "ba"))
    ]
    (found,) = measure_orders(always)
    assert (found.agreement.mean, found.first.mean) == (0.0, 1.0)
    assert (found.to_first, found.to_second) == (12, 0)
    assert found.first.low > 0.7
    assert found.p == pytest.approx(2 / 2**12)
    (pair,) = pair_rates(always)
    assert (pair.rate.mean, pair.p) == (0.5, 1.0)
    assert [each.strength for each in bradley_terry(always)] == pytest.approx([0, 0], abs=1e-12)


def test_ties_in_both_orders_agree_and_favour_no_place():
    (found,) = measure_orders([said("q", "a", "b", "tie"), said("q", "b", "a", "tie", order=1)])
    assert (found.agreement.mean, found.first.mean, found.p) == (1.0, None, None)


def test_strengths_of_two_arms_by_hand():
    # 3 and a half wins to 1 and a half, and half a win more for each: the odds are 4 to 2.
    a, b = bradley_terry(THREE)
    assert exp(a.strength - b.strength) == pytest.approx(2)
    assert a.strength + b.strength == pytest.approx(0, abs=1e-12)
    assert (a.comparisons, a.finite) == (5, True)
    assert a.low < a.strength < a.high
    assert (b.low, b.high) == (pytest.approx(-a.high), pytest.approx(-a.low))


def test_strengths_of_three_arms_solve_their_equations():
    chance = random.Random(3)
    judged = [
        said(f"q{n}", one, other, chance.choice(WINNERS[:3]))
        for n in range(20)
        for one, other in combinations("abc", 2)
    ]
    found = {each.arm: each.strength for each in bradley_terry(judged, resamples=10)}
    for arm, strength in found.items():
        others = [other for other in found if other != arm]
        wins = sum(each.worth(arm) for each in judged if arm in (each.first_arm, each.second_arm))
        expected = sum(21 / (1 + exp(found[other] - strength)) for other in others)
        assert wins + 0.5 * len(others) == pytest.approx(expected, abs=1e-9)


def test_an_arm_that_wins_all_is_finite_by_the_added_tie_and_says_so():
    judged = [said(f"q{n}", "a", "b", "first") for n in range(10)]
    a, b = bradley_terry(judged)
    assert exp(a.strength - b.strength) == pytest.approx(10.5 / 0.5)
    assert not a.finite
    assert not b.finite
    # Of ten propositions alike, 31 % may be unlike them (Clopper and Pearson).
    seen = 0.025**0.1
    assert exp(2 * a.low) == pytest.approx((10 * seen + 0.5) / (10 - 10 * seen + 0.5))
    assert a.high == a.strength


def test_arms_never_compared_have_no_strength():
    apart = [said("q1", "a", "b", "first"), said("q2", "c", "d", "first")]
    assert {each.strength for each in bradley_terry(apart)} == {None}
    linked = [*apart, said("q1", "b", "c", "tie")]
    a, b, c, d = (each.strength for each in sorted(bradley_terry(linked), key=lambda x: x.arm))
    # Two wins of 3 to 1 with the added ties, and a tie between b and c.
    assert (exp(a - b), exp(c - d)) == (pytest.approx(3), pytest.approx(3))
    assert b == pytest.approx(c)


def test_one_proposition_has_no_interval_and_nothing_read_no_strength():
    (a, _) = bradley_terry([said("q1", "a", "b", "first")])
    assert (a.low, a.high) == (None, None)
    assert bradley_terry([said("q1", "a", "b", None)]) == []
    (pair,) = pair_rates([said("q1", "a", "b", None)])
    assert (pair.rate.mean, pair.unread, pair.p) == (None, 1, None)
    assert measure_orders([]) == win_rates([]) == pair_rates([]) == bradley_terry([]) == []


JUDGED = st.lists(
    st.builds(
        said,
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from("ab"),
        st.sampled_from("cd"),
        st.sampled_from(WINNERS),
        replicate=st.integers(0, 2),
    ),
    max_size=12,
)


@given(JUDGED, st.randoms(use_true_random=False))
def test_the_order_of_comparisons_changes_nothing(judged, chance):
    again = chance.sample(judged, len(judged))
    assert {(each.arm, each.rate) for each in win_rates(again)} == {
        (each.arm, each.rate) for each in win_rates(judged)
    }
    one, other = (
        {each.arm: each for each in bradley_terry(each, resamples=20)} for each in (judged, again)
    )
    assert one == other


def drawn(chance, truth, propositions):
    """Judgements in both orders by a judge who decides as the model of the strengths says."""
    for n in range(propositions):
        for one, other in combinations(truth, 2):
            for order, (first, second) in enumerate(((one, other), (other, one))):
                wins = chance.random() < 1 / (1 + exp(truth[second] - truth[first]))
                yield said(f"q{n}", first, second, "first" if wins else "second", order=order)


def test_planted_strengths_are_found_and_their_intervals_hold_them():
    truth = {"a": 1.0, "b": 0.25, "c": -0.25, "d": -1.0}
    chance, held, errors = random.Random(11), 0, []
    for _ in range(25):
        judged = list(drawn(chance, truth, 60))
        for each in bradley_terry(judged, resamples=300):
            held += each.low <= truth[each.arm] <= each.high
            errors.append(each.strength - truth[each.arm])
    assert 0.88 <= held / 100 <= 0.99
    assert abs(sum(errors) / len(errors)) < 1e-9
    assert max(map(abs, errors)) < 0.6
