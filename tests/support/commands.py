"""Commands run here or in a process; models and small studies for tests of commands and tuning."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from io import BytesIO, TextIOWrapper
from tempfile import TemporaryFile

import pytest

import moot
from moot.cli.main import entry

FOUR = "scripted?reply=Final answer: 4"


SIMULATED = "simulated/people?accuracy=0.6"


STUDY = f"""
name = "small"
[settings]
model = "{SIMULATED}"
[[datasets]]
name = "arithmetic"
n = 4
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
"""


def environment():
    """This process's, without what would lead moot elsewhere."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_command(folder, *arguments, stdin="", encoding="utf-8", **variables):
    """Run ``moot`` in a folder as its console script does; return exit code, output and errors.

    It runs in this process: a new one takes half a second to start. What a start, a signal or
    another process changes is tested by ``start_command``.
    """
    streams = [TextIOWrapper(BytesIO(), encoding=encoding, write_through=True) for _ in "12"]
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    with pytest.MonkeyPatch.context() as patch, TemporaryFile("w+", encoding="utf-8") as typed:
        typed.write(stdin)
        typed.seek(0)
        patch.chdir(folder)
        for name in os.environ.keys() - environment().keys():
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["moot", *map(str, arguments)])
        patch.setattr(sys, "stdin", typed)
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        try:
            with pytest.raises(SystemExit) as ended:
                entry()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
    return check(ended.value.code, out, err)


def printed(ended):
    """Return the output of a command that ended well."""
    code, out, err = ended
    assert code == 0, err
    return out


def refused(ended):
    """Return what a command said that refused its input."""
    code, _, err = ended
    assert code == 2, err
    return err


def start_command(folder, *arguments, **variables):
    """Run ``moot`` in a process of its own; return its exit code, output and errors."""
    done = subprocess.run(
        [sys.executable, "-m", "moot", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment() | variables,
        timeout=60,
        check=False,
    )
    return check(done.returncode, done.stdout, done.stderr)


def check(code, out, err):
    """Return what a command did, if it did not end in a fault."""
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert "a fault of moot itself" not in err
    return code, out, err


def count_replies(file):
    """The replies that a store's file holds; 0 before it is made."""
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:  # being made at this moment
            return 0


def begun(file):
    return count_replies(file) > 0


def wait_until_begun(folder, process):
    """Wait until the run of a process, with its store in this folder, has got its first reply."""
    end = time.monotonic() + 30
    while not begun(folder / "moot.db"):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)


BEST = 0.8


def knows(call):
    """Right the more often, the nearer the temperature is to the best; the same draws for all."""
    scene, at = call.scene, call.sampling.temperature or 0.0
    chance = random.Random(f"{scene.question.id} {call.draw}").random()
    right = chance < 0.95 - abs(at - BEST)
    return f"Final answer: {scene.question.answer if right else 12345}"


def planted(answer=knows):
    return moot.Scripted(answer, name="planted")


def study(n=80, space=None, trials=10, **more):
    """A study of the planted agent; what is said of ``tune`` is laid over its table."""
    tune = {
        "protocol": "single",
        "trials": trials,
        "space": space or {"temperature": {"low": 0.0, "high": 2.0}},
        "baseline": {"temperature": 0.1},
    }
    return {
        "name": "planted",
        "settings": {"model": "scripted/planted"},
        "datasets": [{"name": "arithmetic", "n": n, "difficulty": 2}],
    } | {**more, "tune": tune | more.get("tune", {})}
