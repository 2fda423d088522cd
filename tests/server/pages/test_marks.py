"""Answers told apart by a colour and by a sign."""

from moot.core.questions import Question
from moot.server.pages.marks import COLOURS, NONE, AnswerMarks

PICK = Question(id="q", kind="choice", text="Which?", choices=("one", "two", "three"))


def test_the_same_answer_has_the_same_mark():
    numbers = AnswerMarks(Question(id="q", kind="number", text="How many?"))
    assert numbers.of("1/2") == numbers.of("0.5") != numbers.of("2")
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    assert words.of("Because it is so.") == words.of("because  it is so")


def test_no_two_marks_of_a_debate_are_alike_until_colours_run_out():
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    made = [words.of(f"because of reason {number}") for number in range(30)]
    assert len({(mark.colour, mark.sign) for mark in made[:COLOURS]}) == COLOURS
    assert {mark.colour for mark in made[COLOURS:]} == {COLOURS + 1}
    assert len({mark.words for mark in made}) == 30


def test_each_kind_of_answer_has_its_sign_and_colour():
    marks = AnswerMarks(PICK)
    assert (marks.of("C").sign, marks.of("C").colour, marks.of("C").choice) == ("C", 3, "three")
    assert (marks.of("A").colour, marks.of("C").chip) == (1, "C")
    assert (marks.of(None), NONE.colour) == (NONE, 0)
    words = AnswerMarks(Question(id="q", kind="text", text="Why?"))
    assert words.of("Because it is so.").chip == "a: Because it is so."
    assert words.of("No").chip == "No"
    flags = AnswerMarks(Question(id="q", kind="boolean", text="Is it?"))
    assert (flags.of("false").chip, flags.of("false").colour) == ("false", 2)
