"""A guess at the form of an answer, from the words of a question; a person can correct it."""

import re
from typing import NamedTuple

from moot.extend.records import Kind

WORDS: dict[Kind, str] = {
    "boolean": "yes or no",
    "choice": "one of these options",
    "number": "a number",
    "text": "free text",
    "math": "a mathematical expression",
    "square": "a chess square",
}
"""The forms of an answer in words, those that can be guessed first."""
MOST = 12
"""The most options that are read from a question."""
_LISTED = re.compile(r"^\s*(?:[-*•]|\(?[A-Za-z1-9][.)])\s+(\S.*?)\s*$")
_WEIGHS = re.compile(
    r"\b(?:why|explain|discuss|weigh|describe|argue|compare|summari[sz]e|write|list|suggest|"
    r"how (?:should|can|could|do|does|did|would|to|come))\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"(?:is|are|was|were|am|do|does|did|can|could|will|would|has|have|had|should|shall|may|might|"
    r"must|isn't|aren't|doesn't|don't)\s",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow (?:many|much|old|tall|far|long|heavy|big|deep|fast|high)\b|"
    r"\b(?:what|which) (?:number|percentage|per cent|share|year|sum|fraction)\b|"
    r"\bin what year\b|^what(?: is|'s) [-\d(][-+*/×÷^%.,\d\s()]*\?",
    re.IGNORECASE,
)
_SHORT = 5
"""The most words of an option within a sentence."""


class AnswerGuess(NamedTuple):
    """The form that an answer probably has.

    Attributes:
        kind: the form.
        choices: the options that the question itself lists; empty for other forms.
    """

    kind: Kind
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The form in words, with its options."""
        options = f": {', '.join(self.choices)}" if self.choices else ""
        return WORDS[self.kind] + options


def guess_answer(question: str) -> AnswerGuess:
    """Return the form that the answer to a question in English probably has, else free text."""
    text = question.strip()
    if listed := _read_list(text):
        return AnswerGuess("choice", listed)
    if re.match(r"true or false\b|yes or no\b", text, re.IGNORECASE) or re.search(
        r"\b(?:true or false|yes or no)\W*$", text, re.IGNORECASE
    ):
        return AnswerGuess("boolean")
    asked = re.findall(r"[^.?!\n]*\?", text)
    if not asked or not text.endswith("?") or _WEIGHS.search(text):
        return AnswerGuess("text")
    return _guess_sentence(asked[-1].strip())


def _guess_sentence(asked: str) -> AnswerGuess:
    """Return the form of the answer to a question that asks for no reasons."""
    asked = re.sub(r"^(?:and|so|but|then|now|ok|okay),?\s+", "", asked, flags=re.IGNORECASE)
    if options := _read_alternatives(asked):
        return AnswerGuess("choice", options)
    if _NUMBER.search(asked):
        return AnswerGuess("number")
    is_open = not _YES_OR_NO.match(asked) or re.search(r"\bor\b", asked)
    return AnswerGuess("text" if is_open else "boolean")


def _read_list(text: str) -> tuple[str, ...]:
    """Return the lines at the end of a question that are marked as options, if two or more."""
    found: list[str] = []
    for line in reversed([each for each in text.splitlines() if each.strip()][1:]):
        marked = _LISTED.match(line)
        if marked is None:
            break
        found.insert(0, marked[1])
    return _as_options(found)


def _read_alternatives(sentence: str) -> tuple[str, ...]:
    """Return the short options of "…: A, B or C?"; none where they are not set apart."""
    found = re.search(r"[:,]\s*(?P<options>[^:?]+\s+or\s+[^:?]+)\?$", sentence)
    if found is None:
        return ()
    parts = re.split(r"\s*,\s*(?:or\s+)?|\s+or\s+", found["options"].strip())
    options = [re.sub(r"^(?:either|is it|was it)\s+", "", each.strip()) for each in parts]
    return _as_options([each for each in options if each]) if _are_short(options) else ()


def _are_short(options: list[str]) -> bool:
    return all(each and len(each.split()) <= _SHORT for each in options)


def _as_options(found: list[str]) -> tuple[str, ...]:
    apart = len({each.casefold() for each in found}) == len(found)
    return tuple(found) if 2 <= len(found) <= MOST and apart else ()
