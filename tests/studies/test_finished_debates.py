"""Running again: what is finished and unchanged is not run again, and every change is noticed.

Each change is planted between two processes, as it happens to users: a file is edited, a record
damaged. A plug-in notes in a file every debate that its protocol runs and every one that it
measures, which is done when its metric is asked for, and once.
"""

import json
import os
import sqlite3
import time
from typing import NamedTuple

import pytest

from support.commands import environment

PLUGIN = """
import moot
def note(line):
    with open("notes.txt", "a") as file:
        file.write(line + chr(10))
@moot.protocol(paper="none", calls="1")
async def noted(debate, question):
    'One agent answers.'
    note(f"ran {question.id}")
    views = await debate.everyone(debate.seat("agent"), "answer")
    return moot.majority(views, question)
"""
METRIC = """
import moot
from noted_protocol import note
@moot.metric(unit="letters")
def letters(transcript):
    'One for each debate.'
    note(f"measured {transcript.question.id}")
    return 1.0
"""
SCRIPT = """
import asyncio, json, sys
import moot
import noted_protocol, noted_metric

async def main(replay):
    asked = []
    model = moot.Scripted(lambda call: asked.append(1) or "Final answer: 4", name="m")
    data, arms = {"name": "file", "path": "questions.jsonl"}, ("noted", "single")
    study = {"name": "noted", "settings": {"model": "scripted/m"}, "datasets": [data]}
    study["arms"] = [{"protocol": name} for name in arms]
    done = await moot.run(study, store="store", models=[model], replay=replay)
    found = [arm for arm in done.results.arms if "letters" in arm.others]
    if "ask" in sys.argv:
        report = await moot.analyse("accuracy", done.run, store="store")
        found = report.data[0].arms
    mean = {arm.arm: arm.others["letters"].mean for arm in found}
    print(json.dumps([done.run, done.done, done.unchanged, done.measured, mean, asked]))
asyncio.run(main("replay" in sys.argv))
"""
QUESTIONS = [{"id": f"q{n}", "question": f"{n} + {4 - n}?", "answer": "4"} for n in range(4)]


@pytest.fixture
def folder(tmp_path):
    """A folder with a protocol, a metric and a study."""
    for name, text in (("noted_protocol.py", PLUGIN), ("noted_metric.py", METRIC)):
        (tmp_path / name).write_text(text)
    (tmp_path / "noted_protocol.toml").write_text('[step.again]\ntext = "Again. {{ form }}"\n')
    ask(tmp_path, QUESTIONS)
    return tmp_path


def ask(folder, questions):
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))


class Ran(NamedTuple):
    """The outcome of a process that ran the study, and what the plug-in noted in it."""

    run: str
    done: int
    unchanged: int
    measured: int
    letters: dict[str, float]
    asked: list[int]
    notes: list[str]


@pytest.fixture
def run(folder, forks):
    """Run the study in a process of its own; return what happened."""

    def run(*words):
        (folder / "notes.txt").write_text("")
        done = forks.run(folder, ["-c", SCRIPT, *words], environment())
        assert done.returncode == 0, done.stderr
        noted = (folder / "notes.txt").read_text().splitlines()
        return Ran(*json.loads(done.stdout), sorted(noted))

    return run


def edit(file, old, new):
    """Edit a file, with another second of change: Python takes one second and size as one file."""
    text, seconds = file.read_text(), file.stat().st_mtime - 2
    assert old in text
    file.write_text(text.replace(old, new))
    os.utime(file, (seconds, seconds))


def change(folder, statement, *values):
    with sqlite3.connect(folder / "store" / "moot.db") as file:
        assert file.execute(statement, values).rowcount > 0
    file.close()


RAN = [f"ran q{n}" for n in range(4)]
MEASURED = [f"measured q{n}" for n in range(4) for _ in range(2)]  # one of each arm


def test_what_is_finished_and_unchanged_is_not_run_again(run, folder):
    first = run()
    assert first[1:4] == (8, 0, 0)
    assert first.notes == RAN
    assert run() == first._replace(unchanged=8, notes=[], asked=[])
    assert run("replay") == first._replace(asked=[])
    edit(folder / "noted_protocol.py", "One agent", "A single agent")
    changed = run()  # the debates of the protocol that was changed
    assert changed == first._replace(unchanged=4, notes=RAN, asked=[])
    assert run().unchanged == 8


def test_another_question_or_prompt_is_another_run(run, folder):
    first = run()
    ask(folder, [{**QUESTIONS[0], "question": "2 + 2, please?"}, *QUESTIONS[1:]])
    other = run()
    assert other.run != first.run
    assert (other.done, other.unchanged, len(first.asked), len(other.asked)) == (8, 0, 4, 1)
    ask(folder, QUESTIONS)
    assert run() == first._replace(unchanged=8, notes=[], asked=[])
    edit(folder / "noted_protocol.toml", "Again.", "Once more.")
    other = run()
    assert (other.run != first.run, other.unchanged, other.asked) == (True, 0, [])


def test_a_record_that_is_damaged_failed_or_of_an_older_moot_is_made_anew(run, folder):
    first = run()
    for place, column in (("q2", "transcript"), ("q0", "metrics")):
        broken = f"CAST(SUBSTR({column}, 1, 60) || x'00' || SUBSTR({column}, 62) AS BLOB)"
        where = f"WHERE arm = 'noted' AND question = '{place}'"
        change(folder, f"UPDATE debates SET {column} = {broken} {where}")
        assert run() == first._replace(unchanged=7, notes=[f"ran {place}"], asked=[])
        assert run().unchanged == 8
    change(folder, "UPDATE debates SET failed = 1 WHERE arm = 'noted' AND question = 'q1'")
    change(folder, "UPDATE debates SET made_by = NULL WHERE arm = 'noted' AND question = 'q3'")
    again = run()
    assert (again.unchanged, again.asked) == (6, [])
    assert again.notes == ["ran q1", "ran q3"]
    assert run().unchanged == 8


def test_a_metric_is_measured_when_it_is_asked_for_and_again_once_its_code_is_another(run, folder):
    first = run("ask")
    assert first.notes == sorted(MEASURED + RAN)
    assert set(first.letters.values()) == {1.0}
    assert run("ask") == first._replace(unchanged=8, notes=[], asked=[])
    edit(folder / "noted_metric.py", "return 1.0", "return 2.0")
    again = run()  # no end of a run shows it
    assert (again[1:4], again.notes) == ((8, 8, 0), [])
    again = run("ask")
    assert (again.notes, again.asked, set(again.letters.values())) == (MEASURED, [], {2.0})
    edit(folder / "noted_metric.py", "return 2.0", "return 4.0 / 2")  # with the same values
    assert run("ask").notes == MEASURED
    assert run("ask").notes == []


def test_code_that_is_newer_than_its_process_has_no_digest(run, folder):
    later = time.time() + 60
    os.utime(folder / "noted_protocol.py", (later, later))
    run()
    assert run().unchanged == 4
