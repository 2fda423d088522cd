import pytest

from moot.answers.extract import extract
from moot.core.questions import Question

CHOICE = Question(id="q", kind="choice", text="?", choices=("shark", "dolphin", "eagle"))
NUMBER = Question(id="q", kind="number", text="?")
HEARD = {"mind-1": "A", "mind-2": "B", "mind-3": None}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Agent 2 is right.", "B"),
        ("mind-2 is right.", "B"),
        ("I agree with mind 1.", "A"),
        ("I fully agree with Agent 2.", "B"),
        ("Having thought again, I adopt the answer of mind 2.", "B"),
        ("Agent 2's answer is correct.", "B"),
        ("Mind 3 is right.", None),
        ("Agent 7 is right.", None),
        ("I do not think that agent 2 is right.", None),
        ("If agent 2 is right, we are lost.", None),
        ("Agent 2 is right about the fish.", None),
        ("Agent 2 is right that sharks are fish.\nFinal answer: C", "C"),
        ("Agent 1 is right. Agent 2 is right.", None),
    ],
)
def test_a_reply_adopts_what_the_agent_had_heard(text: str, answer: str | None) -> None:
    assert extract(text, CHOICE, heard=HEARD) == answer


def test_sides_are_agents() -> None:
    heard = {"affirmative": "5", "negative": "7"}
    assert extract("The negative side is right.", NUMBER, heard=heard) == "7"
    assert extract("I side with the affirmative.", NUMBER, heard=heard) == "5"


def test_without_being_told_the_reply_itself_may_say_what_was_heard() -> None:
    assert extract("Agent 1 says 5. Agent 2 says 7. Agent 2 is right.", NUMBER) == "7"
    quoted = "Agent 1: The answer is A.\n\nAgent 2: The answer is B.\n\nAgent 1 is right."
    assert extract(quoted, CHOICE) == "A"
    assert extract("Agent 2 is right.", NUMBER) is None
