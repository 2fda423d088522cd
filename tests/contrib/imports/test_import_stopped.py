"""Imports that come to no end: a fault at the end of a large file, an interrupt."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from support.commands import printed, refused, run_command

ARMS = 3 + 7  # the debate, a first reply, a vote; and rules


def write_lines(path, debates, words=""):
    """Write so many debates of two agents in two rounds, one a line."""
    turns = [
        {"agent": agent, "round": at, "text": f"{words}The answer is 4.", "reads": []}
        for at in (1, 2)
        for agent in "AB"
    ]
    with path.open("w", encoding="utf-8") as file:
        for number in range(debates):
            line = {
                "format": "debate-log/1",
                "id": f"q{number}",
                "question": {"text": f"{number} + {4 - number}?", "answer": "4"},
                "agents": [{"name": "A"}, {"name": "B"}],
                "turns": turns,
            }
            file.write(f"{json.dumps(line)}\n")


def read_store(folder):
    """Return the status of each run in a store, and the number of its debates."""
    file = folder / "store" / "moot.db"
    if not file.exists():
        return [], 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        try:
            runs = [status for (status,) in connection.execute("SELECT status FROM runs")]
            return runs, connection.execute("SELECT COUNT(*) FROM debates").fetchone()[0]
        except sqlite3.OperationalError:  # being made at this moment
            return [], 0


@pytest.mark.parametrize(
    ("debates", "words"), [(20, ""), pytest.param(2500, "so " * 3500, marks=pytest.mark.soak)]
)
def test_a_fault_at_the_end_leaves_no_run(tmp_path, debates, words):
    """The second log has 100 MB."""
    path = tmp_path / "sums.jsonl"
    write_lines(path, debates, words)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 100)
    said = refused(run_command(tmp_path, "import", "sums.jsonl", "--store", "store"))
    assert f"sums.jsonl, line {debates}, column " in said
    assert read_store(tmp_path) == ([], 0)


def test_an_interrupted_import_is_stopped_and_goes_on(tmp_path):
    write_lines(tmp_path / "sums.jsonl", 400)
    command = [sys.executable, "-m", "moot", "import", "sums.jsonl", "--store", "store"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while read_store(tmp_path)[1] < 100 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert (process.returncode, "interrupted" in said) == (130, True), said
    runs, debates = read_store(tmp_path)
    assert runs == ["stopped"]
    assert 100 <= debates < 400 * ARMS
    printed(run_command(tmp_path, "import", "sums.jsonl", "--store", "store"))
    assert read_store(tmp_path) == (["done"], 400 * ARMS)
