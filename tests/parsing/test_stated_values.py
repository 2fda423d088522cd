"""What a reply states: a value that goes on is no shorter one, and what others say is not its own.

The replies are invented, in the kinds of which real ones were misread (see docs/answers.md).
"""

from fractions import Fraction

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.same import is_correct, majority

VALUE = Question(id="v", kind="number", text="Compute the value.")
WAYS = Question(
    id="w", kind="choice", text="Which way?", choices=("Up", "Same", "Down", "Up"), answer="D"
)

WRITTEN = [
    (r"1\frac{12}{13}", "25/13"), (r"\frac1{10}", "1/10"), (r"\frac 9{20}", "9/20"),
    (r"\cfrac{1}{2}", "1/2"), (r"{1\over 2}", "1/2"), (r"\frac{1}2", "1/2"),
    (r"\frac{-1}{-2}", "1/2"), ("-(3/4)", "-3/4"), ("12k", "12000"), ("3 lakh", "300000"),
    ("one hundred and five", "105"), ("three quarters", "3/4"), ("8 400", "8400"),
    ("8_400", "8400"), (r"1\;234", "1234"), ("2 trillion", "2000000000000"), ("−5", "-5"),
    ("2⅓", "7/3"), ("1,00,000", "100000"), ("1.234.567", "1234567"), ("5 cm²", "5"),
    (r"2\sqrt{2}", None), (r"\sqrt{2}", None), (r"9\pi", None), ("3,4", None), (r"\pm 3", None),
    ("e^2", None), (r"\binom52", None), (r"0.\overline{3}", None), (r"[3,\infty)", None),
    ("5 to 7", None), ("5-7", None), ("between 5 and 7", None), ("292i", None), ("2x+3", None),
    ("x > 5", None), ("x = 12, y = 3", None), ("x = 12", "12"),
    ("5 feet 3 inches", None), ("0.333...", None), ("±3", None), ("2√2", None),
    ("(2, 3)", None), ("3:30", None), ("2 or 3", None), (r"\frac{5w}{2}+2", None),
    (r"160 \leq distance \leq 230", None),
]  # fmt: skip
FORMS = (
    "The answer is {}.", "Final answer: {}", r"So \boxed{{{}}}", "We compute.\n#### {}", "{}",
    "So the total number of them is {}.", "<reasoning>\nWe add.\n</reasoning>\n<answer>{}</answer>",
)  # fmt: skip


@pytest.mark.parametrize(("written", "value"), WRITTEN)
@pytest.mark.parametrize("form", FORMS)
def test_a_value_that_goes_on_is_no_shorter_value(form, written, value):
    found = extract(form.format(written), VALUE)
    assert (found is None) == (value is None)
    assert found is None or Fraction(found) == Fraction(value)


def test_options_of_the_same_words_are_one_answer():
    read = [extract(f"Final answer: {said}", WAYS) for said in ("A", "D", "Up", "C")]
    assert read == ["A", "A", "A", "C"]
    assert majority(read, "choice") == ("A", {"A": 3, "C": 1})
    assert [is_correct(letter, WAYS) for letter in "ABCD"] == [True, False, False, True]


METALS = Question(
    id="m", kind="choice", text="Which rusts?", choices=("iron", "gold", "tin", "zinc")
)
CLAIM = Question(id="c", kind="boolean", text="Is the statement true?")
WORDED = [
    (VALUE, "\\boxed{\n42\n}", "42"), (VALUE, "\\[\n\\boxed{\n  42\n}\n\\]", "42"),
    *((CLAIM, f"It {not_true} that the {what} is false.", "true")
      for not_true in ("is not true", "isn't true", "isn’t correct", "is false", "'s not the case")
      for what in ("statement", "claim")),
    *((CLAIM, f"It {not_true} that the statement is true.", "false")
      for not_true in ("is not true", "isn't true", "is wrong")),
    *((METALS, form.format(pair), None)
      for pair in ("A + C", "(A) + (C)", "A+C", "A & C", "A / C")
      for form in ("{}", "The answer is {}", "Answer: {}", "**{}**")),
    *((METALS, said, "B")
      for said in ("La réponse est B.", "Die richtige Antwort ist B.", "答案：B", "정답: B")),
    (METALS, "Answer seems to be A", None), (METALS, "选项 (B) gold", "B"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "said", "answer"), WORDED)
def test_statements_that_bug_reports_name(question, said, answer):
    assert extract(said, question) == answer


BOXES = Question(
    id="b",
    kind="number",
    text="Tom has 3 boxes and each of them holds 5 apples. How many apples does Tom have?",
)


@pytest.mark.parametrize("sign", ["-", "'", "a-", "- ", "$"])
def test_a_long_line_behind_a_further_question_takes_no_time(sign):
    assert extract(f"The answer is 15.\nNext question:{sign * 50_000}", BOXES) == "15"
