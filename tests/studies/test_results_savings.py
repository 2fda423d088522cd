"""What the ledger saved, on runs whose shared replies are known."""

import pytest

import moot
from moot.core.results import Measure, Saved
from moot.core.stored import Spent
from moot.studies.lab import open_lab
from moot.studies.run_results import compute_savings
from support.results import arm_result

SIMULATED = "simulated/people?accuracy=0.6"
ARMS = [
    {"protocol": "single"},
    {"protocol": "self-consistency", "samples": 4},
    {"protocol": "society-of-minds", "agents": 3, "rounds": 2},
]


def study(name="trial", arms=ARMS, **more):
    return {
        "name": name,
        "settings": {"model": SIMULATED},
        "datasets": [{"name": "arithmetic", "n": 10}],
        "arms": arms,
        "prices": {SIMULATED: {"input": 1.0, "output": 5.0}},
    } | more


async def test_arms_share_first_answers_and_runs_share_all(tmp_path):
    """Eleven replies a question are used; four first answers and three revisions are paid."""
    first = (await moot.run(study(), store=tmp_path)).results
    assert (first.saved.calls, first.saved.paid) == (10 * 11, 10 * 7)
    single, vote, society = first.arms
    vote_alone = (await moot.run(study("vote", ARMS[1:2]), store=tmp_path)).results
    assert (vote_alone.saved.calls, vote_alone.saved.paid) == (40, 0)
    assert vote_alone.saved.cost == pytest.approx(vote.cost.total)
    assert vote_alone.saved.tokens == vote.prompt_tokens.total + vote.completion_tokens.total
    again = (await moot.run(study(), store=tmp_path)).results
    assert again.saved == first.saved  # of the run, whenever it is looked at
    # Of the first run, the single's reply and the society's first three are saved.
    apart = (await moot.run(study("apart", ARMS[2:]), store=tmp_path / "b")).results
    assert apart.saved == Saved(calls=60, paid=60, cost=0.0, tokens=0)
    used = sum(arm.cost.total for arm in first.arms)
    paid = used - first.saved.cost
    assert single.cost.total < first.saved.cost < single.cost.total + society.cost.total
    async with open_lab(tmp_path, readonly=True) as lab:
        assert paid == pytest.approx(lab.store.sum_spent(lab.store.find_run("trial").id).cost)


def test_an_unknown_price_or_count_is_not_zero():
    known, unknown = Measure(total=3.0, known=2), Measure(total=1.0, known=1)
    paid = Spent(calls=1, tokens=2, cost=1.0)
    assert compute_savings([arm(known, known)], paid) == Saved(calls=4, paid=1, cost=2.0, tokens=4)
    assert compute_savings([arm(unknown, known)], paid).cost is None
    assert compute_savings([arm(known, unknown)], paid).tokens is None
    assert compute_savings([arm(known, known)], Spent(calls=1, unknown_cost_calls=1)).cost is None
    early = compute_savings(
        [arm(known, known)], Spent(calls=9, tokens=90, cost=9.0)
    )  # not yet used
    assert early == Saved(calls=4, paid=9, cost=0.0, tokens=0)
    assert compute_savings([], Spent()) == Saved(calls=0, paid=0, cost=0.0, tokens=0)


def arm(cost, tokens):
    """Two debates with four calls; as many prompt tokens as completion tokens."""
    return arm_result(n=2, calls=4, prompt_tokens=tokens, completion_tokens=tokens, cost=cost)
