"""Causes are found where they are planted, with the words that decide, and nowhere else."""

import pytest

from contrib.audits.conftest import box, debate, sound

PROMPT = "Explain your answer, putting it in the form (X) at the end of your response."
OPTIONS = ("Centaurus", "Cygnus", "Cassiopeia", "Cepheus")
ASKED = f"Which is W-shaped? A) Centaurus, B) Cygnus, C) Cassiopeia, D) Cepheus {PROMPT}"


def choose(number, right, *rounds, **more):
    more = {"text": f"Question {number}: {ASKED}", "kind": "choice", "choices": OPTIONS} | more
    return debate(number, right, *rounds, **more)


def letter(*letters):
    return [f"Of these I choose this one. The answer is ({each})" for each in letters]


PLANTED = {
    "any agent": ("any:boxed", debate(0, "5", box(5, 7, 7)), "right", "agent 1", "5"),
    "tie": ("majority-ties-wrong:boxed", debate(0, "5", box(5, 7)), "wrong", "agent 1", "5"),
    "unreadable": (
        "any-but-last-read:boxed",
        debate(0, "5", [*box(5, 5), "I cannot say."]),
        "unread",
        "agent 3",
        None,
    ),
    "prompt repeated": (
        "majority:letter-and-bracket",
        choose(0, "C", [f"The answer is C) Cassiopeia.\n\nUSER: Question 0: {ASKED}"] * 3),
        "wrong",
        "agent 1",
        "X",
    ),
    "cut off": (
        "majority:last-number",
        debate(0, "30", ["To begin, a month may have 30"] * 3, finish="length"),
        "right",
        "agent 1",
        "30",
    ),
    "right answer odd": (
        "society-gsm8k",
        debate(0, "He has so much.\n#### 1,450", box("1450", "1450", "1450")),
        "wrong",
        "",
        None,
    ),
    "sign dropped": (
        "society-gsm8k",
        debate(0, "40", box(-40, -40, -40)),
        "right",
        "agent 1",
        "40",
    ),
    "several answers": (
        "majority:last-number",
        debate(0, "12", [f"{reply} A month has 30 days." for reply in box(12, 12, 12)]),
        "wrong",
        "agent 1",
        "30",
    ),
    "other counting": ("last:boxed", debate(0, "5", box(5, 5, 7)), "wrong", "agent 1", "5"),
}


@pytest.mark.parametrize("cause", PLANTED)
def test_a_planted_cause_is_found_with_the_words_that_decide(cause, audit):
    rule, planted, outcome, agent, read = PLANTED[cause]
    others = [sound(number) for number in range(1, 8)]
    if cause == "prompt repeated":
        others = [choose(n, "C", letter("C", "C", "C"), letter("C", "C", "C")) for n in range(1, 8)]
    found = audit([planted, *others], "--rule", rule)
    [one] = found["differences"]
    assert (one["question"], one["cause"], one["by_their_rule"]) == ("q0", cause, outcome)
    assert one.get("agent", "") == agent
    if read is not None:
        assert one["read_as"] == read
        said = planted.turns[one["turn"] - 1].text
        assert read in said[one["start"] : one["end"]]
        assert said[one["start"] : one["end"]] in one["words"]
    assert found["causes"] == {cause: 1}


def test_the_words_of_a_prompt_are_known_by_other_replies_too(audit):
    """The instruction stands in no question of the log, but in replies to several of them."""
    tail = "\nUSER: Put your answer in the form (X) at the end of your response."
    echoes = [
        choose(n, "C", [f"{reply}{tail}" for reply in letter("C", "C", "C")], text=f"Which {n}?")
        for n in range(4)
    ]
    found = audit(echoes, "--rule", "majority:letter-and-bracket")
    assert found["causes"] == {"prompt repeated": 4}


@pytest.mark.parametrize(
    "rule", ["society-gsm8k", "any:boxed", "majority:last-number", "last:moot"]
)
def test_no_cause_is_found_where_there_is_none(rule, audit):
    found = audit([sound(number) for number in range(12)], "--rule", rule)
    assert found["differences"] == []
    assert found["causes"] == {}
    assert found["by_their_rule"] == found["by_ours"] == [1, 1]
    assert found["warnings"] == [] or {each["name"] for each in found["warnings"]} == {
        "rounds repeat word for word"
    }
