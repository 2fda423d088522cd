"""Statements: one answer that a reply states, and the pieces of text in which it stands."""

import re
from typing import NamedTuple

FINAL, ANSWER, BELIEF, LEADING, LOOSE, CLAIM, CLOSING = 6, 5, 4, 3, 2, 2, 1
"""How plainly an answer is stated: as final; as the answer; as what is right; as a value alone; as
"your answer is …" or "it is …"; in a plain sentence; as the conclusion of the last sentence."""

NO_VALUE = ""
"""Stated where an answer is plainly given that is none of its kind: a root, a range, a list."""

NOUNS = "answer", "solution", "option", "choice", "result", "verdict", "conclusion", "response"
"""Nouns that mark an answer of any kind."""

LEAD = " :=>-\"'$"
"""Signs before a value that are no part of it."""

CONTRAST = re.compile(r"b(?<!\wb)ut\b|h(?<!\wh)owever\b|, (?:i|my|we)\b")
"""Where a sentence turns from what others say to what the speaker says.

Each begins with a letter and not with a look behind it, for Python finds letters quickly.
"""


class Statement(NamedTuple):
    """An answer that a reply states.

    Attributes:
        start: where it begins in the reply.
        end: where it ends.
        value: the answer in canonical form.
        rank: how plainly it is stated, from ``CLOSING`` to ``FINAL``.
    """

    start: int
    end: int
    value: str
    rank: int


_CLAUSE = re.compile(r"[.!?](?=\s|$)|[;\n]")


def first_clause(phrase: str) -> str:
    """Return the phrase as far as the end of its sentence."""
    end = _CLAUSE.search(phrase)
    return phrase[: end.start()] if end else phrase


SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of the last 600 characters of a text, at least one."""
    return [part for part in SENTENCE_END.split(text[-600:]) if part.strip()] or [""]


CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|in total|in all|altogether|in conclusion|finally|overall|total"
    r"|as a result|means|leaving|leaves|which is(?: \w{3,13}ly| about)?(?= [$]?-?\d))\b"
)
"""Words by which a sentence draws a conclusion."""
_SAID = re.compile(
    r"\b(?=[ademhinopstwy])"  # what else a word begins with is passed quickly
    r"(?:(?:agents?(?: \w{1,3})?|they|he|she|others?|sides?|opponent|mind(?: \d+)?|debater|people"
    r"|affirmative|negative|someone|some|you(?! should| must))[^.\n]{0,30}?"
    r" (?:said|says?|claim|claims|claimed|argue[sd]?|thinks?|thought|believe[sd]?|answer(?:s|ed)"
    r"|suggest(?:s|ed)?|state[sd]?|told|tells|chose|choose|report(?:s|ed)?|propose[sd]?|gave|gives)\b"
    r"|(?:that|which|who) (?:says?|said|states?|reads?|claims?)\b"
    r"|(?:according to(?! (?:the|these) (?:\w+ )?(?:premises|information|facts|rules|definition)\b)"
    r"|originally|initially|earlier|previously|premise|example)\b)"
)
_AGREES = re.compile(r"\b(?:agree|concur|convinced|correctly|rightly)\b")


def find_sentence_start(low: str, at: int) -> int:
    """Return the start of the sentence around a position, at most 200 characters before it."""
    floor = max(0, at - 200)
    start = max([low.rfind(mark, floor, at) for mark in (". ", "\n", "? ", "! ", "; ")])
    return floor if start < 0 else start + 1


def is_reported(low: str, at: int) -> bool:
    """Return whether a position stands in what others say, or in what was said earlier."""
    lead = low[find_sentence_start(low, at) : at]
    turns = list(CONTRAST.finditer(lead))
    if turns:
        lead = lead[turns[-1].end() :]
    return bool(_SAID.search(lead)) and not _AGREES.search(lead)


SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "is are was were do does did can could will would should has have had may might must the a"
        " an of to in on at by for true false or and that this it there be with from question"
        " statement one",
    )
)
"""Words that carry no meaning of a question."""


def stem(word: str) -> str:
    """Return the word without a common ending."""
    for ending_ in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending_) and len(word) - len(ending_) >= 3:
            return word[: -len(ending_)]
    return word
