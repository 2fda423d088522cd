"""Claims of a paper's text: what is planted is found, and nothing where nothing is."""

from statistics import fmean

import pytest

import moot
from moot import RecordedRuns
from moot.contrib.papers.claim_tests import (
    ClaimResult,
    correct_together,
    measure_claim,
    tabulate_claims,
)
from moot.contrib.papers.published import Claim, read_paper
from moot.extend.analyses import Difference
from moot.extend.studies import open_lab

LABELS = {"GPQA": "sums"}


def run(tmp_path, good, poor, n=80):
    """A study of two arms, one of which has a better model."""
    study = {
        "name": "two",
        "datasets": [{"name": "arithmetic", "label": "sums", "difficulty": 2, "n": n}],
        "arms": [
            {"name": "one", "protocol": "single", "model": f"simulated/a?accuracy={good}"},
            {"name": "other", "protocol": "single", "model": f"simulated/b?accuracy={poor}"},
        ],
    }
    return moot.run_sync(study, store=tmp_path / "store").run


async def measure(tmp_path, key, **claimed):
    claim = Claim("One beats the other", "section 1", ["two"], **claimed)
    async with open_lab(tmp_path / "store", readonly=True) as lab:
        runs = RecordedRuns(lab, [key])
        rows = [(each.arm, each.question, each.values["accuracy"]) for each in runs.values]
        return measure_claim(claim, runs, LABELS), rows


@pytest.mark.parametrize(
    ("more", "less", "verdict"), [("one", "other", "shown"), ("other", "one", "opposite")]
)
def test_a_planted_difference_is_found_either_way(tmp_path, more, less, verdict):
    import asyncio

    key = run(tmp_path, 0.9, 0.4)
    found, rows = asyncio.run(measure(tmp_path, key, more=[more], less=[less]))
    [tested] = correct_together([found])
    means = {arm: fmean(value for name, _, value in rows if name == arm) for arm in (more, less)}
    assert tested.verdict == verdict
    assert tested.gap.mean == pytest.approx(means[more] - means[less])
    assert tested.gap.questions == 80


def test_nothing_is_found_where_nothing_is(tmp_path):
    import asyncio

    key = run(tmp_path, 0.6, 0.6)
    found, _ = asyncio.run(measure(tmp_path, key, more=["one"], less=["other"]))
    assert correct_together([found])[0].verdict == "not shown"


def test_datasets_that_were_not_run_are_not_measured(tmp_path):
    import asyncio

    key = run(tmp_path, 0.9, 0.4, n=4)
    found, _ = asyncio.run(measure(tmp_path, key, more=["one"], less=["other"], datasets=["Chess"]))
    assert (found.verdict, found.gap.questions) == ("not measured", 0)


def test_all_claims_are_corrected_together():
    claim = read_paper("community").ours.claims[0]
    gap = Difference(mean=0.1, low=0.01, high=0.2, pairs=9, questions=9, p=0.03)
    alone = correct_together([ClaimResult(claim, gap)])
    many = correct_together([ClaimResult(claim, gap)] * 3)
    assert [each.verdict for each in alone] == ["shown"]
    assert {each.verdict for each in many} == {"not shown"}
    table = tabulate_claims(many)
    assert [column.name for column in table.columns][:3] == ["claim", "here", "difference"]
