import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.named import read_name

CHOICE = Question(id="q", kind="choice", text="?", choices=("shark", "dolphin", "eagle"))
NUMBER = Question(id="q", kind="number", text="?")
TEXT = Question(id="q", kind="text", text="?")


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


@settings(max_examples=25)  # the forms of so many labels are compiled
@given(st.dictionaries(st.text(min_size=1, max_size=12), st.just("A"), max_size=4), st.text())
def test_any_printable_label_may_be_heard(heard: dict[str, str | None], text: str) -> None:
    for label in heard:
        assert extract(f"{label} is right. {text}", CHOICE, heard=heard) in {"A", "B", "C", None}
        extract(f"I agree with {label}.", TEXT, heard=heard)
        extract(f"I agree with {label}. {text}", NUMBER, heard=heard)
