"""Which arm is preferred: by hand, in any order, and where the truth is known."""

import random
from itertools import combinations
from math import exp

import pytest

from moot.contrib.essays.assess.preference import (
    Comparison,
    drop_single_orders,
    rate_arms,
    tabulate_orders,
    tabulate_pairs,
    tabulate_rates,
)
from moot.statistics.strengths import measure_strengths


def said(question, first, second, winner, *, replicate=0, order=0, aspect="quality"):
    arms = {"first_arm": first, "second_arm": second}
    of = {"question": question, "replicate": replicate, "order": order, "aspect": aspect}
    return Comparison(winner=winner, **arms, **of)


THREE = [
    said("q1", "a", "b", "first"),
    said("q1", "b", "a", "second", order=1),
    said("q2", "a", "b", "tie"),
    said("q2", "b", "a", "first", order=1),
    said("q3", "a", "b", None),
    said("q3", "b", "a", "second", order=1),
]
"""a wins 3, b 1, one tie, one is not read; the orders agree in one pair of two."""


def strengths(judged, **given):
    read = [each for each in judged if each.winner]
    return measure_strengths(
        [(each.question, *each.arms, each.worth(each.first_arm)) for each in read], **given
    )


def pairs(judged, arms="abc"):
    """Arm, against, rate, won, tied, lost, p and Holm's p of each pair."""
    return [row.cells for row in tabulate_pairs("", judged, arms).rows]


def orders(judged):
    """Aspect, agreement, first, p, pairs, first twice and second twice of each aspect."""
    return [row.cells for row in tabulate_orders("", judged).rows]


def test_one_order_alone_counts_for_nobody():
    fair = drop_single_orders(THREE)
    assert [each.winner for each in fair] == ["first", "second", "tie", "first", None, None]
    a, b = rate_arms(fair).values()
    assert (a.won, a.tied, a.lost, a.left_out) == (2, 1, 1, 2)
    assert (a.rate.mean, b.rate.mean) == (2.5 / 4, 1.5 / 4)
    assert drop_single_orders(fair) == fair
    # Whoever always takes the first essay, and now and then answers nothing, prefers no arm.
    biased = [
        said(f"q{k}", *pair, None if k % 3 == order else "first", order=order)
        for k in range(30)
        for order, pair in enumerate((("a", "b"), ("b", "a")))
    ]
    fair = drop_single_orders(biased)
    assert [each.rate.mean for each in rate_arms(fair).values()] == [0.5, 0.5]
    assert {each.mean for each in strengths(fair)[0].values()} == {0.0}


def test_rates_by_hand():
    rates = rate_arms(THREE)
    a, b = rates.values()
    assert list(rates) == ["a", "b"]
    assert (a.won, a.tied, a.lost, a.left_out) == (3, 1, 1, 1)
    assert (b.won, b.tied, b.lost, b.left_out) == (1, 1, 3, 1)
    assert a.rate.mean == pytest.approx(3.5 / 5)
    assert b.rate.mean == pytest.approx(1.5 / 5)
    assert (a.rate.n, a.rate.questions) == (5, 3)
    assert a.rate.low < 0.7 < a.rate.high
    assert b.rate.low == pytest.approx(1 - a.rate.high)
    [[one, other, rate, *counts, p, holm]] = pairs(THREE)
    assert (one, other, rate, counts) == ("a", "b", a.rate, [3, 1, 1])
    # The propositions lie 1, -1/2 and 1/2 from even: 6 of 8 changes of sign are as far from 0.
    assert p == holm == pytest.approx(6 / 8)
    [[one, other, rate, *_]] = pairs(THREE, "cba")
    assert (one, other, rate.mean) == ("b", "a", pytest.approx(0.3))
    [first, second] = tabulate_rates("", THREE).rows
    assert [first.cells[0], *first.cells[3:]] == ["a", 3, 1, 1, 1]
    assert first.cells[2].mean == pytest.approx(-second.cells[2].mean)


def test_a_judge_that_sees_places_alone_is_found_out():
    always = [
        said(f"q{n}", *pair, "first", order=order)
        for n in range(12)
        for order, pair in enumerate(("ab", "ba"))
    ]
    [[_, agree, first, p, *counts]] = orders(always)
    assert (agree.mean, first.mean, counts) == (0.0, 1.0, [12, 12, 0])
    assert first.low > 0.7
    assert p == pytest.approx(2 / 2**12)
    [[*_, rate, _, _, _, p, _]] = pairs(always)
    assert (rate.mean, p) == (0.5, 1.0)
    assert [each.mean for each in strengths(always)[0].values()] == pytest.approx([0, 0], abs=1e-12)


def drawn(chance, truth, propositions):
    """Judgements in both orders by a judge who decides as the model of the strengths says."""
    for n in range(propositions):
        for one, other in combinations(truth, 2):
            for order, (first, second) in enumerate(((one, other), (other, one))):
                wins = chance.random() < 1 / (1 + exp(truth[second] - truth[first]))
                yield said(f"q{n}", first, second, "first" if wins else "second", order=order)


def test_planted_strengths_are_found_and_their_intervals_hold_them():
    truth = {"a": 1.0, "b": 0.25, "c": -0.25, "d": -1.0}
    chance, held, errors, widths = random.Random(11), 0, [], []
    for _ in range(25):
        judged = list(drawn(chance, truth, 60))
        for arm, each in strengths(judged, resamples=300)[0].items():
            held += each.low <= truth[arm] <= each.high
            errors.append(each.mean - truth[arm])
            widths.append(each.high - each.low)
    assert held / 100 >= 0.88
    assert sum(widths) / 100 < 0.5
    assert abs(sum(errors) / len(errors)) < 1e-9
    assert max(map(abs, errors)) < 0.6
