"""Runs in the open format: an exported run imported again gives the same tables."""

import json

import msgspec
import pytest

import moot
from moot import InputError
from moot.analyses.analysis import registry as analyses
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_check import check_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.reports.export.run_export import export_runs
from moot.reports.renderings import RENDERINGS
from moot.studies.lab import open_lab

STUDY = """
name = "round"
replicates = 2
equal_budget = true

[settings]
model = "simulated/a"

[[datasets]]
name = "arithmetic"
n = 6

[[arms]]
protocol = "single"

[[arms]]
protocol = "society-of-minds"
opening = ["open", "control-wrong"]
summary = true

[[arms]]
protocol = "multi-persona"

[[arms]]
protocol = "community"

[[arms]]
protocol = "confidence-debate"

[[arms]]
protocol = "council"
"""
SECRET = """
name = "hidden"
[[datasets]]
name = "file"
path = "secret.jsonl"
[[arms]]
protocol = "single"
model = "simulated/a"
"""


async def take(lab, path, name=None):
    log = Log(path)
    return await import_log(lab, log, find_format(log), name=name)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "round.toml"
    path.write_text(STUDY)
    return path


async def test_every_table_is_the_same_to_the_last_digit(study, tmp_path):
    held = await moot.run(study, store=tmp_path / "here")
    path = tmp_path / "round.jsonl"
    async with open_lab(tmp_path / "here") as lab:
        runs = RecordedRuns(lab, [held.run])
        before = tables_of(runs)
        results = msgspec.to_builtins(runs.whole.arms)
        written = await export_runs(lab, [held.run], form="debate-log", out=path)
    assert check_log(Log(path)).faults == []
    async with open_lab(tmp_path / "there") as lab:
        found = await take(lab, path, "round")
        assert found.debates == written == held.debates
        runs = RecordedRuns(lab, [found.run])
        assert msgspec.to_builtins(runs.whole.arms) == results
        assert tables_of(runs) == before


def tables_of(runs):
    """The tables of every analysis, without the run's key."""
    made = {}
    for each in analyses:
        if each.name == "prompt-caching":  # of prompts, which are not exported
            continue
        try:
            report = each.apply(runs, {})
        except InputError:
            continue
        content = [RENDERINGS["csv"].write(report._replace(title=""), None)]
        made[each.name] = str(content).replace(runs.key, "RUN")
    assert len(made) > 12
    return made


async def test_an_imported_run_is_exported_with_all_its_arms(shared, tmp_path):
    path = tmp_path / "again.jsonl"
    async with open_lab(tmp_path / "here") as lab:
        first = await take(lab, shared("society-gsm8k-llama31"))
        before = msgspec.to_builtins(RecordedRuns(lab, [first.run], arms=["*"]).joined.arms)
        await export_runs(lab, [first.run], form="debate-log", out=path)
    async with open_lab(tmp_path / "there") as lab:
        again = await take(lab, path)
        assert again.arms == first.arms
        after = msgspec.to_builtins(RecordedRuns(lab, [again.run], arms=["*"]).joined.arms)
    assert before == after


async def test_a_line_is_plain_without_moots_own_key(study, tmp_path):
    held = await moot.run(study, store=tmp_path / "here")
    path, plain = tmp_path / "round.jsonl", tmp_path / "plain.jsonl"
    async with open_lab(tmp_path / "here") as lab:
        await export_runs(lab, [held.run], form="debate-log", out=path)
        rows = {(row.arm, row.question, row.replicate): row for row in lab.store.debates(1)}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        row = rows[line.pop("moot")["arm"]["name"], line["id"], line.get("replicate", 0)]
        said = [turn.text for turn in row.transcript.turns]
        assert [turn["text"] for turn in line["turns"]] == said
    plain.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert check_log(Log(plain)).faults == []
    async with open_lab(tmp_path / "there") as lab:
        found = await take(lab, plain)
        assert found.debates == len(lines)
        assert found.unread_parts == 0


async def test_a_secret_question_is_not_published(tmp_path):
    row = {"id": "s1", "question": "2 + 2?", "answer": "4", "kind": "number", "secret": True}
    (tmp_path / "secret.jsonl").write_text(json.dumps(row))
    (tmp_path / "hidden.toml").write_text(SECRET)
    held = await moot.run(tmp_path / "hidden.toml", store=tmp_path / "here")
    out = tmp_path / "out.jsonl"
    async with open_lab(tmp_path / "here") as lab:
        with pytest.raises(InputError, match=f"run {held.run}, question 's1' of .*: it is secret"):
            await export_runs(lab, [held.run], form="debate-log", out=out)
    assert not out.exists()
