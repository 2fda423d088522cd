"""Numbers of questions against studies that are drawn, and against the exact test."""

import importlib.util
import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import moot
from moot.core.errors import InputError
from moot.statistics.planning import MOST, PROMISED, Walk, plan_rest
from moot.statistics.power import power_of_mcnemar
from moot.statistics.sequences import STAKES, START

BENCH = Path(__file__).parents[2] / "bench" / "worth.py"


def draw(seed, studies, looks, difference, discordance):
    """Return how often each study was won, tied and lost after each look."""
    random = np.random.default_rng(seed)
    lost = (discordance - difference) / 2
    drawn = random.random((studies, looks))
    kinds = drawn >= 1 - lost - difference, drawn < lost
    won, lost = (kind.cumsum(axis=1) for kind in kinds)
    return won, np.arange(1, looks + 1) - won - lost, lost


def reached(counts, mean, level):
    """Return the looks at which bets on more than a mean have been won by then."""
    won, tied, lost = (np.asarray(each, dtype=float) for each in counts)
    capital = 0.0
    for stake, start in zip(STAKES, START, strict=True):
        ways = [np.log(1 + stake * ((1 + v) / (1 + mean) - 1)) for v in (1, 0, -1)]
        capital = capital + np.exp(start + won * ways[0] + tied * ways[1] + lost * ways[2])
    return np.maximum.accumulate(capital >= 2 / (1 - level), axis=1)


def quantile(settled, share):
    """Return the first look by which this share of studies has settled."""
    return int(np.argmax(settled.mean(axis=0) >= share)) + 1


@pytest.mark.parametrize(
    ("difference", "discordance", "methods"),
    [(0.1, 0.1, 1), (0.1, 0.2, 1), (0.15, 0.4, 1), (0.1, 0.3, 4), (0.05, 0.07, 2)],
)
def test_a_difference_takes_as_many_as_in_drawn_studies(difference, discordance, methods):
    planned = moot.plan(difference, discordance, methods=methods).shown
    counts = draw(5, 4000, planned.each * 5 // 4, difference, discordance)
    settled = reached(counts, 0.0, 1 - 0.05 / methods)
    assert planned.each == pytest.approx(quantile(settled, 0.8), rel=0.05)
    assert planned.half == pytest.approx(quantile(settled, 0.5), rel=0.05)
    found = power_of_mcnemar(planned.once, difference, discordance, tests=methods)
    assert 0.8 <= found < 0.83


@pytest.mark.parametrize(("discordance", "margin"), [(0.1, 0.06), (0.2, 0.1), (0.02, 0.03)])
def test_that_none_is_better_takes_as_many_as_in_drawn_studies(discordance, margin):
    planned = moot.plan(margin, discordance, margin=margin).equal
    won, tied, lost = draw(6, 4000, planned.each * 5 // 4, 0.0, discordance)
    low, high = (reached(each, -margin, 0.95) for each in ((won, tied, lost), (lost, tied, won)))
    assert planned.each == pytest.approx(quantile(low & high, 0.8), rel=0.05)
    assert planned.half == pytest.approx(quantile(low & high, 0.5), rel=0.05)
    if discordance * planned.once < 10:
        return  # too few differ for the normal interval of a whole study
    looks = np.arange(planned.once, planned.once + round(1 / margin))  # a sum is a whole number
    means = (won - lost)[:, looks - 1] / looks
    inside = np.abs(means) + 1.96 * np.sqrt(discordance / looks) <= margin
    assert inside.mean() == pytest.approx(0.8, abs=0.03)


def test_more_methods_and_more_power_take_more_questions():
    one = moot.plan(0.1, 0.3)
    for more in (moot.plan(0.1, 0.3, methods=5), moot.plan(0.1, 0.3, power=0.95)):
        assert more.shown.each > one.shown.each
        assert more.shown.once > one.shown.once
        assert more.equal.each > one.equal.each
        assert more.equal.once > one.equal.once
    assert moot.plan(0.3, 0.1).shown == moot.plan(0.3, 0.3).shown  # no less than the difference


def test_a_number_beyond_reach_is_none():
    assert moot.plan(0.001, 0.1).shown.each is None
    assert moot.plan(0.001, 0.1).shown.once is None
    assert moot.plan(0.02, 0.2, margin=0.02).equal.each <= MOST


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"difference": 5}, "difference 5: it is above 0, to 1, such as 0.05 for 5 points"),
        ({"difference": 0}, "difference 0: it is above 0"),
        ({"discordance": 20}, "discordance 20: it is above 0, to 1, such as 0.2"),
        ({"margin": -0.1}, "margin -0.1: it is above 0"),
        ({"power": 80}, "power 80: it is above 0 and below 1, such as 0.8"),
        ({"power": float("nan")}, "power nan: it is above 0"),
        ({"methods": 0}, "methods 0: there is at least 1"),
    ],
)
def test_what_cannot_be_is_named(given, said):
    with pytest.raises(InputError, match=said):
        moot.plan(**({"difference": 0.05, "discordance": 0.2} | given))


