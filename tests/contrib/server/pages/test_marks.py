"""Answers told apart by a colour and by a sign."""

from moot.contrib.server.pages.marks import COLOURS, NONE, AnswerMarks
from moot.core.questions import Question

PICK = Question(id="q", kind="choice", text="Which?", choices=("one", "two", "three"))


def test_a_choice_has_its_letter_and_its_colour_whatever_is_said_first():
    marks = AnswerMarks(PICK)
    assert (marks.of("C").sign, marks.of("C").colour, marks.of("C").choice) == ("C", 3, "three")
    assert marks.of("A").colour == 1
    assert marks.of("C").chip == "C"


def test_the_same_answer_has_the_same_mark():
    numbers = AnswerMarks(Question(id="q", kind="number", text="How many?"))
    assert numbers.of("1/2") == numbers.of("0.5") != numbers.of("2")
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    assert words.of("Because it is so.") == words.of("because  it is so")


def test_long_answers_have_a_letter_and_short_ones_are_their_own():
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    assert words.of("Because it is so.").chip == "a: Because it is so."
    assert words.of("No").chip == "No"
    flags = AnswerMarks(Question(id="q", kind="boolean", text="Is it?"))
    assert (flags.of("false").chip, flags.of("false").colour) == ("false", 2)


def test_no_two_marks_of_a_debate_are_alike_until_colours_run_out():
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    made = [words.of(f"because of reason {number}") for number in range(30)]
    assert len({(mark.colour, mark.sign) for mark in made[:COLOURS]}) == COLOURS
    assert {mark.colour for mark in made[COLOURS:]} == {COLOURS + 1}
    assert len({mark.words for mark in made}) == 30


def test_no_answer_has_none_of_the_colours():
    assert AnswerMarks(PICK).of(None) == NONE
    assert NONE.colour == 0
    assert AnswerMarks(PICK).of("").chip
