import pytest

from moot.core.questions import Question
from moot.parsing.agent_names import find_agent_names, hide_names

CHOICE = Question(id="q", kind="choice", text="?", choices=("shark", "dolphin", "eagle"))
NUMBER = Question(id="q", kind="number", text="?")


@pytest.mark.parametrize(
    ("who", "answer"),
    [
        ("agent 2", "B"), ("mind-2", "B"), ("agent 12", "C"), ("agent 3", None),
        ("the negative side", "A"), ("the critic", "C"), ("agent critic", "C"),
        ("affirmative", None),
    ],
)  # fmt: skip
def test_an_agent_goes_by_its_label_its_number_or_its_side(who, answer):
    heard = {"Agent 2": "B", "Agent 12": "C", "Negative": "A", "Critic": "C", "C3": "A"}
    assert find_agent_names(CHOICE, heard).answer(who) == answer


def test_the_longest_label_is_meant():
    forms = find_agent_names(CHOICE, {"Ben": "A", "Ben Two": "B"}).forms
    assert [who[0] for who in forms.who.finditer("ben two and ben")] == ["ben two", "ben"]


def test_digits_in_labels_are_hidden_and_nothing_else_is():
    heard = {"Team 3": "5", "7": "8", "Agent 2": "9"}
    said = "Team 3 and team 34 say 3, agent 2 and 7."
    assert hide_names(said, NUMBER, heard) == "Team x and team 34 say 3, agent 2 and 7."
    assert hide_names(said, CHOICE, heard) == said
    assert hide_names(said, NUMBER, None) == said
