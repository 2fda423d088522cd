"""The marks of a debate's answers: each has a colour, and a letter that means the same."""

from typing import NamedTuple

from moot import Question
from moot.extend.protocols import answer_value
from moot.extend.words import on_one_line

COLOURS = 7
"""The number of answers with a colour of their own; the others share one more."""
SHORT = 5
"""The most characters of an answer that is its own mark."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class AnswerMark(NamedTuple):
    """The mark of an answer, the same everywhere in a debate.

    Attributes:
        colour: the number of its colour, from 1; 0 for no answer.
        sign: a few characters.
        words: the answer on one line, or ``no answer``.
        choice: the text of the choice, if the answer is one.
    """

    colour: int
    sign: str
    words: str
    choice: str = ""

    @property
    def chip(self) -> str:
        """The text of its chip: the sign, and the words if they say more."""
        return self.words if self.sign in {self.words, "–"} else f"{self.sign}: {self.words}"


NONE = AnswerMark(0, "–", "no answer")


class AnswerMarks:
    """The marks of one debate: first the choices, then other answers in order of appearance."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._known: dict[object, AnswerMark] = {}
        for letter in question.letters:
            self.of(letter)
        if question.kind == "boolean":
            self.of("true")
            self.of("false")

    def of(self, answer: str | None) -> AnswerMark:
        """Return the mark of an answer; equal answers have one mark."""
        if answer is None:
            return NONE
        stands = answer_value(answer, self._question.kind)
        if stands not in self._known:
            self._known[stands] = self._new(answer)
        return self._known[stands]

    def _new(self, answer: str) -> AnswerMark:
        number = len(self._known)
        words = on_one_line(answer, 60) or "(empty)"
        sign = words if len(words) <= SHORT else LETTERS[number % len(LETTERS)]
        choice = ""
        if self._question.kind == "choice" and words in self._question.letters:
            choice = on_one_line(self._question.choices[self._question.letters.index(words)], 80)
        return AnswerMark(min(number, COLOURS) + 1, sign, words, choice)
