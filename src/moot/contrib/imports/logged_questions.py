"""Questions of logs as questions of moot: their kinds, options and right answers.

A log seldom says what kind its questions are. All of a dataset are of the kind that its right
answers fit: letters of options that the texts list, numbers, truth values, LaTeX; else text. Some
may be odd: a kind fits where nine in ten answers do, and the others are said to be unread.
"""

import re
from collections import Counter
from typing import NamedTuple, get_args

from moot import Question
from moot.contrib.imports.debate_log import LoggedQuestion
from moot.extend.protocols import to_canonical
from moot.extend.records import Kind

ENOUGH = 0.9
"""The share of answers, or of texts with options, that makes a kind."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER = re.compile(r"\s*[(\[]?([A-Z])[)\].:]*\s*")
_MARK = r"(?:(?<=\s)|(?<=[:;,.?])|^)(?:\({0}\)|\[{0}\]|{0}[).:])"
_MARKS = {letter: re.compile(_MARK.format(letter), re.MULTILINE) for letter in _LETTERS}
_TAIL = 16
"""The least characters of words that end every question and are no part of its last option."""
_LATEX = re.compile(r"\\[a-zA-Z]+|[\^_$]")
_TRUTHS = frozenset({"true", "false", "yes", "no"})


class QuestionKind(NamedTuple):
    """The form of a dataset's questions.

    Attributes:
        kind: of those that do not say theirs; where all do, the kind of most.
        tail: the words that end every text.
        guessed: whether the log leaves a kind open.
    """

    kind: Kind = "text"
    tail: str = ""
    guessed: bool = True


class KindGuess:
    """Guesses what the questions of one dataset are, from all of them."""

    def __init__(self) -> None:
        self._fit = Counter[str]()
        self._questions = self._answered = self._latex = 0
        self._stated = Counter[Kind]()
        self._tail: str | None = None

    def add(self, question: LoggedQuestion) -> None:
        """Take one question into account."""
        if stated := _stated_kind(question):
            self._stated[stated] += 1
        text = question.text.rstrip()
        self._tail = text if self._tail is None else _common_end(self._tail, text)
        if stated:
            return
        self._questions += 1
        self._fit["options"] += len(find_options(text)) > 1
        answers = list_answers(question)
        self._answered += bool(answers)
        if not answers:
            return
        self._fit["choice"] += all(_LETTER.fullmatch(each) for each in answers)
        self._fit["boolean"] += all(each.strip().casefold() in _TRUTHS for each in answers)
        number = all(to_canonical(each, "number", ()) is not None for each in answers)
        self._fit["number"] += number
        self._fit["math"] += number or all(to_canonical(each, "math", ()) for each in answers)
        self._latex += any(_LATEX.search(each) for each in answers)

    def find(self) -> QuestionKind:
        """Return the kind that fits."""
        tail = _from_word(self._tail or "")
        if not self._questions and self._stated:
            most = max(self._stated, key=self._stated.__getitem__)
            return QuestionKind(most, tail, guessed=False)
        return QuestionKind(self._find_kind(), tail)

    def _find_kind(self) -> Kind:
        listed = self._fits("options", self._questions)
        if listed and (not self._answered or self._fits("choice", self._answered)):
            return "choice"
        for kind in ("boolean", "number"):
            if self._fits(kind, self._answered):
                return kind
        return "math" if self._latex and self._fits("math", self._answered) else "text"

    def _fits(self, what: str, of: int) -> bool:
        return of > 0 and self._fit[what] >= ENOUGH * of


def list_answers(question: LoggedQuestion) -> tuple[str, ...]:
    """Return the right answers as the log states them; empty where none is known."""
    if question.answer is None:
        return ()
    return (question.answer,) if isinstance(question.answer, str) else question.answer


def find_options(text: str, tail: str = "") -> tuple[str, ...]:
    """Return the options that a text lists as ``A) …, B) …``, without letters; empty for none.

    The last list counts. Words and order are those of the text.

    Args:
        text: of the question.
        tail: words that end every question of the dataset; they are no part of an option.
    """
    text = text.rstrip()
    if tail and text.endswith(tail):
        text = text[: -len(tail)]
    for first in reversed([*_MARKS["A"].finditer(text)]):
        marks = [first]
        while len(marks) < len(_LETTERS) and (
            found := _MARKS[_LETTERS[len(marks)]].search(text, marks[-1].end())
        ):
            marks.append(found)
        if len(marks) > 1:
            ends = [*(mark.start() for mark in marks[1:]), len(text)]
            parts = [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
            parts[-1] = parts[-1].strip().partition("\n\n")[0]
            options = tuple(part.strip().rstrip(",;").rstrip() for part in parts)
            return options if all(options) else ()
    return ()


class OddAnswer(NamedTuple):
    """A question, and its right answer where that is none of the question's kind."""

    question: Question
    odd: str = ""


def make_question(logged: LoggedQuestion, name: str, found: QuestionKind) -> OddAnswer:
    """Return the question of moot for one of a log.

    Args:
        logged: as the log has it.
        name: its id.
        found: what the questions of its dataset are.
    """
    kind, choices = _kind_of(logged, found), logged.choices
    if kind == "choice" and not choices:
        choices = find_options(logged.text, found.tail)
    if (kind == "choice") != (2 <= len(choices) <= len(_LETTERS)):
        kind, choices = ("text", ()) if kind == "choice" else (kind, ())
    stated = list_answers(logged)
    read = [read_stated(each, kind, choices) for each in stated]
    right = tuple(dict.fromkeys(each for each in read if each is not None))
    question = Question(
        id=name,
        kind=kind,
        text=logged.text,
        context=logged.context or None,
        choices=choices,
        answer=(right if len(right) > 1 else right[0]) if right else None,
    )
    odd = next((each for each, found in zip(stated, read, strict=True) if found is None), "")
    return OddAnswer(question, odd)


def read_stated(stated: str, kind: Kind, choices: tuple[str, ...]) -> str | None:
    """Return an answer that a log states, such as ``(B)`` or ``#### 18``, in canonical form."""
    found = to_canonical(stated, kind, choices)
    if found is None and kind == "choice" and (letter := _LETTER.fullmatch(stated)):
        return letter[1] if letter[1] in _LETTERS[: len(choices)] else None
    return found


def _kind_of(logged: LoggedQuestion, found: QuestionKind) -> Kind:
    return _stated_kind(logged) or found.kind


def _stated_kind(logged: LoggedQuestion) -> Kind | None:
    """Return the kind that a log states: by name, or by listing options."""
    known: tuple[Kind, ...] = get_args(Kind)
    named = next((kind for kind in known if kind == logged.kind), None)
    return named or ("choice" if logged.choices else None)


def _common_end(one: str, other: str) -> str:
    pairs = enumerate(zip(reversed(one), reversed(other), strict=False))
    size = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    return one[len(one) - size :]


def _from_word(tail: str) -> str:
    """Return the words that end every text, from a whole word on; empty where they are few."""
    found = re.search(r"\s", tail)
    tail = tail[found.start() :] if found else ""
    return tail if len(tail.strip()) >= _TAIL else ""
