"""Whatever a reply is, long or absurd: an answer in canonical form, or none, and soon."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.questions import KINDS, Question
from moot.parsing.extract import extract
from support.questions import (
    ANIMALS,
    CHOICE,
    CLAIM,
    NUMBER,
    SQUARE,
    TEXT,
    ask,
)

CANONICAL = st.one_of(
    st.tuples(st.just(CHOICE), st.sampled_from("ABCD")),
    st.tuples(st.just(CLAIM), st.sampled_from(["true", "false"])),
    st.tuples(st.just(SQUARE), st.from_regex(r"[a-h][1-8]", fullmatch=True)),
    st.tuples(st.just(NUMBER), st.integers(-(10**30), 10**30).map(str)),
    st.tuples(
        st.just(NUMBER), st.from_regex(r"-?(0|[1-9][0-9]{0,9})\.[0-9]{0,8}[1-9]", fullmatch=True)
    ),
    st.tuples(st.just(NUMBER), st.from_regex(r"-?[1-9][0-9]{0,6}/[1-9][0-9]{0,6}", fullmatch=True)),
    st.tuples(st.just(TEXT), st.from_regex(r"[A-Za-z][A-Za-z0-9 ]{3,30}[a-z]", fullmatch=True)),
)


@settings(deadline=None)
@given(CANONICAL)
def test_an_answer_stated_in_canonical_form_is_read_as_it_stands(
    stated: tuple[Question, str],
) -> None:
    question, answer = stated
    if "text" in question.kind and answer.lower() in ("answer", "the answer", "your answer"):
        return
    assert extract(f"Final answer: {answer}", question) == answer
    assert extract(f"I have thought about it.\n\n**Final answer: {answer}**", question) == answer


MEGABYTE = [
    "a", " ", "\n", "answer ", "the answer is ", "Final answer: 5\n", "1", "1+", "1 ", "1,", "e4 ",
    "(", "{", "\\boxed{", "\\frac{", "\\text{", "*", "_a", "i am sure that it is ", " is right",
    "agent 2 is right ", "A) x\n", "Agent 1: the answer is 5\n", "no, ", "3 + 4 = ", "true ", "｛",
    "\u202e answer \x00", "{{ answer }} {% if %}", "#### 1\n", "answer to ", ". ", '"', "- ",
    '{"answer": "', "\\(", "\\[", "$", "$$", "$x$ ", "\\boxed{}", "**Answer:** ", "the result is ",
]  # fmt: skip


NAMES = [piece.strip()[:12] or "blank" for piece in MEGABYTE]


@pytest.mark.soak  # of the worst, see test_parsers
@pytest.mark.parametrize("piece", MEGABYTE, ids=NAMES)
def test_a_megabyte_is_read_quickly(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    for kind in KINDS:
        extract(text, ask(kind, choices=ANIMALS if kind == "choice" else ()))
    assert time.process_time() - start < len(KINDS) * 0.5


def test_the_end_of_a_megabyte_is_read() -> None:
    assert extract("word " * 200_000 + "\nFinal answer: 7", NUMBER) == "7"
    assert extract("Final answer: 7\n" + "word " * 200_000, NUMBER) == "7"
