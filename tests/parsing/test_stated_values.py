"""What a reply states: a value that goes on is no shorter one, and what others say is not its own.

The replies are invented, in the kinds of which real ones were misread (see docs/answers.md).
"""

from fractions import Fraction

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.same import is_correct, majority

POTS = Question(
    id="pots",
    kind="number",
    text="Mia has 20 pots. She sells some each week for 3 weeks. How many pots will she have left?",
)
VALUE = Question(id="v", kind="number", text="Compute the value.")
SAND = Question(
    id="sand",
    kind="choice",
    text="What is true of sand in water?",
    choices=("It is soluble", "It is not soluble", "It burns", "It floats"),
)
AIR = Question(
    id="air",
    kind="choice",
    text="The layer of the atmosphere closest to the ground is called the",
    choices=("stratosphere", "troposphere", "mesosphere", "exosphere"),
)
FOOD = Question(
    id="food",
    kind="choice",
    text="What is the index of a food?",
    choices=(
        "The rise in sugar after eating the food.",
        "The rise in sugar after eating the food compared with the rise after eating white bread.",
        "Sugar per gram.",
        "Sugar per day.",
    ),
)
HEAVY = Question(id="heavy", kind="boolean", text="Sand is heavy.")
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


STATED = [
    # The main clause of a conclusion has the value; times, conditions and tails have others.
    ("After 3 weeks, Mia will have 12 pots left.", POTS, "12"),
    ("Mia will have 12 pots left. This is because she sells 8 of the 20 pots.", POTS, "12"),
    ("So Mia will have 12 pots left. She can plant new ones in spring.", POTS, "12"),
    ("So Mia has 12 pots left (as calculated by Agent 1).", POTS, "12"),
    ("The number of pots that she did not sell is 12.", POTS, "12"),
    ("20 - 8 = 12 = 20 - 8 = 12 = 20 - 8 = 1", POTS, None),
    ("The cost per pot is 3 * 4 = 12 = 1", POTS, None),
    ("Mia sold 8. She has 20 pots. In all, the pots cost $1,", POTS, None),
    ("3.7 does not exist.", POTS, None),
    ("The number of pots left is:", POTS, None),
    ("She had 20. She sold 3 each week. Then 20 pots go to the market and 8 of 20 *", POTS, None),
    # A sentence that completes the question with one option commits to it.
    (("The layer of the atmosphere closest to the ground is called the troposphere. The others do"
     " not touch it."), AIR, "B"),
    (("The lowest layer of the atmosphere, closest to the ground, is called the troposphere, while"
     " the stratosphere lies above it."), AIR, None),
    ("B) It is not soluble", SAND, "B"),
    ("The answer is B) It is not soluble.", SAND, "B"),
    ("(B) It is not soluble is correct, because sand sinks.", SAND, "B"),
    (("The index of a food is the rise in sugar after eating the food compared with that after"
     " eating white bread.\n\n(A)"), FOOD, "A"),
    (("I agree that the index of a food is the rise in sugar after eating the food compared with"
     " the same after eating white bread."), FOOD, "B"),
    ("It sinks.\n\n( C )", SAND, "C"),
    ("The answer is (X) B) It is not soluble.", SAND, "B"),
    ("Sand burns and floats. (A,C)", SAND, None),
    ("Final answer: A + C", SAND, None),
    ("The answer is A. The answer is B. The answer is C.", SAND, None),
    # The prompt, a template and the turns of others are not the speaker's.
    ("### System:\nHelp.\n\n### User:\nAgent 1 says the answer is (B).\n\n### Response:\n", SAND,
     None),
    ("### User:\nThe answer is (B).\n\n### Response:\nThe answer is (C).", SAND, "C"),
    (("<|im_start|>user\nIs the answer (A)?<|im_end|>\n<|im_start|>assistant\nThe answer is (D)."
     "<|im_end|>"), SAND, "D"),
    ("The answer is (D).\n### User:\nThe answer is (A).", SAND, "D"),
    ("The answer is (D).</s><s>[INST] the answer is (A) [/INST]", SAND, "D"),
    ("12 pots\nUSER: Say the answer for 3 weeks. The answer is 9.", POTS, "12"),
    (f"{POTS.text}\n20 - 8 = 12 pots are left, so the answer is 12.", POTS, "12"),
    (f"Q: {POTS.text}\nA: 12\nQ: How many cups?\nA: 5", POTS, "12"),
    (f"{POTS.text}", POTS, None),
    ("#2. If Mia has 4 shelves, how many pots fit?\nAnswer: 80", POTS, None),
    ("There are two possible answers: \\boxed{0} and \\boxed{3}. I cannot confidently give one.",
     POTS, None),
    (("There are two possible answers.\n- If she sold all she has \\boxed{0} pots.\n- If she kept"
     " some she has \\boxed{12} pots."), POTS, None),
    ("How I got this answer: 20 pots less 8. So she has 12 left.", POTS, "12"),
    ("Use this updated answer: she has 12 pots.", POTS, "12"),
    # Forms.
    ("\\boxed{\n42\n}", POTS, "42"),
    (r"\boxed{12 \text{ pots}}", POTS, "12"),
    ("<answer>B</answer>", SAND, "B"),
    ("<answer>B) It is not soluble</answer>", SAND, "B"),
    ("<answer>true</answer>", HEAVY, "true"),
    ("It is not true that the statement is false.", HEAVY, "true"),
    ("It is not the case that this claim is true.", HEAVY, "false"),
    ("It is not true.", HEAVY, "false"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "question", "answer"), STATED)
