"""The second process measures what this one would, or this one does it."""

import asyncio
import subprocess
import sys
from multiprocessing import active_children

import pytest

import moot
from moot.core.events import Transcript
from moot.core.redaction import redact
from moot.ledger.stored_records import encode, pack_debate
from moot.metrics.metric import measure
from moot.studies import all_debates, batch_writer, second_process
from moot.studies.lab import open_lab
from moot.studies.measuring import measure_again
from moot.studies.second_process import SecondProcess
from support.archives import add_gpqa
from support.commands import environment
from support.stored import read_debates
from support.sums import sums

ARMS = [{"protocol": name} for name in ("single", "society-of-minds", "multi-persona", "council")]
STUDY = sums("twice", "simulated/people?accuracy=0.6", 12, ARMS)


@pytest.fixture
async def second():
    """A second process that can be given debates."""
    others = {*active_children()}
    process = SecondProcess()
    process.start()
    await process._starting
    assert process.ready
    [process.child] = {*active_children()} - others
    yield process
    process.close()


@pytest.fixture
async def transcripts(tmp_path):
    outcome = await moot.run(STUDY, store=tmp_path)
    return [row.transcript for row in await read_debates(tmp_path, outcome.run)]


def packed(transcript):
    return pack_debate(transcript, measure(transcript), encode(redact(transcript)))


async def test_debates_come_back_as_this_process_packs_them(second, transcripts, monkeypatch):
    monkeypatch.setattr(second_process, "_LARGE", 20_000)
    assert len(transcripts) == 48
    assert await second.pack(transcripts) == [packed(each) for each in transcripts]
    assert second.ready


async def test_what_it_cannot_measure_is_left_to_this_process_without_a_word(second, capfd):
    assert await second.pack([Transcript(())]) is None
    assert not second.ready
    second.close()
    await asyncio.to_thread(second.child.join, 20)
    assert (second.child.exitcode, capfd.readouterr().err) == (0, "")


@pytest.mark.parametrize(("cores", "digest", "many"), [(1, b"1", 0), (2, b"1", 1), (2, None, 0)])
async def test_one_core_or_a_metric_without_a_file_has_none(cores, digest, many, monkeypatch):
    monkeypatch.setattr(second_process, "count_cores", lambda: cores)
    if digest is None:
        monkeypatch.setattr(second_process, "digest_metrics", lambda: None)
    before = {*active_children()}
    process = SecondProcess()
    process.start()
    process.start()
    await process._starting
    assert process.ready is bool(many)
    assert len({*active_children()} - before) == many
    process.close()


@pytest.fixture
def at_once(second, monkeypatch):
    """Runs give all debates to the second process; returns how many each time."""
    given, pack = [], second.pack

    async def count(debates):
        given.append(len(debates))
        return await pack(debates)

    monkeypatch.setattr(batch_writer, "_FEW", 0)
    monkeypatch.setattr(batch_writer, "_MANY", 1)
    monkeypatch.setattr(all_debates, "SecondProcess", lambda: second)
    monkeypatch.setattr(second, "pack", count)
    return given


async def test_a_run_keeps_what_it_measures(at_once, tmp_path):
    outcome = await moot.run(STUDY, store=tmp_path)
    assert sum(at_once) == outcome.debates == 48
    async with open_lab(tmp_path) as lab:
        again = await measure_again(lab, outcome.run, dry=True)
    assert (again.debates, again.changed) == (48, 0)
    resumed = await moot.run(STUDY, store=tmp_path)
    assert (resumed.unchanged, resumed.measured) == (48, 0)


async def test_where_it_ends_within_a_run_no_debate_is_lost(at_once, second, tmp_path):
    second.child.kill()
    outcome = await moot.run(STUDY, store=tmp_path)
    assert len(at_once) == 1
    assert not second.ready
    assert (outcome.done, outcome.results.arms[0].n) == (outcome.debates, 12)


SCRIPT = """
import asyncio
import moot
from moot.studies.second_process import SecondProcess
print("it runs")
async def start():
    second = SecondProcess()
    second.start()
    await second._starting
    print(second.ready)
    second.close()
asyncio.run(start())
"""


@pytest.mark.soak
def test_it_never_runs_the_script_that_runs_here(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split("\n")) == (0, ["it runs", "True", ""]), done.stderr
    assert not done.stderr


async def test_debates_of_secret_questions_stay_here(at_once, tmp_path):
    add_gpqa(tmp_path, "rec1,Which of our words is the longest?,longest,our,words,is")
    outcome = await moot.run(STUDY | {"datasets": [{"name": "gpqa"}]}, store=tmp_path)
    assert outcome.done == len(STUDY["arms"])
    assert not at_once
