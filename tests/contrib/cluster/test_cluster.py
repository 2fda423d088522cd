"""A study on workers of Ray: its results are those of one process."""

import re
import sys

import pytest

import moot
from moot.contrib.cluster.ray_link import ClusterError, open_ray
from moot.contrib.tuning.tuning_run import tune
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from support import stored
from support.sums import sums

pytestmark = pytest.mark.soak
ARMS = [{"protocol": "single"}, {"protocol": "society-of-minds", "style": "few-shot"}]
STUDY = sums("spread", "simulated/crowd", 12, ARMS, replicates=2)


def drop_time(row):
    """Return a debate as it is stored, without how long it took by the clock."""
    values = {name: value for name, value in row.values.items() if name != "wall-seconds"}
    encoded = re.sub(rb'"seconds":[\d.e-]+}]}$', b"", row.encoded)
    return row.arm, row.dataset, row.question, row.replicate, values, encoded


async def read_debates(store, run):
    """Return the debates of a run, without times."""
    return [drop_time(row) for row in await stored.read_debates(store, run)]


async def test_results_equal_those_of_one_process_byte_for_byte(ray, address, tmp_path):
    alone = await moot.run(STUDY, store=tmp_path / "alone")
    spread = await moot.run(STUDY, store=address, ray="", workers=2)
    assert (spread.done, spread.failed, spread.stopped) == (48, 0, None)
    assert spread.run == alone.run
    debates = await read_debates(address, spread.run)
    assert len(debates) == 48
    assert debates == await read_debates(tmp_path / "alone", alone.run)
    seen = []  # a run that is done pays nothing again
    again = await moot.run(STUDY, store=address, ray="", workers=2, watch=seen.append)
    here = await moot.run(STUDY, store=address)
    assert (seen[0].traffic.calls, seen[0].done) == (0, 48)
    arms = [(arm.arm, arm.n, arm.accuracy) for arm in spread.results.arms]
    assert [(arm.arm, arm.n, arm.accuracy) for arm in again.results.arms] == arms
    assert (here.done, here.stopped) == (48, None)


@pytest.mark.parametrize("cap", [37])
async def test_a_cap_on_calls_holds_to_the_call_over_all_workers(ray, address, cap):
    study = {**STUDY, "budget": {"calls": cap}}
    outcome = await moot.run(study, store=address, ray="", workers=2)
    assert "37 calls" in outcome.stopped
    assert [(state.of, state.spent) for state in outcome.caps] == [("calls", cap)]
    assert (await stored.read_spent(address, outcome.run)).calls == cap
    async with open_lab(address, readonly=True) as lab:
        status = lab.store.find_run(outcome.run).described_status
    assert status == "stopped at the cap of 37 calls"


async def test_a_search_finds_the_same_on_workers(ray, address, tmp_path):
    table = {"protocol": "society-of-minds", "trials": 2, "development": 6}
    table["space"] = {"agents": [2, 3], "rounds": [1, 2]}
    study = sums("search", "simulated/crowd", 12, tune=table)
    alone = await tune(study, store=tmp_path)
    spread = await tune(study, store=address, ray="", workers=2)
    assert (len(alone.trials), spread.trials) == (3, alone.trials)
    assert (spread.test.tuned, spread.spent) == (alone.test.tuned, alone.spent)


async def test_without_ray_or_without_a_cluster_it_is_said(address):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ray", None)
        with pytest.raises(InputError, match=r"pip install 'moot\[cluster\]'"):
            await moot.run(STUDY, store=address, ray="")
    with pytest.raises(ClusterError, match=r"no Ray at 127\.0\.0\.1:1: "):
        async with open_ray("127.0.0.1:1", None):
            pass
