"""Brackets: chosen passages, lists of answers, and whether all answers are the same."""

import pytest

from moot.core.questions import Question
from moot.parsing.brackets import AnswerList, PassageChoice, Sameness
from moot.parsing.parsers import registry

OPEN = Question(id="q", kind="text", text="Where was Ada Byron born?")


def read(name: str, text: str):
    return registry.get(name)(text, OPEN, finished=True, heard={})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[2, 5]", (2, 5)),
        ("The second says so [2], so I take\n[2] and [5].", (2, 5)),
        ("[1], [1], [3]", (1, 3)),
        ("Passage [4] is wrong.\n[none]", ()),
        ("[99]", (99,)),
        ("[1-3]", (1, 2, 3)),
        ("I take [2 – 4, 7] and [3].", (2, 3, 4, 7)),
        ("[5-3]", (5, 3)),
        ("[1-900000]", (1, 900000)),
    ],
)
def test_chosen_numbers_stand_in_brackets(text, numbers):
    assert read("passage-choice", text).reading == PassageChoice(numbers=numbers)


@pytest.mark.parametrize("text", ["", "2 and 5", "[the second]", "[]"])
def test_what_names_no_number_is_no_choice(text):
    assert read("passage-choice", text).reading is None


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("All correct answers: [London; Kent]\nFinal answer: London", ("London", "Kent")),
        ('**All Correct Answers:** ["London, England", "Kent"].', ("London, England", "Kent")),
        ("All correct answers: [London, England]", ("London, England",)),
        ("All correct answers: []\nNone is.", ()),
        ("All correct answers: [London; London]", ("London",)),
    ],
)
def test_a_list_names_all_right_answers(text, answers):
    assert read("answer-list", text).reading == AnswerList(answers=answers)


def test_the_final_answer_stands_beside_the_list():
    both = read("answer-list", "All correct answers: [London; Kent]\nSo.\nFinal answer: Kent")
    assert both.answer == "Kent"
    alone = read("answer-list", "Final answer: Kent")
    assert (alone.answer, alone.reading) == ("Kent", None)


@pytest.mark.parametrize(
    ("text", "same"),
    [("[Yes]", True), ("They do not. [No]", False), ("yes.", True), ("[No] … [Yes]", True)],
)
def test_a_judge_says_yes_or_no(text, same):
    assert read("sameness", text).reading == Sameness(same=same)


@pytest.mark.parametrize("text", ["", "Perhaps", "yes and no", "[unsure]"])
def test_any_other_word_of_a_judge_is_no_ruling(text):
    assert read("sameness", text).reading is None
