"""From debates to results, by hand."""

import random

import msgspec

from moot.core.results import Flips, Measure, Results
from moot.statistics.intervals import clopper_pearson
from moot.studies.run_results import summarise
from support.results import results, row


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


def test_flips_are_summed_over_the_debates_that_have_them():
    flips = {"right-to-wrong": 1.0, "kept-right": 0.0, "kept-wrong": 0.0}
    rows = [
        row("base", "q1", 1, **flips, **{"wrong-to-right": 2.0}),
        row("base", "q2", 1, **flips, **{"wrong-to-right": 0.0}),
        row("base", "q3", 1, **dict.fromkeys(flips), **{"wrong-to-right": None}),
    ]
    (arm,) = results(rows).values()
    assert arm.flips == Flips(wrong_to_right=2, right_to_wrong=2, kept_right=0, kept_wrong=0)


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


def test_simulated_is_said_of_the_arm_it_is_true_of():
    rows = [row(arm, "q1", 1, dataset=d) for arm in ("base", "new") for d in ("sums", "moves")]
    made = summarise(rows, run="r", name="n", simulated={"new"})
    assert {(arm.arm, arm.simulated) for arm in made.arms} == {("base", False), ("new", True)}
    assert {arm.label for arm in made.arms} == {"base", "new (simulated)"}
    assert made.simulated
    assert not summarise(rows, run="r", name="n").simulated
    made = summarise([row("base", "q1", 1)], run="r", name="n", simulated={"new"})
    assert (made.simulated, made.arms[0].simulated) == (True, False)
    assert summarise([], run="r", name="n", baseline="base").arms == ()
    assert msgspec.json.decode(msgspec.json.encode(made), type=Results) == made


def test_what_is_unknown_is_none_and_what_is_of_others_is_told():
    parts = {"node:C1": None, "layer:1": None, "sweep:1": None, "round:1": None, "cost": None}
    rows = [row("base", f"q{k}", None, hesitation=float(k), **parts) for k in range(3)]
    (arm,) = results(rows).values()
    assert (arm.n, arm.accuracy.n, arm.accuracy.mean, arm.accuracy.low) == (3, 0, None, None)
    assert (arm.nodes, arm.layers, arm.sweeps, arm.rounds) == ({}, {}, {}, {})
    assert (arm.cost, arm.cost.mean, arm.tokens) == (Measure(total=None, known=0), None, None)
    assert arm.others == {"hesitation": Measure(total=3.0, known=3)}
    rows = [row("base", "q1", 1, **{"sweep:1": 1.0})]
    rows.append(row("base", "q2", 1, **{"sweep:1": 0.0, "sweep:2": 1.0}))
    (arm,) = results(rows).values()
    sweeps = {sweep: (mean.mean, mean.n) for sweep, mean in arm.sweeps.items()}
    assert sweeps == {1: (0.5, 2), 2: (1.0, 1)}
