"""The command line as a user has it: a process, its output, its exit code."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

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


@pytest.fixture
def moot(tmp_path):
    """Runs a command in an empty folder and gives its exit code, output and errors."""

    def run(*arguments, stdin="", **variables):
        process = subprocess.run(
            [sys.executable, "-m", "moot", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=_environment() | variables,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in process.stderr
        return process.returncode, process.stdout, process.stderr

    return run


def _environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}


def _begun(file):
    """Whether a run has got its first reply."""
    if not file.exists():
        return False
    with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as connection:
        try:
            return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0] > 0
        except sqlite3.OperationalError:  # being made at this moment
            return False


def test_ask_prints_one_object_with_everything(moot):
    code, out, _ = moot("ask", "--json", "2 + 2?", "--kind", "number", "--model", FOUR)
    assert code == 0
    answer = json.loads(out)
    assert answer["answer"] == "4"
    assert answer["protocol"] == "society-of-minds"
    assert answer["settings"] | {"agents": 3, "rounds": 2} == answer["settings"]
    assert answer["calls"] == 6
    assert answer["cost"] == 0
    assert answer["failed"] is None
    assert answer["simulated"] is True
    assert set(answer["usage"]) == {"prompt_tokens", "completion_tokens", "cached_tokens"}
    assert [turn["round"] for turn in answer["turns"]] == [1, 1, 1, 2, 2, 2]
    assert [turn["reads"] for turn in answer["turns"]][:3] == [[], [], []]
    assert sorted(answer["turns"][3]["reads"]) == [1, 2, 3]
    keys = {"id", "agent", "role", "round", "model", "answer", "text", "reads"}
    keys |= {"prompt_tokens", "completion_tokens", "cached", "seconds", "node", "removed"}
    assert keys | {"cost", "retries", "replayed", "order"} == set(answer["turns"][0])
    assert answer["nodes"] == []


def test_ask_in_words_and_its_transcript_again(moot):
    code, out, err = moot("ask", "2 + 2?", "--kind", "number", "--model", FOUR)
    assert code == 0
    assert out.startswith("4 ")
    assert "\n6 calls, " in out
    assert "simulated" in out
    assert "mind-3" in err
    code, out, _ = moot("show", "ask")
    assert code == 0
    assert "Final answer: 4" in out


def test_one_call_is_said_in_the_singular(moot, tmp_path):
    out = moot("ask", "2 + 2?", "--protocol", "single", "--kind", "number", "--model", FOUR)[1]
    assert "\n1 call, " in out
    one = STUDY.replace("n = 4", "n = 1").split("[[arms]]")
    (tmp_path / "one.toml").write_text("[[arms]]".join(one[:2]))
    assert ": 1 debate, 1 call, about " in moot("run", "one.toml")[2]


def test_agents_may_be_of_different_models(moot):
    question = ["ask", "2 + 2?", "--kind", "number", "--json", "--model", FOUR]
    other = "scripted?reply=Final answer: 5"
    two = ["--agent", "", "--agent", f"model={other},temperature=.2"]
    code, out, _ = moot(*question, *two)
    assert code == 0
    assert [turn["answer"] for turn in json.loads(out)["turns"]] == ["4", "5"] * 2
    one_of_three = ["--agent", f"model={other}", "--set", "agents=3"]
    answer = json.loads(moot(*question, *one_of_three)[1])
    assert [turn["answer"] for turn in answer["turns"]] == ["5", "4", "4"] * 2
    same = f'agents=[{{}}, {{"model": "{other}", "temperature": 0.2}}]'
    assert json.loads(moot(*question, "--set", same)[1])["run"] == json.loads(out)["run"]


def test_ask_takes_settings_choices_and_standard_input(moot):
    options = ["--choice", "yes", "--choice", "no", "--protocol", "self-consistency"]
    model = "scripted?reply=Final answer: B"
    code, out, _ = moot("ask", "-", *options, "--set", "samples=2", "--json", "--model", model,
                        stdin="Is it?\n" + "x" * 300_000)  # fmt: skip
    answer = json.loads(out)
    assert (code, answer["answer"], answer["calls"]) == (0, "B", 2)


def test_the_default_model_comes_from_the_environment(moot):
    code, out, _ = moot("ask", "2 + 2?", "--json", "--protocol", "single", MOOT_MODEL=FOUR)
    assert code == 0
    assert json.loads(out)["turns"][0]["model"].startswith("scripted")


def test_store_by_option_and_environment(moot, tmp_path):
    moot("ask", "2 + 2?", "--model", FOUR, "--store", "a")
    moot("ask", "2 + 2?", "--model", FOUR, MOOT_STORE="b")
    assert (tmp_path / "a" / "moot.db").exists()
    assert (tmp_path / "b" / "moot.db").exists()
    assert not (tmp_path / ".moot").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "x", "--protocol", "society-of-mind"], ["society-of-minds"]),
        (["ask", "x", "--model", "opnai/gpt-4o"], ["opnai", "openai"]),
        (["ask", "x", "--model", "gpt-4o"], ["provider/model"]),
        (["ask", "x", "--set", "agent=3"], ["agent", "agents"]),
        (["ask", "x", "--set", "agents=none"], ["agents"]),
        (["ask", "x", "--set", "agents=0"], ["agents", ">= 1"]),
        (["ask", "x", "--set", "agents"], ["key=value"]),
        (["ask", "x", "--set", "model=x"], ["--model"]),
        (["ask", "x", "--set", "question=y"], ["--set question=y", "argument QUESTION"]),
        (["ask", "x", "--set", "kind=number"], ["--set kind=number", "give it as --kind"]),
        (["ask", "x", "--set", "store=x"], ["--set store=x", "give it as --store"]),
        (["ask", "x", "--set", "context=450"], ["--set context=450", "--context", "window"]),
        (["ask", "x", "--set", 'choices=["a","b"]'], ["give it as --choice"]),
        (["ask", "x", "--set", "budget=3"], ["--max-cost", "--max-calls"]),
        (["ask", "x", "--set", "listen=x"], ["unknown setting 'listen'"]),
        (["ask", "x", "--agent", "modle=x"], ["--agent modle=x", "'model'"]),
        (["ask", "x", "--agent", "role=mnd"], ["agents[1]", "'mind'"]),
        (["ask", "x", "--agent", "model=opnai/gpt-4o"], ["opnai", "openai"]),
        (["ask", "x", "--agent", "", "--set", "cast=[]"], ["--agent", "--set cast"]),
        (["ask", "x", "--set", "agents=[{]"], ["setting agents", "JSON list"]),
        (["ask", "x", "--set", "style=few-shot", "--set", "shots=9"], ["shots = 9", "examples"]),
        (["ask", "x", "--max-calls", "-1"], ["budget: calls = -1"]),
        (["ask", "x", "--kind", "numbr"], ["number"]),
        (["ask", "x", "--choice", "only one"], ["2 to 26"]),
        (["ask", "  "], ["empty"]),
        (["ask", "x", "--prompts", "none.toml"], ["none.toml"]),
        (["ask", "x", "--wrong"], ["--wrong"]),
        (["run", "none.toml"], ["none.toml"]),
        (["show", "none"], ["there is no store", "--store"]),
        (["report", "none"], ["there is no store", "--store"]),
        (["data", "peek", "arithmetics"], ["arithmetic"]),
        (["data", "peek", "arithmetic", "--set", "hard=1"], ["difficulty"]),
        (["data", "fetch", "none"], ["none"]),
        (["data", "add", "gsm8k", "none.jsonl"], ["none.jsonl"]),
        (["model", "add", "mine", "none.gguf"], ["none.gguf"]),
        (["model", "fetch", "none"], ["none"]),
        (["protocols", "singel"], ["single"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_bad_input_is_named_without_a_traceback(moot, arguments, said):
    code, _, err = moot(*arguments, MOOT_MODEL=FOUR)
    assert code == 2
    for part in said:
        assert part in err


def test_a_failed_debate_is_exit_code_1(moot, tmp_path):
    (tmp_path / "one.jsonl").write_text('"Final answer: 4"\n')
    code, out, _ = moot("ask", "2 + 2?", "--json", "--model", "scripted/one.jsonl")
    assert code == 1
    assert "ScriptEnded" in json.loads(out)["failed"]


def test_a_passage_and_a_window_are_two_things(moot):
    question = ["ask", "2 + 2?", "--kind", "number", "--json", "--model", FOUR]
    code, out, _ = moot(*question, "--context", "At noon.", "--set", "window=450")
    answer = json.loads(out)
    assert (code, answer["answer"], answer["settings"]["window"]) == (0, "4", 450)


def test_a_reached_budget_is_exit_code_3(moot, tmp_path):
    assert moot("ask", "2 + 2?", "--model", FOUR, "--max-calls", "3")[0] == 3
    (tmp_path / "capped.toml").write_text(STUDY + "[budget]\ncalls = 5\n")
    code, out, _ = moot("run", "capped.toml", "--json")
    assert code == 3
    assert "5 calls" in json.loads(out)["stopped"]


@pytest.fixture
def usual_keys(moot):
    """The keys of what ``moot ask --json`` prints, and those of a turn in it."""
    out = moot("ask", "1 + 1?", "--json", "--kind", "number", "--model", FOUR)[1]
    answer = json.loads(out)
    return set(answer), set(answer["turns"][0])


def test_an_ask_that_a_budget_stops_says_how_far_it_came(moot, usual_keys):
    question = ["ask", "2 + 2?", "--json", "--kind", "number", "--model", FOUR]
    code, out, err = moot(*question, "--max-calls", "4")
    answer = json.loads(out)
    assert code == 3
    assert "4 calls" in err
    assert (set(answer), set(answer["turns"][0])) == usual_keys
    assert (answer["answer"], answer["run"], answer["calls"]) == (None, None, 4)
    assert answer["failed"].startswith("BudgetReached: the budget of 4 calls is reached")
    assert answer["settings"]["agents"] == 3
    assert [turn["id"] for turn in answer["turns"]] == [1, 2, 3, 4]
    assert answer["usage"]["prompt_tokens"] == sum(t["prompt_tokens"] for t in answer["turns"])
    assert moot(*question)[0] == 0


def test_a_network_that_a_budget_stops_says_which_nodes_came_to_what(moot, usual_keys):
    question = ["ask", "2 + 2?", "--json", "--kind", "number", "--model", FOUR]
    question += ["--protocol", "network", "--set", "agents=1", "--set", "rounds=1"]
    whole = json.loads(moot(*question)[1])
    assert [node["name"] for node in whole["nodes"]] == ["C1", "C2", "C3", "C4"]
    answer = json.loads(moot(*question, "--set", "seed=1", "--max-calls", "6")[1])
    assert (set(answer), set(answer["turns"][0])) == usual_keys
    assert 1 <= len(answer["nodes"]) < 4
    assert answer["nodes"] == whole["nodes"][: len(answer["nodes"])]


def test_an_ask_that_ctrl_c_stops_says_how_far_it_came(tmp_path, usual_keys):
    model = f"{SIMULATED}&latency=2"
    command = [sys.executable, "-m", "moot", "ask", "2 + 2?", "--json", "--model", model]
    options = {"cwd": tmp_path, "env": _environment() | {"MOOT_STORE": "new"}, "text": True}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*command, "--kind", "number"], **options, **pipes)
    end = time.monotonic() + 30
    while not _begun(tmp_path / "new" / "moot.db"):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    answer = json.loads(out)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert (set(answer), set(answer["turns"][0])) == usual_keys
    assert answer["answer"] is None
    assert answer["failed"] == "Interrupted: before the debate ended"
    assert answer["calls"] == len(answer["turns"]) in range(1, 6)
    assert answer["seconds"] > 0


def test_run_show_and_report(moot, tmp_path):
    (tmp_path / "small.toml").write_text(STUDY)
    code, out, _ = moot("run", "small.toml", "--dry-run", "--json")
    assert json.loads(out)["estimate"]["calls"] == 4 * (1 + 6)
    assert not moot("show", "--json")[1].strip("[]\n")
    code, out, _ = moot("run", "small.toml", "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["done"], told["failed"], told["stopped"]) == (8, 0, None)
    assert [arm["arm"] for arm in told["results"]["arms"]] == ["single", "society-of-minds"]
    run = told["run"]
    assert [row["run"] for row in json.loads(moot("show", "--json")[1])] == [run]
    assert json.loads(moot("show", run, "--json")[1]) == told["results"]
    assert "simulated" in moot("show", run)[1]
    question = "arithmetic-1-0-0"
    events = json.loads(moot("show", "small", question, "--json")[1])
    assert [len(debate["events"]) for debate in events] == [4, 11]
    assert "mind-2" in moot("show", run, question, "--arm", "society-of-minds")[1]
    code, out, _ = moot("report", run)
    assert code == 0
    page = Path(tmp_path, out.strip()).read_text()
    assert "simulated" in page
    assert page.count('<details id="d') == 8
    _, out, err = moot("report", run, "--transcripts", "2", "--out", "two.html")
    assert Path(tmp_path, out.strip()).read_text().count('<details id="d') == 2
    assert f"study small · run {run} · begun 20" in err
    assert " UTC · reported by moot " in err
    assert "  single: single · model = simulated/people" in err
    assert moot("run", "small.toml", "--limit", "2", "--yes")[0] == 0


@pytest.mark.parametrize("what", ["protocols", "datasets", "models", "metrics"])
def test_listings_in_words_and_as_json(moot, what):
    rows = json.loads(moot(what, "--json")[1])
    assert len(rows) >= 4
    assert all(row["name"] and row["summary"] for row in rows)
    code, out, _ = moot(what)
    assert code == 0
    assert rows[0]["name"] in out


def test_peek_prints_one_object_a_line(moot):
    out = moot("data", "peek", "arithmetic", "--limit", "3", "--set", "difficulty=2", "--json")[1]
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) == 3
    keys = {"id", "kind", "question", "context", "choices", "answer"}
    assert all(set(row) == keys for row in rows)


def test_interrupting_a_run_is_exit_code_130_and_it_goes_on(tmp_path):
    study = STUDY.replace("n = 4", "n = 40").replace(SIMULATED, f"{SIMULATED}&latency=0.05")
    (tmp_path / "slow.toml").write_text(study)
    command = [sys.executable, "-m", "moot", "run", "slow.toml", "--json"]
    options = {"cwd": tmp_path, "env": _environment(), "text": True}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, **options, **pipes)
    end = time.monotonic() + 30
    while not _begun(tmp_path / ".moot" / "moot.db"):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "run again" in err
    assert "Traceback" not in err
    again = subprocess.run(command, **options, capture_output=True, check=True, timeout=60)
    assert json.loads(again.stdout)["done"] == 80


def test_control_characters_of_a_reply_do_not_reach_the_terminal(moot, tmp_path):
    reply = "\x1b[31mred\x07 \u202eback {{ 7*7 }} [bold]x[/bold]\nFinal answer: 4"
    (tmp_path / "odd.jsonl").write_text(json.dumps(reply) + "\n")
    model = ["--model", "scripted/odd.jsonl", "--protocol", "single", "--kind", "number"]
    assert moot("ask", "2 + 2?", *model)[0] == 0
    out = moot("show", "ask")[1]
    assert not {"\x1b", "\x07", "\u202e"} & set(out)
    assert "{{ 7*7 }} [bold]x[/bold]" in out


def test_a_network_is_shown_and_reported_part_by_part(moot, tmp_path):
    arms = (
        '[[arms]]\nprotocol = "network"\nagents = 1\n[[arms]]\nprotocol = "hopfield"\nagents = 1\n'
    )
    (tmp_path / "nets.toml").write_text(STUDY.partition("[[arms]]")[0] + arms)
    _, out, _ = moot("run", "nets.toml")
    assert "network (simulated)" in out
    assert [word in out for word in ("layer 3", "node C4", "sweep 1")] == [True] * 3
    assert moot("show", "small")[1].partition("Second lines")[0] == out.partition("Second lines")[0]
    shown = moot("show", "small", "arithmetic-1-0-0", "--arm", "network")[1]
    assert "node C4, layer 3 ═" in shown
    assert "community · read C3 · verdict: " in shown
    _, out, err = moot("report", "small")
    assert "nodes = C1, C2, C3, C4 · edges = C1→judge, C2→C3, C3→C4, C4→judge" in err
    assert "node C4, layer 3" in Path(tmp_path, out.strip()).read_text()


def test_a_long_reply_is_shown_whole(moot, tmp_path):
    words = [f"word{number}" for number in range(400)]
    (tmp_path / "long.jsonl").write_text(json.dumps(" ".join(words) + "\nFinal answer: 4") + "\n")
    options = ["--model", "scripted/long.jsonl", "--protocol", "single", "--kind", "number"]
    assert moot("ask", "2 + 2?", *options)[0] == 0
    shown = moot("show", "ask")[1].split()
    assert [word for word in shown if word.startswith("word")] == words


def test_names_and_paths_are_no_markup(moot, tmp_path):
    odd = "a [/red] [bold]b \u202ec"
    study = STUDY.replace('name = "small"', f"name = {json.dumps(odd)}")
    study = study.replace('protocol = "single"', 'protocol = "single"\nname = "[/x] one"')
    (tmp_path / "odd.toml").write_text(study)
    code, out, err = moot("run", "odd.toml", "--store", "w[/x]w")
    assert code == 0
    assert "[/x] one" in out
    assert "[/red]" in err
    assert "\u202e" not in out + err
    run = json.loads(moot("show", "--store", "w[/x]w", "--json")[1])[0]["run"]
    assert moot("show", run, "--store", "w[/x]w")[0] == 0
    assert moot("report", run, "--store", "w[/x]w")[0] == 0


def test_why_debates_failed_is_said(moot, tmp_path):
    model = "http://127.0.0.1:9/v1/nobody"
    failing = STUDY.replace(SIMULATED, model) + "[retry]\nattempts = 1\n"
    (tmp_path / "failing.toml").write_text(failing)
    code, out, _ = moot("run", "failing.toml")
    assert code == 1
    assert "8 failed:" in out
    assert "8 failed:" in moot("show", "small")[1]


@pytest.fixture
def prompted(tmp_path):
    """A run that asks on its terminal whether to start, at the moment it has asked."""
    model = "http://127.0.0.1:9/v1/dear"
    dear = STUDY.replace(SIMULATED, model) + "[retry]\nattempts = 1\n"
    dear += f'[prices."{model}"]\ninput = 1e6\noutput = 1e6\n'
    (tmp_path / "dear.toml").write_text(dear)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "moot", "run", "dear.toml"]
    options = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = subprocess.Popen(command, cwd=tmp_path, env=_environment(), **options)
    os.close(theirs)
    try:
        told = b""
        while b"[y/N]" not in told:
            told += os.read(ours, 1000)
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_ctrl_c_at_the_question_whether_to_start_ends_it(prompted):
    process, _ = prompted
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130


@pytest.mark.parametrize(("typed", "code"), [(b"n\n", 2), (b"\n", 2), (b"\x04", 2), (b"y\n", 1)])
def test_the_question_whether_to_start_takes_yes_alone(prompted, typed, code):
    process, terminal = prompted
    os.write(terminal, typed)
    assert process.wait(timeout=20) == code
