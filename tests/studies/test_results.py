"""From debates to results, by hand."""

import random

import msgspec
import pytest

from moot.core.results import ArmResult, Difference, Flips, Measure, Results
from moot.core.stored import DebateValues
from moot.studies.results import summarise
from moot.studies.statistics.intervals import Cluster, clopper_pearson
from moot.studies.statistics.power import smallest_difference, smallest_mean_difference


def row(arm, question, right, *, replicate=0, dataset="sums", **values):
    """A debate: ``right`` is 1, 0, or None where no right answer is known."""
    failed = values.pop("failed", False)
    accuracy = None if right is None else float(right)
    measured = {"accuracy": accuracy, "calls": 2.0, "failed": float(failed), "unparsed": 0.0}
    return DebateValues(arm, dataset, question, replicate, failed, measured | values)


def results(rows, **options):
    made = summarise(rows, run="r1", name="trial", **{"baseline": "base", **options})
    return {(arm.dataset, arm.arm): arm for arm in made.arms}


def test_one_arm_by_hand():
    values = {"prompt-tokens": 10.0, "completion-tokens": 5.0, "cost": 0.5, "seconds": 2.0}
    (arm,) = results(
        [
            row("base", "q1", 1, **values),
            row("base", "q2", 0, **values | {"cost": None, "unparsed": 1.0, "retries": 3.0}),
            row("base", "q3", 0, failed=True, **values | {"seconds": 5.0, "replayed": 1.0}),
        ]
    ).values()
    assert (arm.n, arm.failed, arm.unparsed, arm.calls) == (3, 1, 1, 6)
    assert (arm.accuracy.mean, arm.accuracy.n, arm.accuracy.questions) == (1 / 3, 3, 3)
    assert (arm.accuracy.low, arm.accuracy.high) == clopper_pearson(1, 3)
    assert arm.difference is None
    assert arm.flips is None
    assert arm.cost == Measure(total=1.0, known=2)
    assert arm.cost.mean == 0.5
    assert arm.seconds.mean == 3.0
    assert arm.tokens == 15.0
    assert (arm.retries, arm.replayed) == (3, 1)


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


def test_the_smallest_difference_that_could_have_been_shown():
    rows = [row("base", f"q{q}", q % 2) for q in range(200)]
    rows += [row("new", f"q{q}", q % 2 if q > 40 else 1 - q % 2) for q in range(200)]
    rows += [row("few", f"q{q}", 1) for q in range(5)]
    got = results(rows)
    assert got["sums", "new"].difference.smallest == smallest_difference(200, 41 / 200)
    assert got["sums", "few"].difference.smallest is None


def test_with_replicates_it_is_that_of_the_mean_difference():
    chance = random.Random(3)
    seen = {(q, k): chance.randrange(2) for q in range(40) for k in range(3)}
    rows = [row("base", f"q{q}", 0, replicate=k) for q, k in seen]
    rows += [row("new", f"q{q}", right, replicate=k) for (q, k), right in seen.items()]
    clusters = [Cluster(float(sum(seen[q, k] for k in range(3))), 3) for q in range(40)]
    expected = smallest_mean_difference(clusters)
    assert results(rows)["sums", "new"].difference.smallest == expected > 0.05


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


def test_a_question_with_as_many_replicates_right_in_both_is_no_difference():
    rows = [
        row("base", "q1", 1, replicate=0),
        row("base", "q1", 0, replicate=1),
        row("new", "q1", 0, replicate=0),
        row("new", "q1", 1, replicate=1),
    ]
    gap = results(rows)["sums", "new"].difference
    assert (gap.better, gap.worse, gap.mean, gap.low) == (0, 0, 0.0, None)


def test_nothing_in_common_is_a_difference_without_a_value():
    rows = [row("base", "q1", 1), row("new", "q2", 1)]
    assert results(rows)["sums", "new"].difference == Difference()


def test_a_failed_debate_is_paired_and_not_correct():
    rows = [row("base", "q1", 1), row("new", "q1", 0, failed=True)]
    gap = results(rows)["sums", "new"].difference
    assert (gap.mean, gap.pairs, gap.worse) == (-1.0, 1, 1)


def test_no_right_answer_known_is_no_accuracy():
    (arm,) = results([row("base", "q1", None)]).values()
    assert (arm.n, arm.accuracy.n, arm.accuracy.mean, arm.accuracy.low) == (1, 0, None, None)


def test_unknown_is_not_zero():
    (arm,) = results([row("base", "q1", 1, cost=None)]).values()
    assert (arm.cost, arm.cost.mean, arm.tokens) == (Measure(total=None, known=0), None, None)


def test_flips_are_summed_over_the_debates_that_have_them():
    flips = {"right-to-wrong": 1.0, "kept-right": 0.0, "kept-wrong": 0.0}
    rows = [
        row("base", "q1", 1, **flips, **{"wrong-to-right": 2.0}),
        row("base", "q2", 1, **flips, **{"wrong-to-right": 0.0}),
        row("base", "q3", 1, **dict.fromkeys(flips), **{"wrong-to-right": None}),
    ]
    (arm,) = results(rows).values()
    assert arm.flips == Flips(wrong_to_right=2, right_to_wrong=2, kept_right=0, kept_wrong=0)


def test_a_metric_of_somebody_elses_is_among_the_others():
    rows = [row("base", f"q{k}", 1, hesitation=float(k)) for k in range(3)]
    (arm,) = results(rows).values()
    assert arm.others == {"hesitation": Measure(total=3.0, known=3)}


