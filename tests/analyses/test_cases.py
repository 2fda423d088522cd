"""Cases: the questions on which a right opening fails and a wrong one succeeds are all found."""

import asyncio

import pytest

import moot
from moot.core.stored import Arm
from support.recorded import analyse_values


def test_two_arms_can_be_named(tmp_path):
    arms = [Arm(name=name, protocol="single", settings={}) for name in ("a", "b")]
    made = [("a", "sums", "q", 0, {"accuracy": 0.0}), ("b", "sums", "q", 0, {"accuracy": 1.0})]
    report = analyse_values(tmp_path, arms, made, "cases", fails="a", succeeds="b")
    assert [row.cells[0] for row in report.tables[0].rows] == ["q"]
    with pytest.raises(
        moot.NothingToAnalyse, match="no two methods of it differ in being control-right"
    ):
        asyncio.run(moot.analyse("cases", "made", store=tmp_path))
