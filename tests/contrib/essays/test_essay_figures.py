"""The teams that were chosen for a proposition, and a discussion, as in the paper's figures."""

import pytest

import moot
from moot.analyses.analysis import NothingToAnalyse
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.essay_figures import discussion, personas
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab
from support.essays import speaking, study


@pytest.mark.parametrize(("ends", "rounds", "capped"), [(1, 1, 0), (2, 2, 0), (3, 3, 0), (9, 3, 6)])
async def test_it_is_told_how_many_discussions_came_to_the_cap(tmp_path, ends, rounds, capped):
    arms = [{"name": "team", "protocol": "debate-to-write", "model": "scripted/house", "rounds": 3}]
    given = study(tmp_path, arms=arms, replicates=2, baseline=None)
    house = Scripted(speaking(ends), name="house")
    await moot.run(given, store=tmp_path / "store", models=[house])
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        runs = RecordedRuns(lab, ["tried"])
        report = discussion(runs)
        for analysis in (personas, discussion):
            with pytest.raises(NothingToAnalyse, match="as those of debate-to-write have"):
                analysis(runs, proposition="nothing")
    [row] = report.tables[1].rows
    _, length, share, met, cap, debates = row.cells
    assert (length.mean, share.mean, met, cap, debates) == (rounds, capped / 6, capped, 3, 6)
    assert share.low < share.high
    assert report.findings == (
        f"team: {capped} of 6 discussions came to the cap of 3 rounds before all agreed.",
    )
