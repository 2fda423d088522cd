"""What the questions of a log are: kinds from right answers, options cut from texts."""

import pytest

from moot.contrib.imports.debate_log import LoggedQuestion
from moot.contrib.imports.logged_questions import (
    KindGuess,
    QuestionKind,
    find_options,
    make_question,
)

ASK = " Explain your answer, putting it in the form (X) at the end."
BIRDS = f"Which cannot fly?: A) a robin, B) an emu, C) a swift, D) a kite{ASK}"
STARS = f"Which is a W?: A) Centaurus, B) Cygnus, C) Cassiopeia, D) Cepheus{ASK}"


def guess(*questions):
    found = KindGuess()
    for each in questions:
        found.add(each)
    return found.find()


def asked(*answers, text="What is it, number {}?"):
    return [
        LoggedQuestion(text=text.format(place), answer=answer)
        for place, answer in enumerate(answers)
    ]


KINDS = [
    (["18", "1,450", "-3", "3/4"], "number"),
    (["She has 3 + 4 = 7.\n#### 7", "So 12.\n#### 1,200", "#### 5"], "number"),
    (["yes", "no", "Yes"], "boolean"),
    (["true", "False"], "boolean"),
    ([r"\frac{1}{2}", r"x^2 + 1", "7"], "math"),
    (["Paris", "the Seine, mostly", "7"], "text"),
    ([None, None], "text"),
    (["4"] * 19 + ["quite a few"], "number"),
    (["4"] * 8 + ["quite a few", "some"], "text"),
    (["B", "C"], "text"),  # letters without options
]


@pytest.mark.parametrize(("answers", "kind"), KINDS, ids=str)
def test_the_kind_is_what_the_answers_fit(answers, kind):
    assert guess(*asked(*answers)) == QuestionKind(kind, "", guessed=True)


def test_letters_of_options_in_the_texts_are_choices():
    found = guess(*(LoggedQuestion(text=text, answer=gold) for text, gold in [(BIRDS, "B")] * 3))
    assert found.kind == "choice"
    several = guess(
        LoggedQuestion(text=BIRDS, answer="B"), LoggedQuestion(text=STARS, answer="(C)")
    )
    assert several == QuestionKind("choice", ASK)
    question, odd = make_question(LoggedQuestion(text=STARS, answer="(C)"), "q", several)
    assert question.choices == ("Centaurus", "Cygnus", "Cassiopeia", "Cepheus")
    assert (question.answer, question.text, odd) == ("C", STARS, "")


def test_a_stated_kind_is_not_guessed():
    stated = LoggedQuestion(text="Is it?", kind="boolean", answer="yes")
    assert guess(stated) == QuestionKind("boolean", "", guessed=False)
    listed = LoggedQuestion(text="Which?", choices=("iron", "gold"), answer="gold")
    found = guess(stated, stated, listed)
    assert found.kind == "boolean"
    question, odd = make_question(listed, "q", found)
    assert (question.kind, question.answer, odd) == ("choice", "B", "")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Which?\nA. iron\nB. gold\nC. tin", ("iron", "gold", "tin")),
        ("Which? (A) iron (B) gold, and\nmore", ("iron", "gold, and\nmore")),
        ("Which? A: iron; B: gold;", ("iron", "gold")),
        ("Which?\n[A] iron\n[B] gold\n\nThink well.", ("iron", "gold")),
        ("Vitamin A) is it? A) yes, B) no", ("yes", "no")),
        ("Which? A)iron, B)gold", ("iron", "gold")),
        ("Which? A) iron", ()),
        ("Which? B) iron C) gold", ()),
        ("Which? A) B) gold", ()),
        ("", ()),
    ],
)
def test_options_are_cut_from_a_text_as_they_stand(text, options):
    assert find_options(text) == options


ODD = [
    (QuestionKind("number"), "quite a few", "quite a few"),
    (QuestionKind("number"), "4", ""),
    (QuestionKind("boolean"), "maybe", "maybe"),
]


@pytest.mark.parametrize(("found", "answer", "odd"), ODD)
def test_an_odd_right_answer_is_unknown_and_said(found, answer, odd):
    made = make_question(LoggedQuestion(text="What?", answer=answer), "q", found)
    assert made.odd == odd
    assert made.question.answer == (None if odd else answer)


def test_several_right_answers_are_kept():
    logged = LoggedQuestion(text="What?", kind="number", answer=("4", "4.0", "lots", "5"))
    question, odd = make_question(logged, "q", QuestionKind())
    assert question.answer == ("4", "4.0", "5")
    assert odd == "lots"


def test_a_choice_without_options_is_a_text():
    made = make_question(LoggedQuestion(text="Which?", answer="B"), "q", QuestionKind("choice"))
    assert (made.question.kind, made.question.choices) == ("text", ())
