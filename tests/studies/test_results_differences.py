"""An arm against its baseline, by hand: which debates are paired, and what is shown."""

import pytest

from moot.core.results import Difference
from moot.core.stored import Arm
from moot.statistics.power import smallest_difference
from moot.studies.run_results import find_baselines
from support.results import results, row


def test_only_the_same_question_and_replicate_are_paired():
    rows = [
        row("base", "q1", 0),
        row("base", "q2", 1),
        row("base", "q3", 1, replicate=1),
        row("base", "only here", 1),
        row("new", "q1", 1),
        row("new", "q2", 0),
        row("new", "q3", 1, replicate=0),
        row("new", "q1", 1, dataset="other"),
        row("new", "only there", 1),
    ]
    gap = results(rows)["sums", "new"].difference
    assert (gap.pairs, gap.questions, gap.better, gap.worse) == (2, 2, 1, 1)
    assert (gap.mean, gap.p) == (0.0, 1.0)
    assert results(rows)["other", "new"].difference is None  # the baseline was not run there


def test_mcnemar_counts_questions_not_replicates():
    rows = [
        row(arm, f"q{q}", right, replicate=k)
        for q in range(5)
        for k in range(10)
        for arm, right in (("base", 0), ("new", 1))
    ]
    gap = results(rows)["sums", "new"].difference
    assert (gap.pairs, gap.questions, gap.better, gap.worse) == (50, 5, 5, 0)
    assert gap.p == 2 / 2**5
    assert gap.mean == 1.0
    assert gap.high == 1.0
    assert gap.low < 0.5  # five questions alike are not certainty


def test_each_p_is_corrected_for_the_arms_of_its_dataset():
    """Eight, seven and three questions won and none lost: p is 2 to the power of 1 - wins."""
    won = {"base": 0, "eight": 8, "seven": 7, "three": 3}
    rows = [row(arm, f"q{q}", q < wins) for arm, wins in won.items() for q in range(10)]
    rows += [
        row(arm, f"q{q}", q < won[arm], dataset="b") for arm in ("base", "three") for q in range(9)
    ]
    rows += [row("apart", "elsewhere", 1)]
    got = results(rows)
    adjusted = {
        name: arm.difference.p_holm
        for (on, name), arm in got.items()
        if arm.difference and on == "sums"
    }
    assert adjusted == {"eight": 3 * 2**-7, "seven": 2 * 2**-6, "three": 2**-2, "apart": None}
    assert got["b", "three"].difference.p_holm == got["b", "three"].difference.p == 2**-2


def test_what_is_alike_failed_or_nowhere_in_common():
    values = {("base", 0): 1, ("base", 1): 0, ("new", 0): 0, ("new", 1): 1}
    rows = [row(arm, "q1", right, replicate=k) for (arm, k), right in values.items()]
    gap = results(rows)["sums", "new"].difference
    assert (gap.better, gap.worse, gap.mean, gap.low) == (0, 0, 0.0, None)
    rows = [row("base", "q1", 1), row("new", "q2", 1)]
    assert results(rows)["sums", "new"].difference == Difference()
    rows = [row("base", "q1", 1), row("new", "q1", 0, failed=True)]
    gap = results(rows)["sums", "new"].difference
    assert (gap.mean, gap.pairs, gap.worse) == (-1.0, 1, 1)


def test_the_smallest_difference_that_could_have_been_shown():
    rows = [row("base", f"q{q}", q % 2) for q in range(200)]
    rows += [row("new", f"q{q}", q % 2 if q > 40 else 1 - q % 2) for q in range(200)]
    rows += [row("few", f"q{q}", 1) for q in range(5)]
    got = results(rows)
    assert got["sums", "new"].difference.smallest == smallest_difference(200, 41 / 200)
    assert got["sums", "few"].difference.smallest is None


def test_with_replicates_p_is_of_signs_and_the_spread_is_split():
    """Won by 3, 3, 2, 2, 1, 1 of three replicates and lost by 1: of 128 signs 8 go so far."""
    won = [3, 3, 2, 2, 1, 1]
    rows = [row("base", f"q{q}", 0, replicate=k) for q in range(6) for k in range(3)]
    rows += [row("new", f"q{q}", k < won[q], replicate=k) for q in range(6) for k in range(3)]
    rows += [row("base", "q6", k < 1, replicate=k) for k in range(3)]
    rows += [row("new", "q6", 0, replicate=k) for k in range(3)]
    got = results(rows)
    new = got["sums", "new"]
    assert (new.difference.better, new.difference.worse) == (6, 1)
    assert new.difference.p == pytest.approx(8 / 128)  # McNemar's is 16 / 128
    assert new.variance.seed == pytest.approx(4 * (2 / 3) / 14)
    assert got["sums", "base"].variance.question == 0.0
    assert results(rows[:1])["sums", "base"].variance is None


def arm(name, protocol, **settings):
    return Arm(name=name, protocol=protocol, settings={"model": "a", **settings})


def test_each_model_has_the_baseline_that_differs_from_the_first_by_the_model_alone():
    arms = [
        arm("one a", "single", style="cot"),
        arm("one b", "single", style="cot", model="b"),
        arm("other b", "single", style="simple", model="b"),
        arm("society a", "society-of-minds"),
        arm("society b", "society-of-minds", model="b"),
        arm("society c", "society-of-minds", model="c"),
        arm("mixed", "society-of-minds", cast=[{"model": "b"}]),
    ]
    against = {"one a": "one a", "one b": "one b", "other b": "one b", "society a": "one a"}
    against |= {"society b": "one b", "society c": "one a", "mixed": "one a"}
    assert find_baselines(arms, "one a") == against
    assert find_baselines(arms, None) == {}


def test_an_arm_is_compared_with_the_baseline_of_its_model():
    right = {"one a": 0, "one b": 1, "society a": 1, "society b": 1}
    rows = [row(name, f"q{q}", value) for name, value in right.items() for q in range(6)]
    against = {"one a": "one a", "one b": "one b", "society a": "one a", "society b": "one b"}
    got = results(rows, baseline="one a", baselines=against)
    gaps = {name: made.difference and made.difference.mean for (_, name), made in got.items()}
    assert gaps == {"one a": None, "one b": None, "society a": 1.0, "society b": 0.0}
    assert {name: made.baseline for (_, name), made in got.items()} == against
