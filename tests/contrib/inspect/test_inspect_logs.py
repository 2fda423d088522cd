"""Logs as Inspect itself reads them, and their archives where it is not installed."""

import json
import os
import subprocess
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from moot.core.events import Transcript
from moot.core.questions import Question
from moot.reports.export.run_export import export_runs
from moot.studies.lab import Lab
from support import environments as clients

OPEN = Question(id="open", kind="text", text="What is a debate?")
READ = """
import json, sys
from inspect_ai.analysis import EventInfo, EventTiming, ModelEventColumns, events_df, messages_df
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

folder = sys.argv[1]
read = []
for info in list_eval_logs(folder):
    log = read_eval_log(info)
    listed = read_eval_log_sample_summaries(info)
    own = [sample.summary() for sample in log.samples]
    same = [each.model_dump_json() for each in own] == [each.model_dump_json() for each in listed]
    read.append(json.loads(log.model_dump_json()) | {"same_summaries": same})
calls = EventInfo + EventTiming + ModelEventColumns
frames = [
    messages_df(folder, quiet=True),
    events_df(folder, quiet=True),
    events_df(folder, calls, filter=lambda event: event.event == "model", quiet=True),
]
print(json.dumps([read, *[json.loads(frame.to_json(orient="records")) for frame in frames]]))
"""


def headers(folder):
    return [json.loads(ZipFile(log).read("header.json")) for log in folder.iterdir()]


@pytest.fixture
async def logs(store, run, tmp_path):
    await export_runs(Lab(tmp_path, store), [run.key], form="inspect", out=tmp_path / "logs")
    return tmp_path / "logs"


def test_a_log_for_every_arm_on_every_dataset(logs):
    assert len(list(logs.iterdir())) == 3
    [log] = logs.glob("*pair-on-sums*.eval")
    with ZipFile(log) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "_journal/start.json",
            "samples/pick_epoch_1.json",
            "samples/quiet_epoch_1.json",
            "samples/sum_epoch_1.json",
            "samples/sum_epoch_2.json",
            "summaries.json",
            "header.json",
        ]
        assert len(json.loads(archive.read("summaries.json"))) == 4
        header = json.loads(archive.read("header.json"))
    assert (header["version"], header["status"]) == (2, "success")
    assert header["stats"]["model_usage"]["local/smollm2"]["total_tokens"] == 360


async def test_names_of_any_kind_make_files(store, keep, held, tmp_path):
    odd = [(f"../a/b:{n}*", "d\\n", transcript) for n, (*_, transcript) in enumerate(held[:2])]
    run = await keep(odd, key="odd-1")
    await export_runs(Lab(tmp_path, store), [run.key], form="inspect", out=tmp_path / "logs")
    assert len([*tmp_path.glob("logs/*.eval")]) == len([*(tmp_path / "logs").iterdir()]) == 2


@pytest.mark.soak
def test_inspect_reads_them(logs):
    done = subprocess.run(
        [clients.python(), "-c", READ, str(logs)],
        env=os.environ | {"HOME": str(logs.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    read, *frames = json.loads(done.stdout)
    assert len(read) == 3
    _check({log["eval"]["task"]: log for log in read})
    _check_frames(read, *frames)


def _check_frames(read, messages, events, calls):
    """Every turn of every debate is there once, with who said it, when it began and ended."""
    samples = [sample for log in read for sample in log["samples"]]
    turns = [each for sample in samples for each in sample["messages"] if each["role"] != "user"]
    said = [each for each in messages if each["role"] == "assistant"]
    assert len(turns) > 10
    assert sorted(each["message_id"] for each in said) == sorted(each["id"] for each in turns)
    assert {each["event"] for each in events} == {
        "sample_init", "span_begin", "model", "span_end", "score", "error"
    }  # fmt: skip
    assert len({each["event_id"] for each in events}) == len(events)
    assert len(calls) == len(turns)
    for call in calls:
        assert call["completed"] - call["timestamp"] == 1000 * call["working_time"]
        assert call["model_event_completion"]
    for log in read:
        assert log["stats"]["completed_at"] > log["stats"]["started_at"]


def _check(logs):
    pair, single, talk = logs["pair on sums"], logs["single on sums"], logs["pair on open"]
    assert all(log["same_summaries"] for log in logs.values())
    assert pair["eval"]["dataset"]["samples"] == 3
    assert pair["eval"]["config"]["epochs"] == 2
    results = pair["results"]
    assert (results["total_samples"], results["completed_samples"]) == (4, 4)
    accuracy, *others = results["scores"]
    assert accuracy["metrics"]["accuracy"]["value"] == pytest.approx(5 / 6)
    assert "cost" in {score["name"] for score in others}
    assert [(s["id"], s["epoch"]) for s in pair["samples"]] == [
        ("pick", 1), ("quiet", 1), ("sum", 1), ("sum", 2)
    ]  # fmt: skip
    assert pair["samples"][0]["scores"]["accuracy"]["value"] == "C"
    assert single["samples"][0]["error"]["message"] == "TransientError: it hung up"
    assert (single["results"]["total_samples"], single["results"]["completed_samples"]) == (2, 1)
    assert single["stats"]["model_usage"]["local/smollm2"]["total_cost"] == 0.5
    assert {score["scorer"] for score in talk["results"]["scores"]} == {"metrics"}


@pytest.mark.parametrize(
    ("status", "told"), [("running", "started"), ("done", "success"), ("stopped", "cancelled")]
)
async def test_a_log_says_how_the_run_stands(store, run, tmp_path, status, told):
    store.set_status(run.id, status)
    await export_runs(Lab(tmp_path, store), [run.key], form="inspect", out=tmp_path / "logs")
    assert {header["status"] for header in headers(tmp_path / "logs")} == {told}


async def test_what_is_simulated_is_labelled(store, keep, debate, tmp_path):
    opened, *events = debate(OPEN, "so", verdict="so").events
    simulated = Transcript((replace(opened, simulated=True), *events))
    run = await keep([("pair", "open", simulated), ("single", "open", debate(OPEN, "so"))])
    await export_runs(Lab(tmp_path, store), [run.key], form="inspect", out=tmp_path / "logs")
    labels = {
        spec["metadata"]["arm"]: (spec["tags"], spec["metadata"]["simulated"])
        for spec in (header["eval"] for header in headers(tmp_path / "logs"))
    }
    assert labels == {"pair": (["moot", "simulated"], True), "single": (["moot"], False)}