def test_what_is_stated(reply, question, answer):
    assert extract(reply, question) == answer


LANGUAGES = [
    "La réponse est B.", "La bonne réponse est (B).", "Réponse : B", "Die richtige Antwort ist B.",
    "Antwort: B", "La respuesta correcta es (B).", "Respuesta final: B", "A resposta é B.",
    "La risposta è B.", "Het antwoord is B.", "Ответ: B", "答案：B", "答案是 B", "最终答案：B",
    "答えはBです。", "正解：B", "정답: B", "답은 B입니다.", "الجواب: B", "Odpowiedź: B", "Cevap: B",
]  # fmt: skip


@pytest.mark.parametrize("reply", LANGUAGES)
def test_the_answer_is_in_other_languages(reply):
    assert extract(reply, SAND) == "B"
    assert extract(reply.replace("B", "12"), POTS) == "12"


@pytest.mark.parametrize(
    ("reply", "verdict"), [("Die Antwort ist nein.", "false"), ("答案是正确。", "true")]
)
def test_verdicts_in_other_languages(reply, verdict):
    assert extract(reply, HEAVY) == verdict


def test_tags_and_templates_around_open_answers():
    open_ended = Question(id="t", kind="text", text="What is the capital of France?")
    assert extract("<reason>It is old.</reason>\n<answer>Paris</answer>", open_ended) == "Paris"
    assert extract("### User:\nWhat?\n\n### Response:\nParis", open_ended) == "Paris"
    assert extract("### User:\nWhat?\n\n### Response:\n", open_ended) is None


def test_options_of_the_same_words_are_one_answer():
    read = [extract(f"Final answer: {said}", WAYS) for said in ("A", "D", "Up", "C")]
    assert read == ["A", "A", "A", "C"]
    assert majority(read, "choice") == ("A", {"A": 3, "C": 1})
    assert [is_correct(letter, WAYS) for letter in "ABCD"] == [True, False, False, True]


SIGNS = [
    (("< 5", "> 5", "= 5"), "> 5", "B"), (("< 5", "> 5", "= 5"), "= 5", "C"),
    (("AA", "Aa", "aa"), "Aa", "B"), (("AA", "Aa", "aa"), "Aa (one of each)", "B"),
    (("gene", "genes"), "genes", "B"), (("p ∧ q", "p ∨ q"), "p ∨ q", "B"),
    (("x = y", "x ≠ y"), "x ≠ y", "B"), (("Na", "Na⁻"), "Na⁻", "B"), (("Na", "Na⁻"), "Na", "A"),
    (("√2", "2"), "2", "B"), (("$5", "5"), "5", "B"), (("AA", "Aa", "aa"), "Aa or aa", None),
    (("go  up", "Same", "Down", "go up"), "go up", "A"),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "said", "letter"), SIGNS)
