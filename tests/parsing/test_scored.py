from moot.core.questions import Question
from moot.parsing.scored import parse_scored

CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
NUMBER = Question(id="q", kind="number", text="How many?")


def test_only_whole_scores_from_one_to_ten_count():
    text = (
        "Scores: Round 1 - A1: 0, Round 1 - A2: 11, Round 1 - A3: 8.5, Round 1 - A4: -3, "
        "Round 1 - A5: 8/100, Round 1 - A6: eight, Round 1 - A7: 10, Round 1 - A8: 1, "
        f"Round 1 - A9: {'9' * 5_000}"
    )
    assert parse_scored(text, CHOICE)[1].given == {1: {"a7": 10, "a8": 1}}


def test_a_score_for_no_stated_round_is_for_any():
    said = parse_scored("Scores: Critic: 8, Agent 2: 5, Round 1 - Agent 2: 6", NUMBER)[1]
    assert said.of("the Critic", 1) == said.of("Critic", 7) == 8
    assert [said.of("Agent 2", number) for number in (1, 2)] == [6, 5]
    assert said.of("General Public", 1) is None
