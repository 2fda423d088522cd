import pytest

from moot.core.questions import Question
from moot.parsing.scored import parse_scored

CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")


@pytest.mark.parametrize(
    ("text", "of_round", "scores"),
    [
        (
            ("Answer: 42\n\nScores: Round 1 - General Public: 7, Round 1 - Critic: 8, "
            "Round 1 - Scientist: 9"),
            1, {"general public": 7, "critic": 8, "scientist": 9},
        ),
        (
            ("**Answer:** 42\n\n**Scores:**\n- Round 1 - Agent General Public: 7/10\n"
            "- Round 1 – **Critic**: 8 (well argued)\n- Round 1 - Scientist: 10 out of 10\n"),
            1, {"general public": 7, "critic": 8, "scientist": 10},
        ),
        (
            ("Scores: Round 1 - Agent 1: 8; Round 1 - Agent-2: 6\nScores: Round 1 - agent 3: 1\n"
            "Answer: 42"),
            1, {"agent 1": 8, "agent 2": 6, "agent 3": 1},
        ),
        ("Round 1 - Agent 1: 3\nRound 1 - Agent 2: 4\nAnswer: 42", 1, {"agent 1": 3, "agent 2": 4}),
        ("Answer: 42. Scores: Critic: 8 and the Scientist: 9", 0, {"critic": 8, "scientist": 9}),
        ("Scores:\n| Critic | 8 |\n| Agent 2 | 9 |\n\nAnswer: 42", 0, {"critic": 8, "agent 2": 9}),
        ('{"Answer": "42", "Scores": {"Critic": 8, "Agent 2": 9}}', 0, {"critic": 8, "agent 2": 9}),
        ("Scores (1-10):\n\n1. Critic: 7\n2. Agent 1's answer: 2\n\nAnswer: 42",
         0, {"critic": 7, "agent 1": 2}),
        ("Scores: Round 1 - Critic - 8, Scientist = 9, Agent 3 (7/10)\nAnswer: 42",
         1, {"critic": 8, "scientist": 9, "agent 3": 7}),
        ("Answer: 42", 0, {}),
    ],
)  # fmt: skip
def test_an_answer_and_scores(text, of_round, scores):
    answer, said = parse_scored(text, NUMBER)
    assert answer == "42"
    assert said.given == ({of_round: scores} if scores else {})


def test_only_whole_scores_from_one_to_ten_count():
    text = (
        "Scores: Round 1 - A1: 0, Round 1 - A2: 11, Round 1 - A3: 8.5, Round 1 - A4: -3, "
        "Round 1 - A5: 8/100, Round 1 - A6: eight, Round 1 - A7: 10, Round 1 - A8: 1, "
        f"Round 1 - A9: {'9' * 5_000}"
    )
    assert parse_scored(text, CHOICE)[1].given == {1: {"a7": 10, "a8": 1}}


def test_the_last_said_of_a_round_counts():
    said = parse_scored("Scores: Critic: 3\nScores: Critic: 5", CHOICE)[1]
    assert said.given == {0: {"critic": 5}}


@pytest.mark.parametrize(
    "text",
    [
        "Scores: Round 2 - Critic: 8, Round 1 - Critic: 3, Round 1 - Agent Scientist: 4",
        "Scores: Round 1 - Critic: 3, Scientist: 4, Round 2 - Critic: 8",
        "Scores for Round 1:\n- Critic: 3\n- The Scientist: 4\nRound 2 - Critic: 8",
        "Scores:\nRound 1:\n- Critic: 3\n- Scientist: 4\n**Round 2:**\n- Critic: 8",
        "Scores (Round 1): Critic: 3, Scientist: 4\nScores (Round 2): Critic: 8",
        "Scores: Critic (Round 1): 3, Scientist in Round 1: 4, Critic (Round 2): 8",
        '{"Scores": {"Round 1": {"Critic": 3, "Scientist": 4}, "Round 2": {"Critic": 8}}}',
    ],
)
def test_a_score_is_for_the_answer_of_its_round(text):
    said = parse_scored(text, NUMBER)[1]
    assert said.given == {1: {"critic": 3, "scientist": 4}, 2: {"critic": 8}}
    assert [said.of("Critic", number) for number in (1, 2, 3)] == [3, 8, None]
    assert said.of("Scientist", 2) is None
    assert said.of("General Public", 1) is None


def test_a_score_for_no_stated_round_is_for_any():
    said = parse_scored("Scores: Critic: 8, Agent 2: 5, Round 1 - Agent 2: 6", NUMBER)[1]
    assert said.of("the Critic", 1) == said.of("Critic", 7) == 8
    assert [said.of("Agent 2", number) for number in (1, 2)] == [6, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Answer: 42\n\nScores: Round 1 - Critic: 8", "42"),
        (("I have seen both.\n\n**Answer:** It is $\\frac{84}{2}$.\nThat is all.\n\n"
          "**Scores:**\n- Critic: 8\n- Scientist: 9\n"), "It is $\\frac{84}{2}$.\nThat is all."),
        ("Scores:\nRound 1 - Critic: 8\n\n## Short and final answer:\n**42**", "**42**"),
        ("That settles it. Answer: 42. Scores: Critic: 8", "42."),
        ("**Answer: 42**\nScores: Critic: 8", "42"),
        ("Answer: 41\nNo, I was wrong.\nAnswer: 42", "42"),
        ("Answer: 42\nAnswer:\nScores: Critic: 8", "42"),
        ("It comes to 42.\nScores: Critic: 8\nThank you.", "It comes to 42.\n\nThank you."),
        ('{"Answer": "Say \'42\', then", "Scores": {"Critic": 8}}', "Say '42', then"),
        ("Scores: Critic: 8", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_words_are_those_of_the_answer_without_the_scores(text, words):
    assert parse_scored(text, NUMBER)[1].words == words


def test_scores_are_no_answers():
    assert parse_scored("Scores: Round 1 - Critic's answer: 8", NUMBER)[0] is None
    assert parse_scored("Scores:\nRound 1 - Critic: 8\nRound 1 - Scientist: 9", NUMBER)[0] is None
    assert parse_scored("Answer: Paris\nScores: Critic: 8", TEXT)[0] == "Paris"


def test_what_counts_other_things_is_no_score():
    answer, said = parse_scored("The game ended.\nScore: 21\nApples: 8\nAnswer: 21", NUMBER)
    assert (answer, said.given) == ("21", {})
    answer, said = parse_scored("Scores:\n- Critic: 8\n\nAnswer: 5\nTotal: 5", NUMBER)
    assert (answer, said.given) == ("5", {0: {"critic": 8}})


def test_the_answer_is_that_of_any_reply():
    heard = {"Agent 2": "A"}
    assert parse_scored("Agent 2 is right.\nScores: Agent 2: 9", CHOICE, heard=heard)[0] == "A"
    assert parse_scored("Scores: Agent 2: 9\nAnswer: 4", NUMBER, finished=False)[0] is None
