"""Which expression a reply commits to: the last box or final answer, else its closing sentence."""

from moot.core.questions import Question
from moot.parsing.extract import states_answer

QUESTION = Question(id="q", kind="math", text=r"What is $\frac{2}{\sqrt{2}}$?")


def test_a_line_with_an_answer_is_found_without_working_it_out():
    assert states_answer("Final answer: 10^{10^{10}}", QUESTION)
    assert states_answer(r"so \boxed{5}", QUESTION)
    assert not states_answer("We add $3$ and $4$.", QUESTION)
