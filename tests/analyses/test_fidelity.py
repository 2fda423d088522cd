"""Fidelity: planted saturation points are found, and rounds, prices and ladders are counted."""

import pytest

import moot
from moot.analyses.fidelity import measure_fidelity
from moot.core.errors import InputError
from moot.core.stored import Arm, DebateValues, StudyRow, decode_study
from moot.studies.lab import open_lab

SIZES = [1, 2, 4, 6]


def arm(name, protocol="debate-moderated", **settings):
    return Arm(name=name, protocol=protocol, settings={"model": "local/smollm2"} | settings)


def row(arm, question, accuracy=1.0, *, failed=False, replicate=0, dataset="d", **values):
    values = {"accuracy": accuracy, "calls": 2.0, "rounds": 1.0, "cost": 0.5} | values
    return DebateValues(arm, dataset, str(question), replicate, failed, values)


def measured(rows, *arms, **options):
    study = StudyRow(name="s", arms=arms, baseline=None)
    return measure_fidelity(rows, study, run="s-1", **options)


async def planted(tmp_path, knobs, n=60):
    """The curve of a society of minds whose agents err together: a vote adds nothing."""
    model = f"simulated/p?accuracy=0.4&concentration=400&correlation=1{knobs}"
    study = {
        "name": "planted",
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "difficulty": 2, "n": n}],
        "arms": [{"protocol": "society-of-minds", "agents": SIZES, "rounds": 2}],
    }
    done = await moot.run(study, store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        run = lab.store.find_run(done.run)
        [curve] = measure_fidelity(lab.store.values(run.id), decode_study(run)).curves
    assert [point.size for point in curve.points] == SIZES
    assert curve.simulated
    return curve.saturation


async def test_a_planted_saturation_point_is_recovered(tmp_path):
    found = await planted(tmp_path, "&truth_drift=0.8&saturate=4", n=130)
    assert (found.kind, found.at) == ("saturates", 4)
    assert found.low <= 4 <= found.high < SIZES[-1]
    assert found.rise.low > 0


async def test_where_none_is_planted_none_is_shown(tmp_path):
    rising = await planted(tmp_path / "rising", "&truth_drift=0.9&saturate=6")
    assert (rising.kind, rising.at, rising.low, rising.high) == ("rises", None, None, None)
    flat = await planted(tmp_path / "flat", "")
    assert (flat.kind, flat.at) == ("flat", None)


def test_curves_are_of_the_debates_that_all_arms_have():
    arms = [arm(f"v{n}", "self-consistency", samples=n) for n in (1, 3)]
    rows = [row("v1", q, q % 2, calls=1.0) for q in range(10)]
    rows += [row("v3", q, 1.0, calls=3.0, cost=None if q == 3 else 1.0) for q in range(4)]
    [curve] = measured(rows, *arms).curves
    assert [point.accuracy.n for point in curve.points] == [4, 4]
    assert [point.accuracy.mean for point in curve.points] == [0.5, 1.0]
    assert [(point.calls, point.cost) for point in curve.points] == [(1.0, 0.5), (3.0, None)]
    assert [point.tokens for point in curve.points] == [None, None]
    assert (curve.change.mean, curve.change.pairs) == (0.5, 4)
    assert curve.saturation.kind == "flat"


def test_each_arm_counts_alike_in_a_price():
    arms = [arm("a", rounds=1), arm("b", rounds=2), arm("c", "camel", rounds=2)]
    rows = [row("a", q, cost=1.0) for q in range(9)] + [row("b", 0, cost=3.0)]
    rows += [row("c", 0, cost=None)]
    debate, camel = measured(rows, *arms).charges
    assert (debate.cost, debate.arms, debate.n, debate.society) == (2.0, 2, 10, False)
    assert (camel.cost, camel.society, camel.model) == (None, True, "local/smollm2")


def test_what_cannot_be_is_said():
    with pytest.raises(InputError, match=r"margin = 1\.5"):
        measured([row("a", 1)], arm("a"), margin=1.5)
    with pytest.raises(InputError, match="run s-1: no debate has ended"):
        measured([row("a", 1, None)], arm("a"))
