"""Capital letters: an option read off a reply by the place of a letter, whatever it commits to."""

import re

from moot.core.questions import Question
from moot.parsing.parser import HeardAnswers, Parsed, parser

_EDGES = re.compile(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$")
_ALONE = re.compile(r"\b[A-Z]\b")


@parser()
def parse_first_capital(
    text: str, question: Question, finished: bool = True, heard: HeardAnswers = None
) -> Parsed:
    """Read a reply as the first capital letter that stands alone.

    As in the code of Smit et al. 2024, "I" before a space does not count, and an article does. A
    letter of no option is no answer.
    """
    return _take(text, question, 0)


@parser()
def parse_last_capital(
    text: str, question: Question, finished: bool = True, heard: HeardAnswers = None
) -> Parsed:
    """Read a reply as the last capital letter that stands alone; see ``parse_first_capital``."""
    return _take(text, question, -1)


def _take(text: str, question: Question, place: int) -> Parsed:
    """Return the letter at a place among all that stand alone."""
    letters: list[str] = _ALONE.findall(_EDGES.sub("", text).replace("I ", ""))
    known = bool(letters) and letters[place] in question.letters
    return Parsed(letters[place] if known else None)
