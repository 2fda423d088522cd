"""The short way for replies as they are asked for gives what the longer way gives."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.parsing import extract as module

REPLIES = [
    json.loads(line)["reply"]
    for line in (Path(__file__).parent / "replies.jsonl").read_text().splitlines()
]
QUESTIONS = {
    "number": Question(id="n", kind="number", text="What is 3 + 4?"),
    "boolean": Question(id="b", kind="boolean", text="Is 7 prime?"),
    "square": Question(id="s", kind="square", text="Where may the knight go?"),
    "choice": Question(id="c", kind="choice", text="Which?", choices=("cat", "dog", "cow")),
}
VALUES = st.one_of(
    st.tuples(st.just("number"), st.integers(-(10**14), 10**14).map(str)),
    st.tuples(st.just("boolean"), st.sampled_from(["true", "false"])),
    st.tuples(st.just("square"), st.from_regex(r"[a-h][1-8]", fullmatch=True)),
    st.tuples(st.just("choice"), st.sampled_from("ABC")),
)


def the_longer_way(text, question):
    """The same reply with a blank before its last line's end, which the short way does not take."""
    closing = module._CLOSING
    reasons, _, value = text.rpartition(closing)
    return module.extract(f"{reasons}{closing.rstrip()}  {value}", question)


SURE = ["", *(f"\nConfidence: {sure}%" for sure in (0, 34, 100))]


@settings(max_examples=100)
@given(
    reasons=st.sampled_from(["", "I hold this to be right.", *REPLIES]),
    joint=st.sampled_from([*(f"{sure}\n" for sure in SURE), ". ", "! ", "? "]),
    value=VALUES,
)
def test_both_ways_agree(reasons, joint, value):
    kind, written = value
    text = f"{reasons}{joint}Final answer: {written}".removeprefix("\n")
    short = module._read_outright(f"\n{text}", QUESTIONS[kind])
    if short is not None:
        assert short == module.extract(text, QUESTIONS[kind]) == written
        assert the_longer_way(text, QUESTIONS[kind]) == written


@pytest.mark.parametrize("joint", ["\n", ". ", "\nConfidence: 34%\n"])
def test_many_real_replies_go_the_short_way(joint):
    taken = [
        module._read_outright(f"{text}{joint}Final answer: 7", QUESTIONS["number"])
        for text in REPLIES
    ]
    assert sum(value is not None for value in taken) > 100


def test_any_other_marker_takes_the_longer_way():
    for text in (
        "The final answer is 3.\nFinal answer: 7",
        "Result: 3\nFinal answer: 7",
        '{"debate_answer" 3}\nFinal answer: 7',
        "\\boxed{3}\nFinal answer: 7",
        "### 3\nFinal answer: 7",
        "Seven.\nFinal answer: 7 or 8",
        "Seven.\nFinal answer: 007",
        "Final answer: 7",
        "Seven is the Final answer: 7",
        "They said: seven. Final answer: 7",
        "Seven.\nConfidence: 3\nFinal answer: 7",
        "It is 8.\nQuestion 2 What is 3 + 4?\nFinal answer: 7",
    ):
        assert module._read_outright(text, QUESTIONS["number"]) is None
    assert module._read_outright("So.\nFinal answer: D", QUESTIONS["choice"]) is None