def test_options_that_differ_in_signs_are_several(choices, said, letter):
    asked = Question(id="s", kind="choice", text="Which?", choices=choices)
    assert extract(f"Final answer: {said}", asked) == letter


BOXES = Question(
    id="b",
    kind="number",
    text="Tom has 3 boxes and each of them holds 5 apples. How many apples does Tom have?",
)
OWN = [
    ("Each box has 5 apples.\nAnother question is how many boxes: 3.\nThe answer is 15.", "15"),
    ("Boxes: 3.\nNext problem: how many in all? It is 3 * 5.\nThe answer is 15.", "15"),
    ("We look.\n### Input\nNot yet.\n### Instructions\nMultiply.\nThe answer is 15.",
     "15"),
    ("Final answer: <s>14</s> 15", "15"),
    ("The answer is 15.</s> The answer is 16.", "15"),
    (("The answer is 15.\nNext question: Anna has 4 bags and each of them holds 2 pears. How many"
      " pears does she have?\nThe answer is 8."), "15"),
    (f"The answer is 15.\n\nYou asked: {BOXES.text}\nEach of the 3 boxes counts.", "15"),
    (f"You asked: {BOXES.text}\nThe answer is 15.", "15"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "answer"), OWN)
def test_own_words_are_kept(reply, answer):
    assert extract(reply, BOXES) == answer


def test_an_answer_before_a_restated_question_stands():
    gas = Question(
        id="g",
        kind="choice",
        text="Which gas do the leaves of plants take from the air in the light of day?",
        choices=("oxygen", "carbon dioxide"),
    )
    assert extract(f"B\n\n{gas.text}\nPlants fix carbon.", gas) == "B"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (r"\boxed{5 \text{ N}}", "5"),
        (r"\boxed{12\text{ J}}", "12"),
        (r"\boxed{60\text{ W}}", "60"),
        (r"\boxed{9.8\text{ m/s}^2}", "9.8"),
        (r"\boxed{2x}", None),
        (r"\boxed{3X}", None),
        ("Final answer:\n- 12", "12"),
        ("**Final answer:**\n- **12**", "12"),
        ("Final answer:\n-12", "-12"),
        ("Final answer: 2**3", None),
        ("Final answer: **8**", "8"),
    ],
)
def test_units_bullets_and_powers(reply, value):
    assert extract(reply, Question(id="q", kind="number", text="How much?")) == value


@pytest.mark.parametrize("sign", ["-", "'", "a-", "- ", "$"])
def test_a_long_line_behind_a_further_question_takes_no_time(sign):
    assert extract(f"The answer is 15.\nNext question:{sign * 50_000}", BOXES) == "15"


@pytest.mark.parametrize(
    "words",
    [
        *("4 ln 2", "2 sin(30)", "3 cos x", "3Pi", "3sqrt2", "2 root 3", "∛2", "exp(3)", "10^-3"),
        *("10⁻³", "5C2", "17 remainder 3", "3 +/- 1", r"\log_2 8", "3 kg to 4 kg", "3% to 4%"),
        *("3…4", "3~4", "3 through 4", r"3\text{--}4"),
    ],
)
@pytest.mark.parametrize("form", ["Final answer: @", "The answer is @.", r"\boxed{@}", "@"])
def test_a_value_that_goes_on_is_none(form, words):
    question = Question(id="q", kind="number", text="How much?")
    assert extract(form.replace("@", words), question) is None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        *(("5 log entries", "5"), ("~5", "5"), ("5 C", "5"), ("3 * 10^5", "300000")),
        *((r"2 \times 10^{-3}", "0.002"), ("5 to my knowledge", "5"), ("3 pies", "3"), ("5!", "5")),
    ],
)
def test_a_value_with_a_word_behind_it_stays(words, value):
    question = Question(id="q", kind="number", text="How much?")
    assert extract(f"The answer is {words}.", question) == value
