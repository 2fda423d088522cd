"""``moot ask`` as a user has it: its output, its exit code."""

import json
import shlex
import sys

import pytest

from support.commands import FOUR, SIMULATED, STUDY, environment, printed, refused
from support.forks import Terminal

ASKED = ("ask", "2 + 2?", "--kind", "number", "--model", FOUR)


def test_ask_in_words_and_its_transcript_again(moot):
    code, out, err = moot(*ASKED)
    assert code == 0
    assert out.startswith("4 ")
    assert "\n6 calls, " in out
    assert "simulated" in out
    assert "mind-3" in err
    assert "Final answer: 4" in printed(moot("show", "ask"))
    assert "\n1 call, " in moot(*ASKED, "--protocol", "single")[1]


def test_ask_takes_settings_choices_and_standard_input(moot):
    options = ["--choice", "yes", "--choice", "no", "--protocol", "self-consistency", "--json"]
    options += ["--set", "samples=2", "--model", "scripted?reply=Final answer: B"]
    code, out, _ = moot("ask", "-", *options, stdin="Is it?\n" + "x" * 300_000)
    answer = json.loads(out)
    assert (code, answer["answer"], answer["calls"]) == (0, "B", 2)


def test_a_failed_debate_is_exit_code_1(moot, tmp_path):
    (tmp_path / "one.jsonl").write_text('"Final answer: 4"\n')
    code, out, _ = moot("ask", "2 + 2?", "--json", "--model", "scripted/one.jsonl")
    assert code == 1
    assert "ScriptEnded" in json.loads(out)["failed"]
    code, out, _ = moot(*ASKED, "--window", "300", "--set", "max_tokens=290")  # no prompt fits
    assert code == 1
    assert "\nno model answered, " in out
    assert "0 calls" not in out


@pytest.fixture
def usual_keys(moot):
    """The keys of what ``moot ask --json`` prints, and those of a turn in it."""
    answer = json.loads(moot(*ASKED, "--json", "--set", "seed=9")[1])
    return set(answer), set(answer["turns"][0])


def test_an_ask_that_a_budget_stops_says_how_far_it_came(moot, usual_keys):
    code, out, err = moot(*ASKED, "--json", "--max-calls", "4")
    answer = json.loads(out)
    assert code == 3
    assert "4 calls" in err
    assert (set(answer), set(answer["turns"][0])) == usual_keys
    assert (answer["answer"], answer["run"], answer["calls"]) == (None, None, 4)
    assert answer["failed"].startswith("BudgetReached: stopped at the cap of 4 calls")
    assert answer["settings"]["agents"] == 3
    assert [turn["id"] for turn in answer["turns"]] == [1, 2, 3, 4]
    assert answer["usage"]["prompt_tokens"] == sum(t["prompt_tokens"] for t in answer["turns"])
    assert moot(*ASKED, "--json")[0] == 0


@pytest.mark.parametrize("command", [["ask"], ["write", "--stance", "oppose"]])
def test_a_price_makes_a_cap_on_cost_possible(moot, command):
    words = [*command, "Tea is better than coffee.", "--model", "http://127.0.0.1:9/v1/x"]
    code, out, err = moot(*words, "--max-cost", "1")
    assert (code, out) == (2, "")
    assert "that of http://127.0.0.1:9/v1/x is unknown: state it with --price" in err
    priced = (*words, "--max-cost", "1", "--price", "http://127.0.0.1:9/v1/x=1,2")
    err = refused(moot(*priced))
    assert "unknown: state it" not in err
    assert err.count("no connection to 127.0.0.1:9") == 1
    assert "nothing was called" in err
    code, _, err = moot(*words, "--price", "nobody=1,2")
    assert (code, "(--price): unknown model 'nobody'" in err) == (2, True)


def test_a_stated_price_is_what_an_answer_costs(moot):
    words = [*ASKED, "--protocol", "single", "--json"]
    assert json.loads(moot(*words, "--price", f"{FOUR}=1000000,0")[1])["cost"] > 1
    assert moot(*words, "--price", f"{FOUR}=2,0", "--max-cost", "0", "--set", "seed=3")[0] == 3


