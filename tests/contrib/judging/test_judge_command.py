"""``moot judge`` as people have it: in a terminal, by a pipe, and what it says at the end."""

import asyncio
import csv
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from contrib.judging.conftest import council, rows
from support.commands import environment


@pytest.fixture
def pairs(tmp_path):
    """Write pairs to the folder in which commands run."""

    def write(n=6, name="own.csv"):
        with (tmp_path / name).open("w", newline="") as file:
            out = csv.DictWriter(file, ["question", "solo", "council"])
            out.writeheader()
            out.writerows(rows(n))
        return name

    return write


def in_pipe(folder, keys, *words):
    """Run the command with keys from a pipe; gives the exit code and the outputs."""
    done = subprocess.run(
        [sys.executable, "-m", "moot", "judge", *words],
        cwd=folder,
        input=keys,
        env=environment() | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def read_better(screen):
    """The key of the better answer of the last pair on the screen."""
    first, second = re.findall(r"(gold|lead) \d+", screen)[-2:]
    assert first != second
    return "1" if first == "gold" else "2"


class Typed:
    """The command in a terminal of 80 columns, with somebody who types."""

    def __init__(self, folder, *words) -> None:
        self.number, own = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moot", "judge", *words],
            cwd=folder,
            env=environment() | {"COLUMNS": "80", "TERM": "xterm"},
            stdin=own,
            stdout=own,
            stderr=own,
            start_new_session=True,
        )
        os.close(own)
        self.screen = ""

    def wait(self, pattern, *, after=0):
        """Read until the pattern stands on the screen; return what was added."""
        end = time.monotonic() + 30
        while not re.search(pattern, self.screen[after:]):
            assert time.monotonic() < end, self.screen
            if select.select([self.number], [], [], 0.2)[0]:
                try:
                    self.screen += os.read(self.number, 1 << 16).decode("utf-8", "replace")
                except OSError:
                    break
        assert re.search(pattern, self.screen[after:]), self.screen
        return self.screen[after:]

    def type(self, keys):
        os.write(self.number, keys.encode())

    def end(self):
        code = self.process.wait(30)
        os.close(self.number)
        return code


def test_a_scripted_rater_in_a_terminal_stops_when_it_is_settled(tmp_path, pairs):
    typed, at = Typed(tmp_path, pairs(40)), 0
    answered = 0
    while True:
        said = typed.wait(r"u undo   q end\s|valid at every look", after=at)
        if "valid at every look" in said:
            break
        typed.type(read_better(typed.screen))
        at, answered = len(typed.screen), answered + 1
    typed.wait("Answers have")
    assert typed.end() == 0
    flat = " ".join(typed.screen.split())
    assert f"After {answered} answers: you prefer the council's answers" in flat
    assert 4 < answered < 20
    plain = re.sub(r"\x1b\[[\d;]*m|\r", "", typed.screen)
    assert max(map(len, plain.split("\n"))) <= 80
    before = flat[flat.index("pair 1 of") : flat.index("After ")]
    assert not re.search("council|solo|reply", before)


def test_ctrl_c_leaves_a_sentence_and_the_next_call_goes_on(tmp_path, pairs):
    name = pairs(6)
    typed = Typed(tmp_path, name)
    typed.wait("q end")
    typed.type("1")
    typed.wait(r"pair 2 of 6[\s\S]*q end")
    typed.type("\x1b[A")  # an arrow is no key here
    typed.wait("Not a key here")
    os.kill(typed.process.pid, signal.SIGINT)
    typed.wait("After 1 answer: it is still open")
    assert typed.end() == 130
    code, out, _ = in_pipe(tmp_path, "q", name)
    assert (code, "pair 2 of 6" in out, "After 1 answer: it" in out) == (0, True, True)
    assert "words" not in out  # of lengths one is not told before the end