def test_nodes_and_layers_of_a_network_have_an_accuracy_with_an_interval():
    nodes = [f"node:C{k}" for k in (10, 9, 1)]
    rows = [
        row(
            "base",
            f"q{q}",
            1,
            **{"layer:2": 0.5, "layer:1": float(q > 1)} | dict.fromkeys(nodes, 1.0),
        )
        for q in range(4)
    ]
    rows.append(row("base", "q5", 1, **{"node:C1": None, "layer:1": None}))
    (arm,) = results(rows).values()
    assert list(arm.nodes) == ["C1", "C9", "C10"]
    assert list(arm.layers) == [1, 2]
    assert (arm.nodes["C1"].mean, arm.nodes["C1"].n) == (1.0, 4)
    assert (arm.layers[1].mean, arm.layers[2].mean) == (0.5, 0.5)
    assert arm.layers[1].low < 0.5 < arm.layers[1].high
    assert (arm.others, arm.sweeps) == ({}, {})


def test_a_sweep_counts_the_debates_that_came_so_far():
    rows = [
        row("base", "q1", 1, **{"sweep:1": 1.0}),
        row("base", "q2", 1, **{"sweep:1": 0.0, "sweep:2": 1.0}),
    ]
    (arm,) = results(rows).values()
    assert {sweep: (mean.mean, mean.n) for sweep, mean in arm.sweeps.items()} == {
        1: (0.5, 2),
        2: (1.0, 1),
    }


def test_rounds_have_an_accuracy_and_a_flip_matrix_of_their_own():
    matrix = {"wrong-to-right": 1.0, "right-to-wrong": 0.0, "kept-right": 2.0, "kept-wrong": 0.0}
    into = {n: {f"{flip}:{n}": count for flip, count in matrix.items()} for n in (2, 10)}
    rows = [
        row("base", "q1", 1, **{"round:1": 2 / 3, "round:10": 1.0, "round:2": 1.0}, **into[2]),
        row("base", "q2", 1, **{"round:1": 0.0, "round:2": 0.5}, **into[2], **into[10]),
        row("base", "q2", 1, replicate=1, **{"round:1": 1.0}),
    ]
    (arm,) = results(rows).values()
    assert {n: (each.mean, each.n, each.questions) for n, each in arm.rounds.items()} == {
        1: (pytest.approx(5 / 9), 3, 2),
        2: (0.75, 2, 2),
        10: (1.0, 1, 1),
    }
    assert list(arm.rounds) == [1, 2, 10]
    assert arm.rounds[1].low < 5 / 9 < arm.rounds[1].high
    assert arm.round_flips == {
        2: Flips(wrong_to_right=2, kept_right=4),
        10: Flips(wrong_to_right=1, kept_right=2),
    }
    assert (arm.flips, arm.others) == (None, {})


def test_arms_stand_in_the_order_of_the_study():
    rows = [row(arm, "q1", 1, dataset=d) for arm in "cab" for d in ("sums", "moves")]
    made = summarise(rows, run="r", name="n", arms=("b", "c", "a"))
    assert [(arm.dataset, arm.arm) for arm in made.arms] == [
        *(("sums", arm) for arm in "bca"),
        *(("moves", arm) for arm in "bca"),
    ]
    assert {name: len(arms) for name, arms in made.datasets.items()} == {"sums": 3, "moves": 3}


def test_the_order_of_debates_changes_nothing():
    chance = random.Random(2)
    rows = [
        row(arm, f"q{q}", chance.random() < 0.5, replicate=k)
        for arm in ("base", "new")
        for q in range(20)
        for k in range(2)
    ]
    mixed = rows.copy()
    chance.shuffle(mixed)
    assert results(mixed, arms=("base", "new")) == results(rows, arms=("base", "new"))


def test_swapping_arm_and_baseline_mirrors_the_difference():
    chance = random.Random(4)
    rows = [
        row(arm, f"q{q}", chance.random() < share)
        for arm, share in (("a", 0.4), ("b", 0.6))
        for q in range(50)
    ]
    ab = results(rows, baseline="a")["sums", "b"].difference
    ba = results(rows, baseline="b")["sums", "a"].difference
    assert (ba.mean, ba.low, ba.high) == pytest.approx((-ab.mean, -ab.high, -ab.low))
    assert (ba.better, ba.worse, ba.p) == (ab.worse, ab.better, ab.p)


def test_simulated_is_said_of_the_arm_it_is_true_of():
    rows = [row(arm, "q1", 1, dataset=d) for arm in ("base", "new") for d in ("sums", "moves")]
    made = summarise(rows, run="r", name="n", simulated={"new"})
    assert {(arm.arm, arm.simulated) for arm in made.arms} == {("base", False), ("new", True)}
    assert {arm.label for arm in made.arms} == {"base", "new (simulated)"}
    assert made.simulated
    assert not summarise(rows, run="r", name="n").simulated


def test_a_simulated_arm_without_a_debate_counts():
    made = summarise([row("base", "q1", 1)], run="r", name="n", simulated={"new"})
    assert made.simulated
    assert not made.arms[0].simulated


def test_nothing_yet():
    made = summarise([], run="r", name="n", baseline="base")
    assert made.arms == ()


def test_results_travel_as_json():
    network = row("new", "q1", 0, **{"node:C1": 1.0, "layer:1": 1.0})
    made = summarise([row("base", "q1", 1), network], run="r", name="n")
    assert msgspec.json.decode(msgspec.json.encode(made), type=Results) == made
    assert isinstance(made.arms[0], ArmResult)
    assert made.saved is None
