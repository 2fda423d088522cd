"""``moot import`` as it is typed."""

import json

import pytest

from support.commands import printed, refused, run_command

FORMAT = "debate-log/1"
LINE = {
    "format": FORMAT,
    "id": "q1",
    "dataset": "sums",
    "question": {"text": "2 + 2?", "answer": "4"},
    "agents": [{"name": "A"}, {"name": "B"}],
    "turns": [
        {"agent": "A", "round": 1, "text": "The answer is 4.", "reads": []},
        {"agent": "B", "round": 1, "text": "The answer is 5.", "reads": []},
        {"agent": "A", "round": 2, "text": "The answer is 4.", "reads": [1, 2]},
        {"agent": "B", "round": 2, "text": "\x1b[31mHard to say."},
    ],
}


@pytest.fixture
def log(tmp_path):
    lines = [LINE, LINE | {"id": "q2"}, {"format": FORMAT, "id": 7}]
    path = tmp_path / "sums.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def test_it_says_what_was_taken_for_what(tmp_path, log):
    text = printed(run_command(tmp_path, "import", "sums.jsonl"))
    for said in (
        "sums.jsonl: The open format: one debate a line (debate-log)",
        "  2 questions, 2 debates, 8 turns",
        "  sums: questions of kind number, as the answers and texts have it",
        "  answers: read in 6 of 8 turns; the log states none",
        "  who read whom: not known of 2 turns",
        "  could not be read: 1 part of the log",
        "    sums.jsonl, line 3: is no debate-log/1: Expected `str`, got `int` - at `$.id`",
        "arms: first reply, vote of round 1, debate, 7 arms by other rules",
        "baseline: vote of round 1",
        "recorded elsewhere: sums.jsonl",
    ):
        assert said in text
    again = printed(run_command(tmp_path, "import", "sums.jsonl"))
    assert "the store has this log already: nothing was read again" in again
    assert "recorded elsewhere: sums.jsonl" in printed(run_command(tmp_path, "show"))


def test_what_it_makes_is_shown_as_any_run(tmp_path, log):
    found = json.loads(printed(run_command(tmp_path, "import", "sums.jsonl", "--json")))
    assert found["arms"][:3] == ["first reply", "vote of round 1", "debate"]
    assert found["unread_parts"] == 1
    shown = printed(run_command(tmp_path, "show", found["run"]))
    assert "recorded elsewhere: sums.jsonl" in " ".join(shown.split())
    assert "unknown" in shown
    assert "$0" not in shown
    debate = printed(run_command(tmp_path, "show", found["run"], "q1", "--arm", "debate"))
    assert "recorded elsewhere: sums.jsonl" in debate
    assert "\x1b[31m" not in debate
    for form in ("jsonl", "csv", "inspect", "debate-log"):
        out = f"out-{form}"
        printed(run_command(tmp_path, "export", found["run"], "--format", form, "--out", out))
    printed(run_command(tmp_path, "report", found["run"], "--format", "html", "--out", "p.html"))
    page = (tmp_path / "p.html").read_text()
    assert "recorded elsewhere: sums.jsonl" in page
    assert "imulated:" not in page


def test_name_source_and_kind_are_chosen(tmp_path, log):
    words = ("--name", "their sums", "--source", "Sums (2026)", "--kind", "text", "--json")
    found = json.loads(printed(run_command(tmp_path, "import", "sums.jsonl", *words)))
    assert found["run"].startswith("their-sums-")
    assert (found["name"], found["source"]) == ("their sums", "Sums (2026)")
    assert found["kinds"]["sums"]["kind"] == "text"


def test_a_check_names_every_wrong_line(tmp_path, log):
    code, out, _ = run_command(tmp_path, "import", "sums.jsonl", "--check")
    assert code == 1
    assert "sums.jsonl, line 3: id: Expected `str`, got `int`" in out
    assert "3 lines of debate-log/1: 1 fault" in out
    log.write_text(json.dumps(LINE))
    assert "1 line of debate-log/1: no fault" in printed(
        run_command(tmp_path, "import", "sums.jsonl", "--check")
    )
    assert not (tmp_path / ".moot").exists()


REFUSED = [
    (["none.jsonl"], "No such file"),
    (["sums.jsonl", "--as", "nothing"], "log format"),
    (["notes.txt"], "fits no format"),
]


@pytest.mark.parametrize(("words", "why"), REFUSED)
def test_what_it_cannot_read_is_refused(tmp_path, log, words, why):
    (tmp_path / "notes.txt").write_text("We had a debate.")
    assert why in refused(run_command(tmp_path, "import", *words))


def test_help_imports_nothing_of_it(tmp_path):
    assert "import" in printed(run_command(tmp_path, "--help"))
