"""Brackets: numbers of passages, lists of answers, and yes or no, in square brackets."""

import re
from collections.abc import Iterator, Mapping

from moot import Parsed, Question, Reading, extract, parser

Heard = Mapping[str, str | None] | None
"""Answers of the others, by the label under which the agent read them."""
LONGEST = 200
"""Characters of the longest answer in a list; what is longer is cut."""
WIDEST = 50
"""Numbers of the widest range that is read as one."""
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_NUMBERS = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")
_LISTED = re.compile(r"all correct answers\W*?:[\s*]*\[([^\n]*)\]", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”")
_SAID = re.compile(r"\W*(yes|no)\W*", re.IGNORECASE)


class PassageChoice(Reading, frozen=True, kw_only=True):
    """The passages that an agent wants to read.

    Attributes:
        numbers: of passages, in the order in which they are named, none twice; empty for none.
    """

    numbers: tuple[int, ...]


class AnswerList(Reading, frozen=True, kw_only=True):
    """All answers that an agent holds to be right.

    Attributes:
        answers: in its words and its order; empty where it holds none to be.
    """

    answers: tuple[str, ...]


class Sameness(Reading, frozen=True, kw_only=True):
    """Whether a judge finds that all answers are the same."""

    same: bool


@parser(name="passage-choice", reading=PassageChoice)
def parse_passage_choice(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read ``[2, 5]``, ``[2] and [5]``, ``[2-5]`` or ``[none]`` of the last line with brackets."""
    for line in reversed(text.splitlines()):
        if inside := _BRACKETS.findall(line):
            numbers = [number for part in inside for number in _list_numbers(part)]
            if numbers or any("none" in part.casefold() for part in inside):
                return Parsed(None, PassageChoice(numbers=tuple(dict.fromkeys(numbers))))
    return Parsed(None)


def _list_numbers(part: str) -> Iterator[int]:
    """Yield the numbers in brackets, with those between the two of a range."""
    for found in _NUMBERS.finditer(part):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from range(first, last + 1) if 0 <= last - first < WIDEST else (first, last)


@parser(name="answer-list", reading=AnswerList)
def parse_answer_list(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read "All correct answers: [a; b]", and the final answer below it.

    Quoted answers may have commas between them.
    """
    answer = extract(text, question, finished, heard)
    if (found := _LISTED.search(text)) is None:
        return Parsed(answer)
    quoted = ["".join(pair) for pair in _QUOTED.findall(found[1])]
    parts = quoted if len(quoted) > 1 else found[1].split(";")
    named = [" ".join(each.split()).strip(" \"'“”.,")[:LONGEST] for each in parts]
    return Parsed(answer, AnswerList(answers=tuple(dict.fromkeys(filter(None, named)))))


@parser(name="sameness", reading=Sameness)
def parse_sameness(text: str, question: Question, finished: bool, heard: Heard) -> Parsed:
    """Read ``[Yes]`` or ``[No]``; a reply of that word alone needs no brackets."""
    said = [*(each for each in _BRACKETS.findall(text) if _SAID.fullmatch(each))]
    word = _SAID.fullmatch(said[-1] if said else text)
    return Parsed(None, Sameness(same=word[1].casefold() == "yes")) if word else Parsed(None)
