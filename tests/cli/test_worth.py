"""``moot worth``: what a person reads, what a program reads, and every way in which it ends."""

import contextlib
import fcntl
import json
import os
import pty
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from support.commands import environment, run_command

MODEL = "simulated/people?accuracy=0.6"
COLUMNS = ("--columns", "question=Ask,answer=Right")


def write_sums(folder, n=200, equal=0):
    """A file of sums with columns of its own."""
    chance = random.Random(4)
    pairs = [(chance.randint(10, 99), 100 + k) for k in range(n)]
    rows = [f"What is {a} + {b}?,{a + b}" for a, b in pairs]
    path = folder / "own.csv"
    path.write_text("\n".join(["Ask,Right", *rows, *rows[:equal]]) + "\n")
    return "own.csv"


def worth(folder, *words, **variables):
    """Run the command; return exit code, output and errors."""
    model = () if "--model" in words else ("--model", MODEL)
    given = (*model, *COLUMNS, "--store", "store", *words)
    return run_command(folder, "worth", "own.csv", *given, COLUMNS="80", **variables)


def test_the_end_is_read_at_a_glance(tmp_path):
    write_sums(tmp_path, equal=3)
    code, out, err = worth(tmp_path)
    lines = out.splitlines()
    assert code == 0
    assert len(lines) <= 20
    assert max(map(len, lines[:-1])) <= 80
    text = " ".join(out.split())
    assert "No: a vote of as many tokens is right more often than" in text
    assert "3 of 203 questions equal an earlier one, and were left out" in text
    assert "▼ worse" in text
    assert "own.csv: question is 'Ask', answer is 'Right'" in err
    assert "200 questions; a vote of as many tokens against society-of-minds, council" in err
    assert "expected" in err
    assert "20 of 200 questions · " in err
    assert max(len(line) for line in err.splitlines() if " of 200 questions · " in line) <= 80


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_it_is_one_line_on_a_terminal_of_any_width(tmp_path, columns):
    write_sums(tmp_path, 60)
    (tmp_path / "store").mkdir()
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    slow = f"{MODEL}&latency=0.2"  # so that each block is drawn
    words = ("worth", "own.csv", "--model", slow, *COLUMNS, "--store", "store", "--margin", "9")
    running = subprocess.Popen(
        [sys.executable, "-m", "moot", *words],
        cwd=tmp_path,
        env=environment() | {"TERM": "xterm-256color", "COLUMNS": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    assert running.wait() == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    lines = [line for line in re.split(r"[\r\n]+", plain) if " of 60 questions · " in line]
    assert any("40 of 60 questions · " in line for line in lines)
    assert max(map(len, lines)) < columns
    told = {40: "open", 60: "2 open", 80: "council −", 120: "council −"}[columns]
    assert any(told in line for line in lines)
    assert re.findall(r"\x1b\[1A", shown.decode()) in ([], ["\x1b[1A"])  # it is never two lines


def test_what_programs_read_is_as_it_is_said(tmp_path):
    write_sums(tmp_path, equal=3)
    code, out, err = worth(tmp_path, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert list(found) == [
        *("format", "sentence", "stopped", "alpha", "margin", "family", "order_seed"),
        *("questions", "methods", "rest", "warnings"),
    ]
    assert (found["format"], found["stopped"]) == ("moot-worth/1", "settled")
    assert (found["alpha"], found["margin"], found["family"]) == (0.05, 0.05, 2)
    assert set(found["questions"]) == {"file_sha256", "given", "unique", "used"}
    for method in found["methods"]:
        assert set(method) >= {
            *("dataset", "method", "arm", "class", "questions", "won", "lost", "tied", "unread"),
            *("failed", "accuracy", "vote", "difference", "tokens_per_question"),
            *("cost_per_question", "short", "settled_at"),
        }
        assert set(method["unread"]) == {"method", "vote"}
        assert set(method["vote"]) == {"accuracy", "samples", "tokens"}
        assert set(method["difference"]) == {"estimate", "low", "high", "level"}
        assert method["difference"]["level"] == pytest.approx(0.975)
    assert all(set(each) == {"code", "text"} for each in found["warnings"])
    code, shown, _ = run_command(tmp_path, "show", "worth own", "--store", "store", "--json")
    assert code == 0
    results = json.loads(shown)
    results = results.get("results", results)
    assert results["statement"] == found


def test_methods_margin_seed_block_and_price_can_be_said(tmp_path):
    write_sums(tmp_path, 60)
    words = ("--protocol", "multi-persona", "--margin", "20", "--seed", "7", "--block", "5")
    code, out, _ = worth(tmp_path, *words, "--json", "--price", f"{MODEL}=1,5", "--max-cost", "9")
    found = json.loads(out)
    assert code == 0
    assert [method["arm"] for method in found["methods"]] == ["multi-persona"]
    assert (found["margin"], found["order_seed"]) == (0.2, 7)
    assert found["methods"][0]["cost_per_question"] > 0
    assert found["methods"][0]["questions"] % 5 == 0


def test_a_dry_run_shows_the_price_and_calls_nothing(tmp_path):
    write_sums(tmp_path, 30)
    code, out, _ = worth(tmp_path, "--dry-run")
    assert code == 0
    assert "at most" in out
    code, out, _ = worth(tmp_path, "--dry-run", "--json")
    assert json.loads(out)["estimate"]["debates"] == 30 * 4
    assert run_command(tmp_path, "show", "--store", "store")[1].count("worth") == 0


def test_it_asks_before_it_costs_more(tmp_path):
    write_sums(tmp_path, 200)
    code, out, err = worth(tmp_path, "--price", f"{MODEL}=100,500")
    assert (code, out) == (2, "")
    assert "give --yes to start all the same; nothing was called" in err


@pytest.mark.parametrize("cap", [("--max-calls", "300"), ("--max-tokens", "9000")])
def test_a_cap_ends_it_with_a_valid_answer(tmp_path, cap):
    write_sums(tmp_path)
    code, out, _ = worth(tmp_path, *cap)
    text = " ".join(out.split())
    assert code == 3
    assert "where the cap ended the study" in text
    assert "more questions would settle it" in text or "than one would pay for" in text
    named = f"stopped at the cap of {int(cap[1]):,} {cap[0].rpartition('-')[2]}"
    code, listed, _ = run_command(tmp_path, "show", "--store", "store")
    assert named in listed
    code, shown, _ = run_command(tmp_path, "show", "worth own", "--store", "store")
    assert named in " ".join(shown.split())
    assert "where the cap ended the study" in " ".join(shown.split())
    code, out, _ = worth(tmp_path, "--json")
    assert json.loads(out)["stopped"] == "settled"
    code, listed, _ = run_command(tmp_path, "show", "--store", "store")
    assert "done" in listed
    assert "at the cap" not in listed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--margin", "0"), "--margin 0: points above 0 and below 100"),
        (("--margin", "500"), "--margin 500: points"),
        (("--block", "0"), "block = 0: must be at least 1"),
        (("--columns", "question"), "write ROLE=COLUMN"),
        (("--protocol", "society-of-mind"), "did you mean 'society-of-minds'"),
        (("--protocol", "single"), "there is no debate to compare"),
        (("--max-calls", "-1"), "calls = -1"),
    ],
)
def test_what_cannot_be_says_what_would_be_right(tmp_path, words, told):
    write_sums(tmp_path, 10)
    code, out, err = worth(tmp_path, *words)
    assert (code, out) == (2, "")
    assert told in " ".join(err.split())
    assert "Traceback" not in err


def test_a_method_that_init_wrote_is_compared_from_its_folder(tmp_path):
    write_sums(tmp_path, 12)
    assert run_command(tmp_path, "init", "mine", "--method")[0] == 0
    for name in ("mine.py:mine", "./mine.py"):
        code, out, err = worth(tmp_path, "--protocol", name, "--protocol", "council", "--json")
        assert (code, err) == (0, "")
        found = json.loads(out)
        assert [method["arm"] for method in found["methods"]] == ["mine", "council"]
        assert all(method["questions"] for method in found["methods"])
    code, out, err = worth(tmp_path, "--protocol", "mine.py", "--protocol", "./mine.py")
    assert (code, out) == (2, "")
    assert "protocol 'mine' is named twice" in err


def test_rows_that_are_odd_stop_it_or_are_left_out_and_counted(tmp_path, caplog):
    rows = ["What is 1 + 1?,2", "What is 2 + 2?,many", "Why?,", "What is 3 + 3?,6"]
    (tmp_path / "own.csv").write_text("\n".join(["Ask,Right", *rows]) + "\n")
    number = ("--kind", "number")
    code, _, err = worth(tmp_path, *number)
    assert code == 2
    assert "line 3: column 'Right': 'many'" in err
    assert "--skip-unreadable" in err
    code, out, _ = worth(tmp_path, *number, "--skip-unreadable", "--json")
    assert code == 0
    asked = json.loads(out)["questions"]
    assert (asked["given"], asked["unique"], asked["used"]) == (2, 2, 2)
    said = " ".join(caplog.messages)
    assert said.count("own.csv: 1 of 4 rows is left out: line 3") == 1
    assert "1 of 3 questions has no right answer: own-4; left out" in said
    code, _, err = worth(tmp_path, "--kind", "square")
    assert code == 2
    assert "the kind is 'square'" in err or "for kind 'square'" in err


def test_a_file_without_a_known_column_of_answers_names_the_others(tmp_path):
    (tmp_path / "own.csv").write_text("question,solution\n1 + 1?,2\n")
    code, _, err = run_command(tmp_path, "worth", "own.csv", "--model", MODEL)
    assert code == 2
    assert "no column is known to be the right answer; its other columns: solution" in err
    assert "--columns answer=solution" in err


def test_it_ends_where_no_reply_can_be_read(tmp_path):
    write_sums(tmp_path, 60)
    code, out, _ = worth(tmp_path, "--model", "scripted?reply=dunno")
    text = " ".join(out.split())
    assert code == 1
    assert "none of the 60 debates of a block has a readable answer; see what they say" in text
    assert "council: 100% of its debates and 100% of the votes beside it have no readable" in text
    assert "after 20 questions, where the study was interrupted" in text
    command = re.search(r"moot show (\S+ own-\d+)", text)[1].split()
    shown = run_command(tmp_path, "show", *command, "--store", "store")[1]
    assert "dunno" in shown


def test_several_models_debate_together(tmp_path):
    write_sums(tmp_path, 12)
    words = ("--model", MODEL, "--model", "simulated/people?accuracy=0.7")
    given = ("worth", "own.csv", *COLUMNS, *words, "--store", "store", "--json")
    code, out, _ = run_command(tmp_path, *given)
    assert code == 0
    assert [method["questions"] for method in json.loads(out)["methods"]] == [12, 12]
    code, out, _ = run_command(tmp_path, "show", "worth own", "--store", "store", "--json")
    models = {arm["arm"]: set(arm["models"]) for arm in json.loads(out)["arms"]}
    both = {MODEL, "simulated/people?accuracy=0.7"}
    assert models["council"] == models["society-of-minds"] == models["equal-budget"] == both


def test_a_name_of_neither_file_nor_dataset(tmp_path):
    code, _, err = run_command(tmp_path, "worth", "nowhere", "--model", MODEL)
    assert code == 2
    assert "nowhere" in err
    code, _, err = run_command(tmp_path, "worth", "nowhere.csv", "--model", MODEL)
    assert code == 2
    assert "nowhere.csv" in err


def start(folder, *words):
    """Start the command in a process of its own, with a model that takes its time."""
    slow = f"{MODEL}&latency=0.02"
    given = ["worth", "own.csv", "--model", slow, *COLUMNS, "--store", "store", "--block", "5"]
    command = [sys.executable, "-m", "moot", *given, "--margin", "1", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment(), **pipes)


def wait_for_block(process, blocks=2):
    """Wait until so many blocks were counted; return what was said."""
    said = []
    until = time.monotonic() + 60
    while sum(" of 100 questions · " in line for line in said) < blocks:
        assert time.monotonic() < until
        line = process.stderr.readline()
        assert line, "".join(said)
        said.append(line)
    return said


def test_ctrl_c_leaves_an_answer_and_running_again_goes_on(tmp_path):
    write_sums(tmp_path, 100)
    process = start(tmp_path)
    wait_for_block(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    text = " ".join(out.split())
    assert process.returncode == 130
    assert "where the study was interrupted" in text
    assert "Traceback" not in err
    process = start(tmp_path, "--json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert json.loads(out)["stopped"] in {"settled", "questions"}


def test_killed_it_goes_on_and_says_the_same(tmp_path):
    write_sums(tmp_path, 100)
    process = start(tmp_path)
    wait_for_block(process)
    process.kill()
    process.communicate()
    out, _ = start(tmp_path, "--json").communicate(timeout=120)
    (tmp_path / "store").rename(tmp_path / "killed")
    whole, _ = start(tmp_path, "--json").communicate(timeout=120)
    assert json.loads(out) == json.loads(whole)
