"""``moot run``, ``show`` and ``report`` as a user has them."""

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.commands import FOUR, SIMULATED, STUDY, environment, printed
from support.forks import Terminal


def test_an_analysis_that_there_is_not_is_told_before_anything_is_run(moot, tmp_path):
    (tmp_path / "odd.toml").write_text('analyses = ["prejudise"]\n' + STUDY)
    code, out, told = moot("run", "odd.toml")
    assert (code, out) == (2, "")
    assert "odd.toml: analyses: unknown analysis 'prejudise'; did you mean 'prejudice'?" in told
    assert not moot("show", "--json")[1].strip("[]\n")


def test_run_show_and_report(moot, tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    code, out, _ = moot("run", "small.toml", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["done"], told["failed"], told["stopped"]) == (8, 0, None)
    assert [arm["arm"] for arm in told["results"]["arms"]] == ["single", "society-of-minds"]
    run = told["run"]
    assert [row["run"] for row in json.loads(moot("show", "--json")[1])] == [run]
    assert json.loads(moot("show", run, "--json")[1]) == told["results"]
    assert "SIMULATED" in moot("show", run)[1]
    question = "arithmetic-1-0-0"
    events = json.loads(moot("show", "small", question, "--json")[1])
    assert [len(debate["events"]) for debate in events] == [4, 11]
    assert "mind-2" in moot("show", run, question, "--arm", "society-of-minds")[1]
    for more, shown in (((), 8), (("--transcripts", "2", "--out", "two.html"), 2)):
        code, out, err = moot("report", run, "--no-figures", *more)
        assert code == 0
        page = Path(tmp_path, out.strip()).read_text()
        assert "simulated" in page
        assert page.count('<details id="d') == shown
    assert f"study small · run {run} · begun 20" in err
    assert " UTC · reported by moot " in err
    assert "model = simulated/people" not in err  # the page has the settings
    assert "model = simulated/people" in page
    assert moot("run", "small.toml", "--limit", "2", "--yes")[0] == 0


GRID = """
name = "grid"
baseline = "single"
equal_budget = true
[settings]
model = "{model}"
[[datasets]]
name = "arithmetic"
n = 4
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
agents = 2
rounds = [1, 2]
[[arms]]
protocol = "council"
agents = 3
"""


def test_chosen_arms_are_the_run_of_the_study_without_the_others(moot, tmp_path):
    (tmp_path / "grid.toml").write_text(GRID.format(model=SIMULATED))
    dropped = 'name = "grid"\nextends = "grid.toml"\ndrop_arms = ["council"]\n'
    (tmp_path / "part.toml").write_text(dropped)
    whole = json.loads(moot("run", "grid.toml", "--json")[1])
    paid = count_replies(tmp_path)
    chosen = ("--arm", "single", "--arm", "society*")
    code, out, told = moot("run", "grid.toml", *chosen, "--json")
    part = json.loads(out)
    assert (code, told) == (0, "left out by --arm: 1 method: 'council'\n")
    assert count_replies(tmp_path) == paid > 0
    assert part["run"] == json.loads(moot("run", "part.toml", "--json")[1])["run"] != whole["run"]
    names = [arm["arm"] for arm in part["results"]["arms"]]
    assert names == [arm["arm"] for arm in whole["results"]["arms"] if arm["arm"] != "council"]
    assert "equal-budget" in names
    by_name = {arm["arm"]: arm["accuracy"]["mean"] for arm in whole["results"]["arms"]}
    for arm in part["results"]["arms"][:3]:
        assert arm["accuracy"]["mean"] == by_name[arm["arm"]]
    assert "left out" not in moot("run", "grid.toml", "--arm", "*", "--dry-run")[2]


def test_an_arm_that_cannot_be_chosen_is_named_with_what_would_be_right(moot, tmp_path):
    (tmp_path / "grid.toml").write_text(GRID.format(model=SIMULATED))
    code, out, told = moot("run", "grid.toml", "--arm", "counsil")
    assert (code, out) == (2, "")
    assert "--arm: unknown arm 'counsil'; did you mean 'council'?" in told
    code, out, told = moot("run", "grid.toml", "--arm", "society-of-minds")
    assert (code, out) == (2, "")
    assert "--arm leaves out the baseline, 'single'; name it, too" in told
    assert not moot("show", "--json")[1].strip("[]\n")


def count_replies(tmp_path):
    with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as store:
        [[count]] = store.execute("select count(*) from replies")
    return count


def test_the_cap_that_stopped_a_run_is_said_until_it_has_gone_on(moot, tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    code, out, _ = moot("run", "small.toml", "--max-calls", "9")
    assert code == 3
    assert "stopped at the cap of 9 calls; what was paid for" in " ".join(out.split())
    shown = " ".join(printed(moot("show", "small")).split())
    assert "stopped at the cap of 9 calls: these are the " in shown
    assert " stopped at the cap of 9 calls " in printed(moot("show"))
    assert moot("run", "small.toml", "--yes")[0] == 0
    assert "at the cap" not in moot("show")[1] + moot("show", "small")[1]


SUMS = '[[datasets]]\nname = "arithmetic"\nlabel = "sums {0}"\nseed = {0}\nn = 8\n'


def test_a_run_of_many_arms_ends_with_what_can_be_read_at_once(moot, tmp_path):
    arms = (
        '[[arms]]\nprotocol = "single"\ntemperature = [0.1, 0.2, 0.3, 0.4]\n'
        '[[arms]]\nprotocol = "self-consistency"\nsamples = [2, 3, 4, 5]\n'
        '[[arms]]\nprotocol = "society-of-minds"\nagents = 2\nrounds = [1, 2]\n'
    )
    head = 'name = "many"\nanalyses = ["fidelity", "features", "judge-bias"]\n'
    settings = f'[settings]\nmodel = "{SIMULATED}"\n'
    (tmp_path / "many.toml").write_text(
        head + settings + "".join(map(SUMS.format, range(4))) + arms
    )
    out = moot("run", "many.toml")[1]
    lines = out.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1].startswith("moot report many-")
    ending = lines[next(k for k, line in enumerate(lines) if line.startswith("SIMULATED")) :]
    assert len(ending) <= 20, len(ending)
    heads = next(line for line in ending if line.startswith("Method "))
    assert heads.split()[1:] == [word for k in range(4) for word in ("sums", str(k), "%")]
    assert sum(line.startswith("single temperature") for line in ending) == 4
    assert "\nFidelity: many: " in out
    assert "\nNothing of judge-bias: " in out
    whole = moot("show", "many")[1]
    assert len(whole.splitlines()) < 80
    assert "The best and the median variant" in whole
    assert "All 40 accuracies and prices: moot analyse configurations" in " ".join(whole.split())
    assert moot("report", "many", "--no-figures")[2].count("\n") == 1


def test_methods_on_several_datasets_end_in_one_plain_table_and_the_answer(moot, tmp_path):
    """Seven methods, of which six have an arm each, on two datasets: 14 rows."""
    protocols = "single", "self-consistency", "society-of-minds", "chateval", "free-mad", "ballot"
    arms = "".join(f'[[arms]]\nprotocol = "{name}"\n' for name in protocols)
    head = f'name = "plain"\nequal_budget = true\n[settings]\nmodel = "{SIMULATED}"\n'
    (tmp_path / "plain.toml").write_text(head + "".join(map(SUMS.format, range(2))) + arms)
    out = moot("run", "plain.toml")[1]
    lines = out.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Method "))
    rows = {line.split()[0]: line.split()[1:] for line in lines[start + 2 : start + 9]}
    assert list(rows) == [*protocols, "equal-budget"]
    assert all(rows[name][1::2] == ["·", "·"] for name in protocols[2:])
    assert all(len(rows[name]) == 2 for name in (*protocols[:2], "equal-budget"))
    answer = json.loads(moot("run", "plain.toml", "--json")[1])["findings"][0]
    head = lines[next(k for k, line in enumerate(lines) if line.startswith("SIMULATED")) : start]
    assert " ".join(" ".join(head).split()).startswith(f"{head[0]} {answer}")
    assert len(lines) - start < 19
    found = json.loads(moot("run", "plain.toml", "--json")[1])
    assert found["findings"][0] == answer
    assert [each["class"] for each in found["verdicts"]] == ["open"] * 8


def test_why_debates_failed_is_said(moot, tmp_path):
    (tmp_path / "one.jsonl").write_text('"one reply and no more"\n')
    failing = STUDY.replace(SIMULATED, "scripted/one.jsonl")
    (tmp_path / "failing.toml").write_text(failing)
    code, out, _ = moot("run", "failing.toml")
    assert code == 1
    assert " failed: " in out
    assert " failed: " in moot("show", "small")[1]


@pytest.mark.parametrize(
    ("typed", "code"), [(b"n\n", 2), (b"\n", 2), (b"\x04", 2), (b"y\n", 1), (b"\x03", 130)]
)
def test_the_question_whether_to_start_takes_yes_alone(tmp_path, forks, typed, code):
    (tmp_path / "one.jsonl").write_text('"one reply and no more"\n')
    dear = STUDY.replace(SIMULATED, "scripted/one.jsonl")
    dear += '[prices."scripted/one.jsonl"]\ninput = 1e6\noutput = 1e6\n'
    (tmp_path / "dear.toml").write_text(dear)
    terminal = Terminal(forks, tmp_path, "run", "dear.toml", env=environment())
    try:
        told = b""
        while b"[y/N]" not in told:
            told += os.read(terminal.number, 1000)
        os.write(terminal.number, typed)
        assert terminal.process.wait(timeout=20) == code
    finally:
        terminal.process.kill()
        os.close(terminal.number)


def test_a_dry_run_tells_what_is_not_ready(moot, tmp_path):
    (tmp_path / "away.toml").write_text(STUDY.replace(SIMULATED, "http://127.0.0.1:9/v1/x"))
    code, out, err = moot("run", "away.toml", "--dry-run", "--json")
    assert code == 0
    [problem] = json.loads(out)["not_ready"]
    assert problem.startswith("http://127.0.0.1:9/v1/x: no connection")
    code, _, err = moot("run", "away.toml", "--dry-run")
    assert (code, err.count("not ready:")) == (0, 1)
    code, out, err = moot("run", "away.toml")
    assert (code, out) == (2, "")
    assert err.count("no connection to 127.0.0.1:9") == 1


def test_a_dry_run_tells_what_each_arm_is_expected_to_take(moot, tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    expected = json.loads(moot("run", "small.toml", "--dry-run", "--json")[1])["estimate"]
    assert [arm["calls"] for arm in expected["expected"]["arms"]] == [4, 24]
    assert (expected["calls"], expected["expected"]["calls"]) == (28, 24)
    words = " ".join(moot("run", "small.toml", "--dry-run")[1].split())
    shared = "4 calls that several methods share are paid for once"
    rehearsed = "rehearsed without a language model: 4 of 4 questions"
    for part in ("8 debates: expected 24 calls", "at most 28 calls", shared, rehearsed):
        assert part in words
    assert json.loads(moot("run", "small.toml", "--json")[1])["results"]["saved"]["paid"] == 24


def test_what_a_model_on_the_command_line_does_not_replace_is_told(moot, tmp_path):
    own = 'name = "own"\nmodel = "scripted?reply=Final answer: 4"\n'
    study = STUDY.replace('"single"\n', f'"single"\n{own}')
    study = study.replace(f'model = "{SIMULATED}"', "seed = 1")
    (tmp_path / "some.toml").write_text(study)
    for more in (["--dry-run", "--json"], ["--json"]):
        _, out, err = moot("run", "some.toml", "--model", SIMULATED, *more)
        assert "--model simulated/people speaks in 1 of 2 methods: these models are named" in err
        assert "  scripted: own\n" in err
        assert json.loads(out)["kept_models"] == {"scripted?reply=Final answer: 4": ["own"]}
    assert "--model" not in moot("run", "some.toml", "--dry-run")[2]
    (tmp_path / "all.toml").write_text(STUDY)
    _, _, err = moot("run", "all.toml", "--dry-run", "--model", FOUR)
    assert err.startswith("--model scripted replaces nothing: these models are named")
    assert "  simulated/people: single, society-of-minds\n" in err
    assert "--model" not in moot("run", "all.toml", "--dry-run", "--model", SIMULATED)[2]


VOID = """
[[arms]]
protocol = "exchange-of-thought"
end_above = [0.1, 0.5, 0.85]
[[arms]]
protocol = "exchange-of-thought"
name = "whole"
compare = "replies"
end_above = 0.5
"""


def test_a_setting_that_changes_nothing_on_these_questions_is_told(moot, tmp_path):
    (tmp_path / "void.toml").write_text(STUDY + VOID)
    for terms in (("--dry-run",), ("--yes", "--json")):
        told = " ".join(moot("run", "void.toml", *terms)[2].split())
        assert (
            "end_above changes next to nothing on arithmetic, whose questions are of kind number: "
            "exchange-of-thought end_above=0.1, exchange-of-thought end_above=0.5 end_above: by "
        ) in told
        assert "answers of other kinds are equal or not" in told
        assert "whole" not in told.partition("end_above: by")[0]


def test_draws_of_one_prompt_at_temperature_0_are_told(moot, tmp_path):
    asked = ("ask", "2 + 2?", "--model", FOUR, "--kind", "number", "--set", "temperature=0")
    told = "self-consistency: samples = 3: at temperature = 0 most models give one reply to all"
    samples = ("--protocol", "self-consistency", "--set", "samples=3")
    assert told in " ".join(moot(*asked, *samples)[2].split())
    assert "temperature" not in moot(*asked, "--protocol", "single")[2]
    arm = '[[arms]]\nprotocol = "self-consistency"\ntemperature = 0\n'
    (tmp_path / "cold.toml").write_text(STUDY + arm)
    assert "self-consistency: samples = 5: at temp" in " ".join(moot("run", "cold.toml")[2].split())
    arms = '[[arms]]\nprotocol = "self-consistency"\ntemperature = 0\nstyle = ["cot", "simple"]\n'
    (tmp_path / "cold.toml").write_text(STUDY + arms)
    told = moot("run", "cold.toml", "--dry-run")[2]
    assert "self-consistency style=cot and 1 more: samples = 5: at temp" in " ".join(told.split())
    assert told.count("samples = 5") == 1


CAPPED = STUDY + "[budget]\ntokens = 2000\ncalls = 100\n"


def test_a_plan_says_by_how_much_a_cap_can_be_exceeded(moot, tmp_path):
    (tmp_path / "capped.toml").write_text(CAPPED)
    code, out, _ = moot("run", "capped.toml", "--dry-run")
    said = " ".join(out.split())
    assert code == 0
    assert "cap 100 calls; never exceeded" in said
    more = r"cap 2,000 tokens; more only by the [\d,]+ replies in flight, whose length"
    assert re.search(more, said)
    assert "the first reply may already exceed a cap" in said
    caps = json.loads(moot("run", "capped.toml", "--dry-run", "--json")[1])["caps"]
    assert [cap["of"] for cap in caps["caps"]] == ["calls", "tokens"]
    assert caps["first_exceeds"]
    text = CAPPED.replace("[settings]", "[settings]\nmax_tokens = 60")
    (tmp_path / "capped.toml").write_text(text)
    said = " ".join(moot("run", "capped.toml", "--dry-run")[1].split())
    assert "replies in flight cannot exceed it" in said
    assert "first reply" not in said


def test_a_run_that_a_cap_stops_says_how_far_it_is_used_and_a_plan_knows_its_replies(
    moot, tmp_path
):
    (tmp_path / "capped.toml").write_text(CAPPED)
    code, out, _ = moot("run", "capped.toml")
    said = " ".join(out.split())
    assert code == 3
    assert re.search(r"cap 2,000 tokens: 1,\d\d\d spent", said)
    (of_calls, of_tokens) = json.loads(moot("run", "capped.toml", "--json")[1])["caps"]
    assert 1000 < of_tokens["spent"] <= 2000
    assert 0 < of_calls["spent"] < 100
    again = " ".join(moot("run", "capped.toml", "--dry-run")[1].split())
    assert "tokens are usual" in again
    assert "the first reply may already exceed a cap" not in again
