"""Edges: values that stand for themselves at a reply's beginning or end."""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing import boolean, choice, number, square
from moot.parsing.kinds import CONCLUSIONS, read
from moot.parsing.statements import CLAIM, CLOSING, LEADING, Statement, split_sentences

_LABEL = re.compile(
    r"(?:a(?=[:.])|answer|response|output|reply|result) ?[:.)] ?(?=\S)", re.IGNORECASE
)


def find_leading(said: str, low: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """Find the value that opens the reply; for ``boolean`` all verdicts that stand alone."""
    if question.kind == "choice":
        yield from choice.find_leading(said, question, finished=finished)
    elif question.kind == "boolean":
        yield from boolean.find_leading(low, question)
    else:
        first, _, rest = said.strip().partition("\n")
        if not _BARE_LINE.match(rest):  # a list of values names none of them
            yield from _find_bare(said, first, question)


def find_ending(said: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """Find a last line that is a value alone, and values alone after a sentence.

    "Nothing else fits. (C)" ends a line so. The line in which a reply was cut off does not count.
    """
    if finished and question.kind in ("number", "square"):
        yield from _find_bare(said, said.rstrip().rsplit("\n", 1)[-1], question)
    if finished and question.kind == "choice":
        yield from choice.find_repeated(said, question)
    whole = said if finished else said[: said.rfind("\n") + 1]
    for match in _TAILS[question.kind].finditer(whole):
        if (value := read(match[1], question)) is not None:
            yield Statement(match.start(1), match.end(1), value, CLAIM)


_BARE_LINE = re.compile(r"\n*[-+$€£(]{0,2}(?:\d[\d.,]*|[a-h][1-8])\)?[.,]?(?:\n|$)")
_TAILS = {
    kind: re.compile(rf"[{ends}](?<=[a-z)].)[\"')]? {value}\.?[ ]*$", re.MULTILINE)
    for kind, ends, value in (
        ("choice", ".!?:", r"(\(?[A-Z]\)?)"),
        ("boolean", ".!?:", r"(\(?(?:[Tt]rue|[Ff]alse|[Yy]es|[Nn]o)\)?)"),
        ("number", ".!?", r"(\(-?[$]?\d[\d.,/]*\)|-?\d[\d.,/]*\d|\d)"),
        ("square", ".!?:", r"(\(?[a-h][1-8]\)?)"),
    )
}
"""A value that stands alone at the end of a line, behind the end of a sentence."""


def _find_bare(said: str, line: str, question: Question) -> Iterator[Statement]:
    """Find the line as an answer, if it is a value and nothing else but a label or a unit."""
    endless = ".." in line or "…" in line  # "0.333..." is no 0.333
    short = len(line) < 60 and not endless
    bare = _LABEL.sub("", line.strip(" .\"'()"), count=1) if short else ""
    value = number.read_alone(bare) if question.kind == "number" else square.read_alone(bare)
    if value is not None:
        at = said.find(line)
        yield Statement(at, at + len(line), value, LEADING)


def find_conclusion(said: str, question: Question) -> Iterator[Statement]:
    """Find the value of the reply's last sentence, if that draws a conclusion and has one.

    A sentence for the reader, and one that only explains what was said before it, is passed over.
    """
    said = said.rstrip(" \n\"'}])`|")
    spoken = split_sentences(said)
    while len(spoken) > 1 and (_POLITE.search(spoken[-1].lower()) or _EXPLAINS.match(spoken[-1])):
        spoken.pop()
    broken = len(spoken) > 2 and _BROKEN_OFF.search(spoken[-1]) and _ENDED.search(spoken[-2])
    if broken and not spoken[-2].startswith(spoken.pop()):  # not in a loop that was cut off
        return
    if question.kind == "number" and len(spoken) > 1 and _ADDS.match(spoken[-1].lower()):
        spoken.pop()
    last = spoken[-1]
    if _is_open(last.lower(), question) or last.strip() in question.text or last[-1:] == ",":
        return
    if value := CONCLUSIONS[question.kind](last, question, said):
        at = said.rfind(last)
        yield Statement(at, at + len(last), value, CLOSING)


_POLITE = re.compile(
    r"\b(?:i hope|let me know|feel free|good luck|thank you|please|i agree with)\b(?!.*\d)"
)
"""A sentence that is for the reader and answers nothing."""
_EXPLAINS = re.compile(r"\W*(?:this|that|it) is (?:because|since|due to)\b", re.IGNORECASE)
"""A sentence that gives the reason for the one before it."""
_ADDS = re.compile(
    r"(?!.*\b(?:not|but|however|wait|cannot|can't|answers?|steps?|agents?|now|next|need|must|unless"
    r"|if|let|calculate|find|add|subtract|multiply|divide)\b)[^\d?:=]{8,200}[.!]?\Z"
)
"""A sentence without a number that adds something to the one before it."""
_OPEN = re.compile(r"\?|\b(?:answers?|not|agents?|minds?|step(?! \d+:))\b|n't\b")
_CREDITS = re.compile(
    r"[,(]? ?\(?\b(?:as )?(?:\w+ )?(?:by|from|with|to) (?:the )?(?:\w+ )?(?:agent|mind)s?(?:'s)?"
    r"(?: \d{1,2})?(?: \w+)?\b\)?"
)
"""Whose figure it also is: "400 dollars (as stated by Agent 1)" is still the speaker's."""
_REJECTS = re.compile(r",? (?:and |but )?not (?:just |only )?[$]?\d[\d.,]*(?: \w+)?")
"""A value that is set against the one that is held: "it is 1000, not 491"."""
_HOLDS = re.compile(
    r"\b(?:not|n't)\b(?=[^.]{3,120}\b(?:is|are|was|equals?|to be|would be) (?:actually |indeed )?"
    r"[$]?\d)"
)
"""A "not" in what is counted: "the guests who did not get one are 12"."""
_BROKEN_OFF = re.compile(
    r"(?:[-+*/=(,:]|\b(?:the|a|an|of|to|from|and|or|is|are|by|with|for|in|on|at))\s*\Z"
    r"|^[^=]*[^.!?)\d%$\]}\"'*:=]\Z"
)
"""An end in the middle of a sentence, though the server calls the reply finished."""
_ENDED = re.compile(r"[.!?]\W*\Z")


def _is_open(low: str, question: Question) -> bool:
    """Return whether a sentence in lower case asks, denies, or tells what others say."""
    if question.kind == "number":
        low = _REJECTS.sub("", _CREDITS.sub("", low))
        low = _HOLDS.sub("", low) if _HOLDS.search(low) else low
    return bool(_OPEN.search(low))
