"""Cases: the questions on which a right opening fails and a wrong one succeeds are all found."""

import asyncio

import pytest

import moot
from moot.core.stored import Arm
from support.recorded import analyse_values


def test_the_values_put_forward_stand_beside_what_was_answered(tmp_path):
    study = {
        "name": "opened",
        "settings": {"model": "simulated/p?accuracy=0.5"},
        "datasets": [{"name": "arithmetic", "n": 40}],
        "arms": [{"protocol": "single", "opening": ["open", "control-right", "control-wrong"]}],
    }
    asyncio.run(moot.run(study, store=tmp_path))
    report = asyncio.run(moot.analyse("cases", "opened", store=tmp_path, limit=3))
    rows = report.tables[0].rows
    assert len(rows) == 3
    for _, right, put, answered, other, got in (row.cells for row in rows):
        assert put == right == got
        assert right not in {answered, other}
    assert "more are not shown" in report.tables[0].note


def test_two_arms_can_be_named(tmp_path):
    arms = [Arm(name=name, protocol="single", settings={}) for name in ("a", "b")]
    made = [("a", "sums", "q", 0, {"accuracy": 0.0}), ("b", "sums", "q", 0, {"accuracy": 1.0})]
    report = analyse_values(tmp_path, arms, made, "cases", fails="a", succeeds="b")
    assert [row.cells[0] for row in report.tables[0].rows] == ["q"]
    with pytest.raises(
        moot.NothingToAnalyse, match="no two arms of it differ in being control-right"
    ):
        asyncio.run(moot.analyse("cases", "made", store=tmp_path))