def test_keys_from_a_pipe_json_and_export(tmp_path, pairs):
    name = pairs(6)
    code, out, err = in_pipe(tmp_path, "1\n0 x s u 2\n", name, "--rater", "Ann")
    assert (code, "Not a key here" in out, "run own-csv-" in err) == (0, True, True)
    code, out, _ = in_pipe(tmp_path, "", name, "--json")
    told = json.loads(out)
    assert told["format"] == "moot-judge/1"
    [own] = told["raters"]
    assert (own["rater"], own["class"], own["questions"]) == ("Ann", "open", 3)
    assert in_pipe(tmp_path, "", name, "--export", "all.csv")[0] == 0
    with (tmp_path / "all.csv").open(newline="") as file:
        kept = [row for row in csv.DictReader(file) if row["counts"] == "true"]
    with (tmp_path / "all.csv").open(newline="") as file:
        assert [row["choice"] for row in csv.DictReader(file)][2:4] == ["skip", "undo"]
    won, lost = (sum(row["choice"] == side for row in kept) for side in ("council", "solo"))
    same = sum(row["choice"] == "same" for row in kept)
    assert (own["won"], own["lost"], own["tied"]) == (won, lost, same) == (won, 2 - won, 1)
    assert own["difference"]["estimate"] == pytest.approx((won - lost) / 3)
    chosen = [row for row in kept if row["choice"] in {"council", "solo"}]
    first = sum(row["choice"] == row["first"] for row in chosen) / len(chosen)
    assert own["first"]["estimate"] == pytest.approx(first)
    # the council's answers are the longer ones
    assert own["longer"]["estimate"] == pytest.approx(won / len(chosen))
    code, _, err = in_pipe(tmp_path, "", name, "--export", "all.csv")
    assert (code, "exists already" in err) == (2, True)


def test_a_history_of_a_council_and_its_run(tmp_path):
    council(4, tmp_path / "x.json")
    code, out, err = in_pipe(tmp_path, "0000", "x.json")
    assert (code, "Every pair is judged." in out) == (0, True)
    flat = " ".join(out.split())
    assert "After 4 answers: it is still open which answers you prefer." in flat
    assert "In words written: 4.3 times a single reply (13 against 3 a question)." in flat
    key = re.search(r"run (x-json-\w+)", err)[1]
    assert in_pipe(tmp_path, "", key, "--result")[1] in out
    code, _, err = in_pipe(tmp_path, "", "x.json", "--solo", "nobody")
    assert (code, "--solo: unknown member 'nobody'" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing"], "nothing: no file is there; and as a run: there is no store"),
        (["own.csv", "--raters", "a,,b"], "--raters a,,b: a name is missing"),
        (["own.csv", "--arms", "a,b"], "--arms: unknown arm 'a'"),
        (["own.csv", "--rater", ""], "a rater's name has 1 to 60 characters"),
        (["own.csv", "--page", "--host", "0.0.0.0", "--port", "0"], "--token-env"),
        (["own.csv", "--replicate", "3"], "in replicate 3; choose others with --arms"),
        (["bad.csv"], "bad.csv begins with 'a,b'; the columns question, solo, council are needed"),
        (["own.csv", "--export", "x.txt"], "ends in .csv or .json"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, pairs, words, told):
    pairs(2)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    code, _, err = in_pipe(tmp_path, "", *words)
    assert (code, told in err) == (2, True), err


async def test_the_server_says_what_is_preferred_at_its_end(tmp_path, pairs):
    name = pairs(3)
    assert in_pipe(tmp_path, "11", name)[0] == 0
    serving = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "moot", "judge", name, "--raters", "Ann", "--port", "0"),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment(),
    )
    assert serving.stdout is not None
    link = (await serving.stdout.readline()).decode()
    assert re.fullmatch(r"Ann\thttp://127.0.0.1:\d+/judge/[\w-]{22}\n", link)
    serving.send_signal(signal.SIGINT)
    said = (await serving.stdout.read()).decode()
    await serving.wait()
    assert "After 2 answers: it is still open which answers you prefer" in " ".join(said.split())