def test_no_answer_shows_the_last_words_of_each_agent_or_names_the_rule(moot):
    told = "scripted?reply=" + "I cannot tell. " * 40
    code, out, err = moot("ask", "2 + 2?", "--kind", "number", "--model", told)
    assert code == 0
    began = "no answer: the debate came to none (by majority)\n  mind-1: I cannot tell. "
    assert out.startswith(began)
    lines = out.splitlines()[1:4]
    assert [each.split(":")[0].strip() for each in lines] == ["mind-1", "mind-2", "mind-3"]
    assert all(len(each) < 260 and each.endswith("…") for each in lines)
    assert "in full: moot show ask-" in out
    assert err.count("(no answer) I cannot tell.") == 6
    out = moot(*ASKED, "--set", "decision=weighted")[1]
    assert out.startswith("no answer: the debate came to none (by weighted: confidence missing)\n")


def test_a_dry_run_tells_what_it_will_take_and_asks_nothing(moot):
    asked = ["ask", "6 * 7?", "--kind", "number", "--model", "simulated/people"]
    out = printed(moot(*asked, "--dry-run"))
    assert "1 debate: expected 6 calls" in out
    assert "at most 6 calls" in out
    told = json.loads(moot(*asked, "--dry-run", "--json")[1])
    assert not moot("show", "--json")[1].strip("[]\n")
    held = json.loads(moot(*asked, "--json")[1])
    expected, usage = told["estimate"]["expected"], held["usage"]
    assert expected["calls"] == held["calls"]
    assert expected["tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


COUNCIL = ("--kind", "number", "--protocol", "council")
VOTE = ("--kind", "number", "--protocol", "self-consistency", "--set", "samples=3")


def test_answers_that_cannot_be_read_are_told_beside_the_answer(moot):
    unsure = "scripted?reply=I am not sure about this at all."
    asked = ("ask", "2 + 2?", *VOTE, "--models", f"{FOUR},{unsure},{unsure}")
    out = moot(*asked)[1]
    assert out.startswith("4  (by the only answer of 3)\n")
    line = "unread: 2 of 3 gave no answer that could be read: sampler-2, sampler-3"
    assert line in out
    assert line in moot("show", "ask")[1]
    told = json.loads(moot(*asked, "--json")[1])
    assert [each["agents"] for each in told["unread"]] == [["sampler-2", "sampler-3"]]


def test_models_go_round_the_seats_and_it_is_said_where_one_comes_again(moot):
    five = "scripted?reply=Final answer: 5"
    asked = ("ask", "2 + 2?", *COUNCIL, "--models", f"{FOUR},{five}", "--set", "agents=3")
    code, out, err = moot(*asked, "--json")
    assert code == 0
    assert "council: 3 seats: scripted, scripted, scripted (again); chair: scripted" in err
    told = json.loads(out)
    first, second, third, *_, chair = (turn["model"] for turn in told["turns"])
    assert first == third == chair != second
    [dissent] = told["dissents"]
    assert (dissent["agents"], dissent["answer"], dissent["turn"]) == (["member-2"], "5", 2)
    out = moot(*asked)[1]
    assert "dissent: member-2 answers 5, turn #2: Final answer: 5" in out
    assert "dissent: member-2 answers 5, turn #2" in moot("show", "ask")[1]


def test_a_run_says_which_arms_its_models_have_no_part_in(moot, tmp_path):
    text = STUDY.replace(f'model = "{SIMULATED}"', "temperature = 0.7")
    text = text.replace('protocol = "single"', 'protocol = "single"\nmodel = "simulated/own"')
    (tmp_path / "one.toml").write_text(text)
    two = "simulated/a,simulated/b"
    code, _, err = moot("run", "one.toml", "--models", two, "--dry-run")
    assert code == 0
    assert "seats: simulated/a, simulated/b, simulated/a (again)" in err
    assert "--models has no part in: single\n" in err


def test_the_hint_at_the_end_can_be_pasted(moot):
    code, out, said = moot(*ASKED, "--store", "a [b] & c")
    assert code == 0, said
    hint = out.splitlines()[-1].removeprefix("transcript: moot ")
    code, out, said = moot(*shlex.split(hint))
    assert code == 0, said
    assert "2 + 2?" in out


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_a_terminal_shows_calls_before_the_first_turn_and_as_they_come(tmp_path, forks):
    words = ["ask", "2 + 2?", "--kind", "number", "--model", f"{FOUR}&latency=0.3", "--agents", "2"]
    text, code = Terminal(forks, tmp_path, *words, env=environment()).end()
    assert code == 0
    assert text.index("society-of-minds: 4 calls") < text.index("round 1")
    assert "society-of-minds: 2 of 4 calls" in text
    assert "4\x1b[0m  (by majority)" in text
