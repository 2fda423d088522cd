"""Which expression a reply commits to: the last box or final answer, else its closing sentence."""

import time

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract, states_answer

QUESTION = Question(id="q", kind="math", text=r"What is $\frac{2}{\sqrt{2}}$?")


def test_a_line_with_an_answer_is_found_without_working_it_out():
    assert states_answer("Final answer: 10^{10^{10}}", QUESTION)
    assert states_answer(r"so \boxed{5}", QUESTION)
    assert not states_answer("We add $3$ and $4$.", QUESTION)


@pytest.mark.parametrize(
    "piece",
    [
        *["\\(", "\\[", "$", "$$", "$x$ ", "\\boxed{}", "Final answer: ", "**Answer:** "],
        "the result is ",
    ],
)
def test_a_long_reply_is_read_quickly(piece):
    began = time.process_time()
    extract(piece * (200_000 // len(piece)), QUESTION)
    assert time.process_time() - began < 0.5
