"""Which expression a reply commits to: the last box or final answer, else its closing sentence."""

import json
import time

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract, states_answer
from moot.parsing.parsers import registry

QUESTION = Question(id="q", kind="math", text=r"What is $\frac{2}{\sqrt{2}}$?")
ROOT = r"\sqrt{2}"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"So the result is $\boxed{\frac{2}{\sqrt2}}$.", ROOT),
        (r"First \boxed{1}. No, wait: \boxed{\sqrt{2}}", ROOT),
        ("It is a root.\nFinal answer: \\sqrt{2}", ROOT),
        ("Final answer: $\\sqrt{2}$.", ROOT),
        ("**Final answer:** \\(\\sqrt{2}\\)", ROOT),
        ("## Final answer\n\n$$\\sqrt{2}$$\n", ROOT),
        ("Final answer:\n\\[\n\\sqrt{2}\n\\]", ROOT),
        ("Final answer: the answer is $\\sqrt{2}$", ROOT),
        ("Final answer: $\\sqrt{2}$, since the fraction cancels out as shown.", ROOT),
        ("\\boxed{3}\nFinal answer: \\sqrt{2}", ROOT),
        ("Final answer: 3\nOn reflection, \\boxed{\\sqrt2}.", ROOT),
        ("Final answer: 3\nFinal answer: $\\sqrt2$", ROOT),
        (r"The answer is $\sqrt{2}$.", ROOT),
        (r"Dividing, we see that the value is $\sqrt{2}$ exactly.", ROOT),
        (r"We have $2/\sqrt2$. Hence it equals $\sqrt{2}$.", ROOT),
        (r"Hence $x = \frac{2}{\sqrt2} = \sqrt{2}$.", ROOT),
        (r"$\sqrt{2}$", ROOT),
        (r"\sqrt{2}", ROOT),
        ("42", "42"),
        ("Answer: 42", "42"),
        ("Final answer: 12 apples", "12"),
        ("Final answer: **7**", "7"),
        ("Final answer: x = 5 or x = 7", r"\{5, 7\}"),
        ("Final answer: (3, 4]", "(3, 4]"),
        ("Final answer: even", r"\text{even}"),
        (r"So \boxed{9} is the final answer.", "9"),
        (r"It cannot be found, so my answer is $\boxed{\text{uncertain}}$.", None),
        (r"The answer is \boxed{160 \leq distance \leq 230}.", None),
        # Damaged LaTeX is no answer, and nothing weaker takes its place.
        (r"The answer is 5. So \boxed{\frac{1", None),
        ("Final answer: \\frac{1", None),
        ("The answer is 5.\nFinal answer: \\sqrt{", None),
        ("I cannot tell.", None),
        ("", None),
        ("I think that this is hard, and many would say 5 here.", None),
        ("Final answer: I do not know what it is", None),
    ],
)
def test_the_answer_of_a_reply(reply, answer):
    assert extract(reply, QUESTION) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("So \\boxed{\\sqrt{2}} and", ROOT),
        ("Final answer: \\sqrt{2}\nI add that", ROOT),
        ("Final answer: \\sqrt{2", None),
        ("Final answer: \\sqrt{2}", None),  # it may go on
        ("So \\boxed{\\sqrt{2", None),
        ("Hence $x = 2$.", None),
    ],
)
def test_of_a_reply_that_was_cut_off_only_what_is_complete_counts(reply, answer):
    assert extract(reply, QUESTION, finished=False) == answer


def test_another_agent_is_adopted():
    heard = {"Agent 2": ROOT, "Agent 3": "5"}
    assert extract("Agent 2 is right.", QUESTION, heard=heard) == ROOT
    assert extract("Final answer: Agent 3's", QUESTION, heard=heard) == "5"


