"""Recorded runs as analyses read them."""

import pytest

import moot
from golden import analyses, packed
from moot.analyses.recorded_runs import RecordedRuns
from moot.studies.lab import open_lab
from support.recounts import find_uncounted, write_every_form

STUDY = {
    "name": "mixed",
    "datasets": [{"name": "arithmetic", "n": 3}],
    "settings": {"model": "simulated/a"},
    "arms": [{"protocol": "single"}, {"protocol": "self-consistency"}, {"protocol": "council"}],
}


async def test_debates_are_read_of_an_arm_or_of_protocols_or_all(tmp_path):
    await moot.run(STUDY, store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        runs = RecordedRuns(lab, ["mixed"])

        def list_arms(*arm, **chosen):
            return [debate.arm for debate in runs.debates(*arm, **chosen)]

        arms = ["single", "self-consistency", "council"]
        assert list_arms() == [arm for arm in arms for _ in range(3)]
        assert list_arms("council") == ["council"] * 3
        assert list_arms(protocols={"single", "council"}) == ["single"] * 3 + ["council"] * 3
        assert list_arms("council", protocols={"single"}) == []
        assert list_arms(protocols=()) == []


async def test_a_run_that_was_stopped_is_unfinished_alone_in_part_and_joined(tmp_path):
    await moot.run(STUDY, store=tmp_path)
    stopped = STUDY | {"name": "stopped", "settings": {"model": "simulated/b"}}
    stopped |= {"budget": {"calls": 6}}
    await moot.run(stopped, store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        for runs, arms, whole in (
            (["mixed"], (), True),
            (["mixed"], ("council",), True),
            (["stopped"], (), False),
            (["stopped"], ("single",), False),
            (["mixed", "stopped"], (), False),
        ):
            found = RecordedRuns(lab, runs, arms=arms).joined
            assert found.is_complete is whole, (runs, arms)


@pytest.mark.soak
def test_every_analysis_is_written_in_every_form(tmp_path):
    """Of golden runs, in which all analyses but one have something to say."""
    store = packed.unpack_store(analyses.STORE, tmp_path)
    for each in packed.read("analyses.words"):
        name, _, run = each.partition(" on ")
        option, value = analyses.PAIRS.get(name, ("", ""))
        given = {option.removeprefix("--"): [value] if name == "compare" else value}
        report = moot.analyse_sync(name, run, store=store, **(given if option else {}))
        assert find_uncounted(report, name) == []
        write_every_form(report)
