import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.parsing.adoption import read_name
from moot.parsing.extract import extract

CHOICE = Question(id="q", kind="choice", text="?", choices=("shark", "dolphin", "eagle"))
NUMBER = Question(id="q", kind="number", text="?")
TEXT = Question(id="q", kind="text", text="?")
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


LABELS = {
    "Kitty": "A", "Peter": "B", "Ben": "C", "General Public": "B", "Critic": "A", "Solver": None,
    "C1": "B", "C4": "A", "Agent 2": "B", "Agent 3": "C", "A": "B", "I": "C", "it": "A", "K": "C",
    "a.b (x": "B", "node [2": "C", "Community 2": "C", "Affirmative": "A",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Peter is right.", "B"),
        ("peter is right.", "B"),
        ("**Peter** is correct.", "B"),
        ("C4 is right.", "A"),
        ("I agree with General Public.", "B"),
        ("I agree with the critic.", "A"),
        ("I choose Agent 2's response", "B"),
        ("I’ll go with Kitty’s answer because it is sound.", "A"),
        ("I agree with Peter—his logic is sound.", "B"),
        ("The best response is that of C1", "B"),
        ("The most convincing answer comes from Ben.", "C"),
        ("The best answer is Agent 3's.", "C"),
        ("Kitty's answer is the best", "A"),
        ("Ben has the right answer.", "C"),
        ("I agree with Peter's reasoning.", "B"),
        ("I think Ben is right.", "C"),
        ("No, Peter is right.", "B"),
        ("Ben is wrong, Peter is right.", "B"),
        ("Community 2 is right.", "C"),
        ("K is right.", "C"),
        ("a.b (x is right.", "B"),
        ("I agree with node [2.", "C"),
        ("The Affirmative side is right.", "A"),
        ("Peter and General Public are right.", "B"),
        ("Ben: I agree with Peter.", "B"),
    ],
)
def test_whoever_is_named_by_its_label_is_adopted(text: str, answer: str) -> None:
    assert extract(text, CHOICE, heard=LABELS) == answer


@pytest.mark.parametrize(
    "text",
    [
        "C4 is wrong.",
        "C4 is not right.",
        "Peter is not right.",
        "I do not agree with Peter.",
        "I disagree with Peter.",
        "If Peter is right, we are lost.",
        "Perhaps Peter is right.",
        "Neither Peter nor General Public is right.",
        "Peter and Ben are right.",
        "Peter is right. Ben is right.",
        "Peter is right about the fish.",
        "Is Peter right? Peter is right?",
        "Peter thinks Ben is right.",
        "Peterson is right.",
        "C42 is right.",
        "Peter is right-handed.",
        "I agree with the Critic's concerns.",
        "Solver is right.",
        "My view comes last.\nBen: I agree with Peter.\nHm.",
        "Peter has spoken well.",
    ],
)
def test_who_is_only_spoken_of_is_not_adopted(text: str) -> None:
    assert extract(text, CHOICE, heard=LABELS) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("A is right.", "A"),
        ("Agent A is right.", "B"),
        ("A fish is right.", None),
        ("It is right.", None),
        ("I agree with it.", None),
        ("I was right.", None),
        ("I agree with A.", None),
    ],
)
def test_a_label_that_is_a_word_or_a_letter_is_not_adopted_by_accident(
    text: str, answer: str | None
) -> None:
    assert extract(text, CHOICE, heard=LABELS) == answer


def test_a_label_that_may_be_an_answer_is_one() -> None:
    square = Question(id="q", kind="square", text="?")
    heard = {"C4": "d4", "Peter": "e5"}
    assert extract("C4 is right.", square, heard=heard) == "c4"
    assert extract("Agent C4 is right.", square, heard=heard) == "d4"
    assert extract("Peter is right.", square, heard=heard) == "e5"
    assert extract("7 is right.", NUMBER, heard={"7": "8"}) == "7"
    assert extract("The shark is right.", CHOICE, heard={"shark": "B"}) == "A"


def test_an_own_answer_wins_over_an_adopted_one() -> None:
    assert extract("Peter is right.\nFinal answer: C", CHOICE, heard=LABELS) == "C"
    assert extract("Peter is right. The answer is C.", CHOICE, heard=LABELS) == "C"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Community 2 is right.", "15"),
        ("The best answer is Community 2's.", "15"),
        ("The best answer is Agent 2's.", "7"),
        ("Final answer: Agent 2's", "7"),
        ("Node 3 is right.", None),
        ("The answer is Node 3's.", None),
        ("The answer is Agent 2's: 12", "12"),
    ],
)
def test_a_number_in_a_label_is_no_answer(text: str, answer: str | None) -> None:
    heard = {"Community 2": "15", "Agent 2": "7", "Node 3": None}
    assert extract(text, NUMBER, heard=heard) == answer


def test_in_an_open_question_nothing_but_an_adoption_adopts() -> None:
    heard = {"Peter": "Oslo", "Negative": "Rome"}
    for text, answer in (
        ("Peter is right.", "Oslo"),
        ("I agree with the negative side.", "Rome"),
        ("Answer: Peter's answer", "Oslo"),
        ("Answer: Peter", "Peter"),
        ("Answer: negative", "negative"),
        ("Peter is right, but see Rome.", "Peter is right, but see Rome."),
    ):
        assert extract(text, TEXT, heard=heard) == answer


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("Negative", "7"), ("the negative side's", "7"), ("The negative side's answer.", "7"),
        ("the answer of Peter", "5"), ("Peter's", "5"), ("C1 is right", None),
        ("Peter and 5", None), ("neither", None), ("5", None), ("", None),
    ],
)  # fmt: skip
def test_words_that_name_an_agent_and_nothing_else_have_its_answer(
    words: str, answer: str | None
) -> None:
    heard = {"Negative": "7", "Peter": "5", "C1": None}
    assert read_name(words, NUMBER, heard) == answer
    assert read_name(words, NUMBER, None) is None


@pytest.mark.parametrize(
    "piece",
    [
        "kitty is ", "kitty is right ", "the kitty's answer ", "i agree with kitty and ",
        "kitty, and kitty or ", "i agree with ", "kitty: \n", "the best answer is that of ",
        "the agent ", "((((", "i do now still would ", "Kitty is right.\n", "community 1",
    ],
)  # fmt: skip
def test_a_megabyte_with_many_labels_is_read_quickly(piece: str) -> None:
    heard = {f"Community {n}": "A" for n in range(50)} | {"Kitty": "B", "((((": "A", "k" * 200: "A"}
    text = piece * (1_000_000 // len(piece))
    for question in (CHOICE, NUMBER, TEXT):
        start = time.process_time()
        extract(text, question, heard=heard)
        assert time.process_time() - start < 0.5


@given(st.dictionaries(st.text(min_size=1, max_size=12), st.just("A"), max_size=4), st.text())
def test_any_printable_label_may_be_heard(heard: dict[str, str | None], text: str) -> None:
    for label in heard:
        assert extract(f"{label} is right. {text}", CHOICE, heard=heard) in {"A", "B", "C", None}
        extract(f"I agree with {label}.", TEXT, heard=heard)
        extract(f"I agree with {label}. {text}", NUMBER, heard=heard)
