"""Fidelity: planted saturation points are found, and rounds, prices and ladders are counted."""

import pytest

from moot.analyses.fidelity import measure_fidelity
from moot.core.errors import InputError
from moot.core.stored import Arm, DebateValues, StudyRow


def arm(name, protocol="debate-moderated", **settings):
    return Arm(name=name, protocol=protocol, settings={"model": "local/smollm2"} | settings)


def row(arm, question, accuracy=1.0, *, failed=False, replicate=0, dataset="d", **values):
    values = {"accuracy": accuracy, "calls": 2.0, "rounds": 1.0, "cost": 0.5} | values
    return DebateValues(arm, dataset, str(question), replicate, failed, values)


def measured(rows, *arms, **options):
    study = StudyRow(name="s", arms=arms, baseline=None)
    return measure_fidelity(rows, study, run="s-1", **options)


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


def test_what_cannot_be_is_said():
    with pytest.raises(InputError, match=r"margin = 1\.5"):
        measured([row("a", 1)], arm("a"), margin=1.5)
    with pytest.raises(InputError, match="run s-1: no debate has ended"):
        measured([row("a", 1, None)], arm("a"))