def test_the_rest_settles_as_many_studies_as_it_says():
    """Of all truths that go with what was seen, not of the mean alone."""
    begun, n, mean, differing, margin = (16, 96, 8), 120, 8 / 120, 24 / 120, 0.1
    rest = plan_rest(n, mean, differing, 0.95, margin)
    random = np.random.default_rng(8)
    truths = random.normal(mean, sqrt((differing - mean**2) / n), size=400).clip(-0.2, 0.2)
    parts = [draw(seed, 10, rest, truth, differing) for seed, truth in enumerate(truths)]
    wins = zip(*parts, strict=True)
    counts = [start + np.concatenate(part) for start, part in zip(begun, wins, strict=True)]
    better, worse = reached(counts, 0.0, 0.95), reached(counts[::-1], 0.0, 0.95)
    equal = reached(counts, -margin, 0.95) & reached(counts[::-1], -margin, 0.95)
    assert (better | worse | equal)[:, -1].mean() == pytest.approx(0.82, abs=0.05)


def test_no_one_is_promised_a_sample_without_end():
    assert plan_rest(1000, 0.01, 0.4, 0.9875, 0.02) is None
    assert plan_rest(300, 0.0, 0.2, 0.95, 0.0) is None
    assert plan_rest(100, 0.02, 0.2, 0.95, 0.05) <= PROMISED
    assert plan_rest(50, 0.0, 0.0, 0.95, 0.05) >= 100  # none differed yet: some may
    assert plan_rest(400, 0.1, 0.2, 0.95, 0.05) < plan_rest(400, 0.04, 0.2, 0.95, 0.05)
    assert plan_rest(2, 0.5, 0.5, 0.95, 0.05) is not None
    assert plan_rest(1, -1.0, 1.0, 0.95, 0.05) is not None


def test_no_study_is_lost_on_the_way():
    """A difference as great as can be settles all; every chance grows, to 1 in all."""
    walk = Walk([-0.3, 0.0, 0.3], 0.3, 0.95, 0.2)
    chances = [walk.find_chance(n, [0, 1, 2]) for n in range(0, 1500, 50)]
    assert np.diff(chances).min() > -1e-5  # counts beyond five deviations are left out
    assert chances[0] == 0
    assert chances[-1] == pytest.approx(1, abs=1e-3)
    assert walk.find_chance(1500, [0]) == pytest.approx(walk.find_chance(1500, [1]))


@pytest.mark.soak
def test_a_small_part_of_the_benchmark():
    """Few false claims at every look, what is planted found as often as planned."""
    spec = importlib.util.spec_from_file_location("worth", BENCH)
    bench = importlib.util.module_from_spec(spec)
    sys.modules["worth"] = bench
    spec.loader.exec_module(bench)
    random = np.random.default_rng(3)
    for truth, methods, drawn in (
        (0.0, 1, bench.draw_outcomes),
        (0.0, 4, bench.draw_outcomes),
        (0.05, 1, bench.draw_outcomes),
        (-0.05, 1, bench.draw_outcomes),
        (0.0, 1, bench.draw_replicates),
    ):
        found = bench.find_false(random, 2000, 1000, truth, 0.2, methods, drawn)
        assert found["false"]["ends"][0] <= 0.05
        assert found["outside"]["ends"][0] <= 0.05
        assert found["outside"]["count"] > 0
        if "exact" in found:
            assert found["exact"]["share"] > 0.15
    for difference in (0.1, -0.1, 0.15):
        found = bench.find_planted(random, 2000, difference, 0.2)
        assert found["found"]["share"] == pytest.approx(0.8, abs=0.03)
        assert found["found_fixed"]["share"] == pytest.approx(0.8, abs=0.03)
        assert found["wrong"]["share"] < 0.01
