"""From debates to results, by hand: an arm, its difference from its baseline, what was saved."""

import msgspec
import pytest

import moot
from moot.core.results import Difference, Flips, Measure, Results, Saved
from moot.core.stored import Arm, Spent
from moot.statistics.intervals import clopper_pearson
from moot.statistics.power import smallest_difference
from moot.studies.run_results import compute_savings, find_baselines, summarise
from support.results import arm_result, results, row
from support.stored import read_spent
from support.sums import sums


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
    assert (arm.cost.mean, arm.seconds.mean) == (0.5, 3.0)
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


def test_simulated_is_said_of_the_arm_it_is_true_of():
    rows = [row(arm, "q1", 1, dataset=d) for arm in ("base", "new") for d in ("sums", "moves")]
    made = summarise(rows, run="r", name="n", simulated={"new"})
    assert {(arm.arm, arm.simulated) for arm in made.arms} == {("base", False), ("new", True)}
    assert {arm.label for arm in made.arms} == {"base", "new (simulated)"}
    assert made.simulated
    assert not summarise(rows, run="r", name="n").simulated
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
    assert (gap.mean, gap.high) == (1.0, 1.0)
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
    assert (find_baselines(arms, "one a"), find_baselines(arms, None)) == (against, {})


SIMULATED = "simulated/people?accuracy=0.6"
ARMS = [
    {"protocol": "single"},
    {"protocol": "self-consistency", "samples": 4},
    {"protocol": "society-of-minds", "agents": 3, "rounds": 2},
]


def priced(name="trial", arms=ARMS, **more):
    prices = {SIMULATED: {"input": 1.0, "output": 5.0}}
    return sums(name, SIMULATED, 10, arms, prices=prices, **more)


async def test_arms_share_first_answers_and_runs_share_all(tmp_path):
    """Eleven replies a question are used; four first answers and three revisions are paid."""
    first = (await moot.run(priced(), store=tmp_path)).results
    assert (first.saved.calls, first.saved.paid) == (10 * 11, 10 * 7)
    single, vote, society = first.arms
    vote_alone = (await moot.run(priced("vote", ARMS[1:2]), store=tmp_path)).results
    assert (vote_alone.saved.calls, vote_alone.saved.paid) == (40, 0)
    assert vote_alone.saved.cost == pytest.approx(vote.cost.total)
    assert vote_alone.saved.tokens == vote.prompt_tokens.total + vote.completion_tokens.total
    again = (await moot.run(priced(), store=tmp_path)).results
    assert again.saved == first.saved  # of the run, whenever it is looked at
    # Of the first run, the single's reply and the society's first three are saved.
    apart = (await moot.run(priced("apart", ARMS[2:]), store=tmp_path / "b")).results
    assert apart.saved == Saved(calls=60, paid=60, cost=0.0, tokens=0)
    used = sum(taken.cost.total for taken in first.arms)
    paid = used - first.saved.cost
    assert single.cost.total < first.saved.cost < single.cost.total + society.cost.total
    assert paid == pytest.approx((await read_spent(tmp_path, "trial")).cost)


def test_an_unknown_price_or_count_is_not_zero():
    known, unknown = Measure(total=3.0, known=2), Measure(total=1.0, known=1)
    paid = Spent(calls=1, tokens=2, cost=1.0)
    assert compute_savings([taken(known, known)], paid) == Saved(
        calls=4, paid=1, cost=2.0, tokens=4
    )
    assert compute_savings([taken(unknown, known)], paid).cost is None
    assert compute_savings([taken(known, unknown)], paid).tokens is None
    assert compute_savings([taken(known, known)], Spent(calls=1, unknown_cost_calls=1)).cost is None
    early = compute_savings(
        [taken(known, known)], Spent(calls=9, tokens=90, cost=9.0)
    )  # not yet used
    assert early == Saved(calls=4, paid=9, cost=0.0, tokens=0)
    assert compute_savings([], Spent()) == Saved(calls=0, paid=0, cost=0.0, tokens=0)


def taken(cost, tokens):
    """Two debates with four calls; as many prompt tokens as completion tokens."""
    return arm_result(n=2, calls=4, prompt_tokens=tokens, completion_tokens=tokens, cost=cost)
