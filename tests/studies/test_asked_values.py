"""Values are measured when they are asked for: once, and again where the code is another."""

import sqlite3
from zlib import crc32

import pytest

import moot
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.questions import WITHHELD
from moot.ledger.stored_records import decode_values
from moot.metrics.metric import measure, registry
from moot.metrics.run_end import RUN_END
from moot.studies import lab as labs
from moot.studies import metric_code
from moot.studies.asked_values import AskedValues
from moot.studies.lab import open_lab
from moot.studies.measuring import measure_again
from moot.studies.metric_code import find_parts, name_all, name_run_end, split_measurers
from support.stored import read_debates
from support.sums import sums

ARMS = [{"protocol": "single"}, {"protocol": "society-of-minds"}]
STUDY = sums("trial", "simulated/people?accuracy=0.5", 3, ARMS)
DEBATES = 6


@pytest.fixture
async def run(tmp_path):
    return (await moot.run(STUDY, store=tmp_path)).run


@pytest.fixture
def brought():
    """Registers a metric for one test, as a plug-in would; notes what it measures."""
    noted = []

    @moot.metric(unit="letters", range=(0, None))
    def letters(transcript):
        """Letters of the verdict."""
        noted.append(transcript.question.id)
        return float(len(transcript.verdict.text))

    yield noted
    del registry._found["letters"]
    registry._sorted = None


def stored(folder):
    """The values and the seal of each debate, as the file has them."""
    with sqlite3.connect(folder / "moot.db") as file:
        rows = file.execute("SELECT metrics, measured_by FROM debates").fetchall()
    file.close()
    return [(dict(decode_values(values, None, "it")), seal) for values, seal in rows]


def reseal(folder, change):
    """Change what the records say of who has measured them."""
    with sqlite3.connect(folder / "moot.db") as file:
        for number, values, seal in file.execute("SELECT id, metrics, measured_by FROM debates"):
            new = change(seal[:-4])
            sealed = None if new is None else new + crc32(values).to_bytes(4, "big")
            file.execute("UPDATE debates SET measured_by = ? WHERE id = ?", (sealed, number))
    file.close()


async def ask(folder, run):
    """Ask for all metrics: how many debates lacked some, and the values."""
    async with open_lab(folder, readonly=True) as lab:
        asked = AskedValues(lab, lab.store.find_run(run))
        return sum(asked.measure()), [dict(each.values) for each in asked.read()]


async def test_a_run_keeps_what_its_end_shows_and_the_rest_is_measured_once(tmp_path, run):
    shown = {each.name for each in RUN_END.metrics}
    for values, _ in stored(tmp_path):
        assert {name for name in values if ":" not in name} == shown
    transcripts = [row.transcript for row in await read_debates(tmp_path, run)]
    expected = [measure(each) for each in transcripts]
    assert await ask(tmp_path, run) == (DEBATES, expected)
    assert await ask(tmp_path, run) == (0, expected)
    assert all(values in expected for values, _ in stored(tmp_path))


