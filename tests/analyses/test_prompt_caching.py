"""Prompts of recorded runs on a cache: shares that are known beforehand."""

import json

import pytest

from moot.analyses import prompt_caching
from moot.analyses.analysis import NothingToAnalyse, analyse
from moot.analyses.prompt_orders import read_prompts
from moot.analyses.recorded_runs import RecordedRuns
from moot.datasets import library
from moot.datasets.gpqa import PASSWORD
from moot.models.embedding import tokenize
from moot.studies.lab import open_lab
from moot.studies.study_run import run
from support.archives import locked

QUESTIONS = 6
SECRET = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n"
    "rec1,Which of our own words is the longest?,extraordinary,itself,whenever,something\n"
)


def study(folder, arms):
    file = folder / "questions.jsonl"
    rows = [
        {"id": f"q{n}", "question": f"{n} + {n}? " + f"Look well at {n}. " * 12, "answer": n + n}
        for n in range(QUESTIONS)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = {"name": "file", "label": "sums", "path": str(file)}
    return {
        "name": "caching",
        "settings": {"model": "simulated/people"},
        "datasets": [given],
        "arms": [{"name": name, **arm} for name, arm in arms.items()],
    }


async def record(folder, **arms):
    """Run a study and return its prompts by arm, and the report as rows by arm."""
    done = await run(study(folder, arms), store=folder / "store")
    found = {}
    async with open_lab(folder / "store", readonly=True) as lab:
        runs = RecordedRuns(lab, [done.run])
        for name in arms:
            found[name] = read_prompts(lab, list(runs.debates(name)), 1)
    return done.run, found


async def table(folder, key, **options):
    report = await analyse("prompt-caching", key, store=folder / "store", **options)
    [found] = report.tables
    return {row["arm"]: row for row in found.records}, report


async def test_samples_of_one_wave_share_nothing_and_a_debate_its_own_history(tmp_path):
    arms = {
        "wave": {"protocol": "self-consistency", "samples": 4},
        "debate": {"protocol": "society-of-minds", "agents": 2},
    }
    key, prompts = await record(tmp_path, **arms)
    rows, _ = await table(tmp_path, key, block=1, at_once=1)
    assert rows["wave"]["in a debate: as sent"] == 0
    assert [rows["wave"]["debates"], rows["wave"]["prompts"]] == [QUESTIONS, 4 * QUESTIONS]

    def size(messages):
        return sum(2 + len(tokenize(each.content)) for each in messages)

    known = total = 0
    for each in prompts["debate"]:
        total += size(each.messages)
        if each.turn.round == 2:  # its first prompt and reply, and the word "user" before the next
            known += size(each.messages[:2]) + 1
            begins = {tokenize(one.messages[-1].content)[0] for one in prompts["debate"]}
            assert len(begins) > 1
    shared = rows["debate"]["in a debate: as sent"]
    assert shared == pytest.approx(known / total, abs=0.01)
    assert rows["debate"]["tokens"] == total


async def test_secret_questions_are_left_out_and_said(tmp_path):
    """The store has their calls without the messages."""
    archive = tmp_path / "dataset.zip"
    archive.write_bytes(locked("dataset/gpqa_main.csv", SECRET.encode(), PASSWORD))
    library.add("gpqa", archive, force=True)
    given = study(tmp_path, {"one": {"protocol": "single"}})
    given["datasets"].append({"name": "gpqa"})
    done = await run(given, store=tmp_path / "store")
    rows, report = await table(tmp_path, done.run)
    assert [*rows] == ["one"]
    assert report.notes[0] == f"Left out: 1 method. {prompt_caching.WITHOUT}"
    with pytest.raises(NothingToAnalyse, match="the store has no prompt of its debates"):
        await table(tmp_path, done.run, datasets=["gpqa"])
