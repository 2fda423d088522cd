import pytest

from moot.answers.scored import read_scored
from moot.core.questions import Question

CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        (
            ("Answer: 42\n\nScores: Round 1 - General Public: 7, Round 1 - Critic: 8, "
            "Round 1 - Scientist: 9"),
            {"general public": 7, "critic": 8, "scientist": 9},
        ),
        (
            ("**Answer:** 42\n\n**Scores:**\n- Round 1 - Agent General Public: 7/10\n"
            "- Round 1 – **Critic**: 8 (well argued)\n- Round 1 - Scientist: 10 out of 10\n"),
            {"general public": 7, "critic": 8, "scientist": 10},
        ),
        (
            ("Scores: Round 1 - Agent 1: 8; Round 1 - Agent-2: 6\nScores: Round 1 - agent 3: 1\n"
            "Answer: 42"),
            {"agent 1": 8, "agent 2": 6, "agent 3": 1},
        ),
        ("Round 1 - Agent 1: 3\nRound 1 - Agent 2: 4\nAnswer: 42", {"agent 1": 3, "agent 2": 4}),
        ("Answer: 42. Scores: Critic: 8 and the Scientist: 9", {"critic": 8, "scientist": 9}),
        ("Scores:\n| Critic | 8 |\n| Agent 2 | 9 |\n\nAnswer: 42", {"critic": 8, "agent 2": 9}),
        ('{"Answer": "42", "Scores": {"Critic": 8, "Agent 2": 9}}', {"critic": 8, "agent 2": 9}),
        ("Scores (1-10):\n\n1. Critic: 7\n2. Agent 1's answer: 2\n\nAnswer: 42",
         {"critic": 7, "agent 1": 2}),
        ("Scores: Round 1 - Critic - 8, Scientist = 9, Agent 3 (7/10)\nAnswer: 42",
         {"critic": 8, "scientist": 9, "agent 3": 7}),
        ("Answer: 42", {}),
    ],
)  # fmt: skip
def test_an_answer_and_scores(text, scores):
    answer, said = read_scored(text, NUMBER)
    assert answer == "42"
    assert said.scores == scores


def test_only_whole_scores_from_one_to_ten_count():
    text = (
        "Scores: Round 1 - A1: 0, Round 1 - A2: 11, Round 1 - A3: 8.5, Round 1 - A4: -3, "
        "Round 1 - A5: 8/100, Round 1 - A6: eight, Round 1 - A7: 10, Round 1 - A8: 1, "
        f"Round 1 - A9: {'9' * 5_000}"
    )
    assert read_scored(text, CHOICE)[1].scores == {"a7": 10, "a8": 1}


def test_the_latest_round_counts_then_the_last_said():
    text = "Scores: Round 2 - Critic: 8, Round 1 - Critic: 3\nScores: Round 1 - Scientist: 4"
    assert read_scored(text, CHOICE)[1].scores == {"critic": 8, "scientist": 4}
    assert read_scored("Scores: Critic: 3\nScores: Critic: 5", CHOICE)[1].scores == {"critic": 5}


def test_scores_are_no_answers():
    assert read_scored("Scores: Round 1 - Critic's answer: 8", NUMBER)[0] is None
    assert read_scored("Scores:\nRound 1 - Critic: 8\nRound 1 - Scientist: 9", NUMBER)[0] is None
    assert read_scored("Answer: Paris\nScores: Critic: 8", TEXT)[0] == "Paris"


def test_what_counts_other_things_is_no_score():
    answer, said = read_scored("The game ended.\nScore: 21\nApples: 8\nAnswer: 21", NUMBER)
    assert (answer, said.scores) == ("21", {})
    answer, said = read_scored("Scores:\n- Critic: 8\n\nAnswer: 5\nTotal: 5", NUMBER)
    assert (answer, said.scores) == ("5", {"critic": 8})


def test_the_answer_is_that_of_any_reply():
    heard = {"Agent 2": "A"}
    assert read_scored("Agent 2 is right.\nScores: Agent 2: 9", CHOICE, heard=heard)[0] == "A"
    assert read_scored("Scores: Agent 2: 9\nAnswer: 4", NUMBER, finished=False)[0] is None