async def test_what_the_end_of_a_run_shows_is_the_same_with_all_metrics(tmp_path, run):
    again = await moot.run(STUDY, store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        [*asked] = RecordedRuns(lab, [run]).whole.arms
    for one, other in zip(again.results.arms, asked, strict=True):
        assert one.others.items() < other.others.items()
        for field in type(one).__struct_fields__:
            assert field == "others" or getattr(one, field) == getattr(other, field)


async def test_only_a_metric_that_is_new_or_of_other_code_is_measured(tmp_path, run, brought):
    await ask(tmp_path, run)
    assert len(brought) == DEBATES
    others = [each for each in find_parts() if each.plan.metrics[0].name != "letters"]
    usage = next(each for each in others if each.plan.metrics[0].name == "cacheable")
    reseal(tmp_path, lambda seal: seal.replace(usage.digest, b"else"))
    missing, values = await ask(tmp_path, run)
    assert (missing, len(brought)) == (DEBATES, DEBATES)
    assert all(each["letters"] for each in values)
    assert {seal[:-4] for _, seal in stored(tmp_path)} == {name_all()}


async def test_the_end_of_a_run_of_other_code_is_measured_when_the_run_goes_on(tmp_path, run):
    reseal(tmp_path, lambda seal: seal[:1] + b"else")
    assert (await moot.run(STUDY, store=tmp_path)).measured == DEBATES
    again = await moot.run(STUDY, store=tmp_path)
    assert (again.measured, again.unchanged) == (0, DEBATES)


@pytest.mark.parametrize("seal", [None, b"an older"])
async def test_records_of_an_older_moot_stay_as_they_are(seal, tmp_path, run):
    before = [values for values, _ in stored(tmp_path)]
    reseal(tmp_path, lambda _: seal)
    missing, values = await ask(tmp_path, run)
    assert missing == 0
    assert sorted(map(repr, values)) == sorted(map(repr, before))


async def test_a_store_that_may_only_be_read_is_not_written(tmp_path, run, monkeypatch):
    before = stored(tmp_path)
    monkeypatch.setattr(labs, "is_readonly", lambda _: True)
    for _ in range(2):
        missing, values = await ask(tmp_path, run)
        assert missing == DEBATES
        assert all("wall-seconds" in each for each in values)
    assert stored(tmp_path) == before


async def test_a_secret_question_is_measured_while_its_texts_are_known(tmp_path, brought):
    rows = '{"id": "q", "question": "1 + 1?", "answer": "2", "secret": true}'
    (tmp_path / "q.jsonl").write_text(rows)
    data = [{"name": "file", "path": str(tmp_path / "q.jsonl")}]
    outcome = await moot.run(STUDY | {"datasets": data}, store=tmp_path)
    assert {seal[:-4] for _, seal in stored(tmp_path)} == {name_all()}
    before = [values for values, _ in stored(tmp_path)]
    assert all(values["letters"] > len(WITHHELD) for values in before)
    assert (await ask(tmp_path, outcome.run))[0] == 0
    reseal(tmp_path, lambda _: name_run_end())  # and later, without the texts, it stays known
    assert (await ask(tmp_path, outcome.run))[0] == len(ARMS)
    assert [values for values, _ in stored(tmp_path)] == before


async def test_what_was_measured_again_by_command_is_not_measured_when_asked_for(tmp_path, run):
    async with open_lab(tmp_path) as lab:
        await measure_again(lab, run)
    assert (await ask(tmp_path, run))[0] == 0


async def test_a_debate_by_itself_is_measured_when_asked_for_and_no_sooner(tmp_path):
    model = "simulated/people?accuracy=0.5"
    found = await moot.ask("What is 1 + 1?", kind="number", model=model, store=tmp_path)
    [(values, seal)] = stored(tmp_path)
    assert (values, split_measurers(seal[:-4]).others) == ({}, frozenset())
    assert (await ask(tmp_path, found.run))[0] == 1
    [(values, seal)] = stored(tmp_path)
    assert values == measure(found.transcript)
    assert seal[:-4] == name_all()


def test_what_a_record_of_an_older_moot_says_is_no_measurer_of_today():
    assert split_measurers(None) is split_measurers(b"8 bytes.") is split_measurers(b"") is None
    found = split_measurers(name_all())
    assert found is not None
    assert len(found.others) == len(find_parts()) - 1
    assert found.join() == name_all()


def test_a_digest_covers_submodules_that_are_imported_from_a_package(tmp_path, monkeypatch):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "parsing").mkdir()
    for name in ("__init__", "choice", "prose", "math"):
        (tmp_path / f"parsing/{name}.py").write_text("")
    lines = "from moot.parsing import choice as read, prose\n"
    lines += "from moot.parsing import (\n    math,\n)\n"
    (tmp_path / "metrics/own.py").write_text(lines)
    monkeypatch.setattr(metric_code, "MOOT", tmp_path)
    for cached in (metric_code._list_imports, metric_code._find_file):
        monkeypatch.setattr(metric_code, cached.__name__, cached.__wrapped__)
    files = {f"parsing/{name}.py" for name in ("__init__", "choice", "prose", "math")}
    assert metric_code._list_files(["moot.metrics.own"]) == {"metrics/own.py", *files}
