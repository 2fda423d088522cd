"""What a stream cannot take ends no command with a traceback, nor with the code of a failed run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import SIMULATED, STUDY, environment, printed, run_command
from support.forks import CLOSED

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
LINES = "".join(
    json.dumps({"id": f"q{n}", "kind": "text", "question": text, "answer": "a"}) + "\n"
    for n, text in enumerate(["你好 \u202eevil\u0085 \x1b[31m 😀", "plain"])
)


def moot(tmp_path, *words, stdout=subprocess.PIPE, **variables):
    """A finished command, as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "moot", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment() | variables,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a study that has been run; tests have copies of it."""
    folder = tmp_path_factory.mktemp("streams") / "ran"
    folder.mkdir()
    (folder / "small.toml").write_text(STUDY)
    (folder / "q.jsonl").write_text(LINES)
    assert run_command(folder, "run", "small.toml")[0] == 0
    return folder


@pytest.fixture
def ran(folder, tmp_path):
    """A folder of this test's own, with a study that has been run."""
    return shutil.copytree(folder, tmp_path / "ran")


@needs_full
@pytest.mark.parametrize(
    "words",
    ["show small", "show --json", "run small.toml", "report small --format latex", "--help"],
)
def test_a_full_disk_is_said_and_has_a_code_of_its_own(ran, words, forks):
    ended = forks.run(ran, words.split(), environment(), out=str(FULL))
    assert ended.returncode == 5
    assert "standard output: cannot be written: No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


@needs_full
def test_a_full_standard_error_stops_nothing(ran, forks):
    ended = forks.run(ran, ["run", "small.toml"], environment(), err=str(FULL))
    assert ended.returncode == 0
    assert "moot report" in ended.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("show small", 0),
        ("--help", 0),
        ("run small.toml", 0),
        ("run failing.toml", 1),
        ("ask ? --model scripted/one.jsonl --max-calls 1 --json", 3),
    ],
)
def test_a_closed_pipe_is_silent_and_the_code_that_of_the_work(ran, words, code, forks):
    (ran / "one.jsonl").write_text('"one reply and no more"\n')
    (ran / "failing.toml").write_text(STUDY.replace(SIMULATED, "scripted/one.jsonl"))
    ended = forks.run(ran, words.split(), environment(), out=CLOSED)
    assert ended.returncode == code
    for word in ("Traceback", "Broken", "Exception"):
        assert word not in ended.stderr


@pytest.mark.soak
def test_there_may_be_no_streams_at_all(ran):
    for closing in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        command = f'"{sys.executable}" -m moot run small.toml {closing}'
        ended = subprocess.run(
            command, shell=True, capture_output=True, cwd=ran, env=environment(), check=False
        )
        assert ended.returncode == 0
        assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437", "gbk", "utf-16"])
def test_what_cannot_be_encoded_is_replaced(ran, encoding):
    for words in (["show"], ["show", "small"], ["protocols", "network"]):
        out = printed(run_command(ran, *words, encoding=encoding))
        assert out
        assert words[1:] != ["small"] or encoding != "cp1252" or "-50.0" in out  # no sign is lost


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_json_says_the_same_in_every_encoding(ran, encoding):
    words = ("data", "peek", "file", "--set", "path=q.jsonl", "--json")
    out = printed(run_command(ran, *words, encoding=encoding))
    first, second = map(json.loads, out.splitlines())
    assert first["question"] == "你好 \u202eevil\u0085 \x1b[31m 😀"
    assert second["question"] == "plain"
    for raw in ("\u202e", "\x1b", "\u0085"):
        assert raw not in out


def test_a_command_line_is_quoted_without_what_it_would_do_to_a_terminal(tmp_path, forks):
    odd = "a\x1b[31m\u202eb"
    for words in (("run", odd), ("run", f"--{odd}"), (odd,), ("ask", "?", "--max-calls", odd)):
        ended = forks.run(tmp_path, words, environment())
        assert ended.returncode == 2
        assert "\x1b" not in ended.stderr
        assert "\u202e" not in ended.stderr