@pytest.mark.parametrize("name", ["proposal", "improvement", "solution", "closing"])
def test_marked_replies_keep_their_latex(name):
    mark = {"closing": "Decision", "solution": "Final answer"}.get(name, f"{name}d answer")
    mark = {"proposal": "Proposed answer", "improvement": "Improved answer"}.get(name, mark)
    said = f"I think so.\n{mark}: a_{{1}} + \\frac{{1}}{{b}}"
    assert registry.get(name)(said, QUESTION).answer == extract(
        "Final answer: a_{1} + \\frac{1}{b}", QUESTION
    )


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"answer": "\\frac{2}{\\sqrt{2}}", "reason": "so"}),
        '{"answer": "\\sqrt{2}", "reason": "so"}',  # one backslash, as models write it
        '{"answer": "\\frac{2}{\\sqrt2}", "reason": "so"}',
        '{"answer": "$\\frac{2}{\\sqrt2}$", "reason": "so"}',
        '```json\n{"answer": "\\\\boxed{\\\\sqrt{2}}", "reason": "so"}\n```',
        '{"answer": "\\frac{2\\u005csqrt{2}}{2}", "reason": "so"}',
        '{"answer": "\\text{no}"',
    ],
)
def test_an_answer_in_json_is_read_with_its_backslashes(said):
    found = registry.get("reasoned")(said, QUESTION).answer
    assert found == (r"\text{no}" if "text" in said else ROOT)


def test_a_line_with_an_answer_is_found_without_working_it_out():
    assert states_answer("Final answer: 10^{10^{10}}", QUESTION)
    assert states_answer(r"so \boxed{5}", QUESTION)
    assert not states_answer("We add $3$ and $4$.", QUESTION)


@pytest.mark.parametrize(
    "piece",
    [
        "\\(",
        "\\[",
        "$",
        "$$",
        "$x$ ",
        "\\boxed{}",
        "Final answer: ",
        "**Answer:** ",
        "the result is ",
    ],
)
def test_a_long_reply_is_read_quickly(piece):
    began = time.process_time()
    extract(piece * (200_000 // len(piece)), QUESTION)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        (r"Final answer: \$5 \text{ million}", "5000000"),
        ("Final answer: 5 million", "5000000"),
        (r"\boxed{20\text{ thousand}}", "20000"),
        ("Final answer: 4 factorial", None),
        ("Final answer: 12 squared", None),
        ("Final answer: 3 halves", None),
        (r"\boxed{3 \text{ or more}}", None),
        ("12 mod 13", None),
        (r"\boxed{x=2, y=3}", r"\{x = 2, y = 3\}"),
        (r"\boxed{x=3, y=2}", r"\{x = 3, y = 2\}"),
        (r"\boxed{x>3 \text{ and } x<5}", "(3, 5)"),
        (r"\boxed{x<3 \text{ or } x>5}", r"(-\infty, 3) \cup (5, \infty)"),
        (r"\boxed{x>3, x<5}", None),
        (r"\boxed{\varnothing}", r"\emptyset"),
    ],
)
def test_words_and_names_are_a_part_of_the_value(reply, form):
    question = Question(id="q", kind="math", text="Compute it.")
    assert extract(reply, question) == form


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        ("The solutions are $x=2$ and $x=3$.", None),
        (r"$\boxed{3}$ or $\boxed{4}$", None),
        (r"The answer is $\frac12$, not $\frac13$.", "0.5"),
        ("#### 12", "12"),
        ("So it is.\n#### 12", "12"),
    ],
)
def test_one_of_several_answers_is_none(reply, form):
    question = Question(id="q", kind="math", text="Compute it.")
    assert extract(reply, question) == form


@pytest.mark.parametrize("sign", ["\\", "\\\\"])
@pytest.mark.parametrize("around", ["%s", "```json\n%s\n```"])
def test_an_answer_in_json_is_read(sign, around):
    question = Question(id="q", kind="math", text="Compute it.")
    reply = around % f'{{"answer": "9{sign}pi"}}'
    assert extract(reply, question) == r"9 \pi"
