"""Claims: values that stand for themselves, at a reply's beginning, or at its end on their own."""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing.restated import content, stem
from moot.parsing.statements import CLAIM, LEADING, Statement
from moot.parsing.values import (
    ONE_WORD,
    SQUARE,
    clause,
    joined,
    option,
    read,
)

_LABEL = re.compile(
    r"(?:a(?=[:.])|answer|response|output|reply|result) ?[:.)] ?(?=\S)", re.IGNORECASE
)
LISTED = re.compile(r"^[\"(\[]?(?!A:)([A-Z])[).:\]](?!\n)", re.MULTILINE)
"""A line that begins with a letter, as in a list of options; "A:" begins an answer."""

_ASSISTS = (
    r"(?![\"')]?[,.!]? ?i(?:'m|'d| am| would| do| can|'ll| will)?(?: not| n't|not|n't)?"
    r" (?:an? |here|happy|glad|ready|sorry|able|help|assist|provide|explain"
    r"|agree with your|disagree with your))"
)
"""Not behind a verdict: what only speaks to the reader ("No, I'm not an assistant")."""
_FOR = "yes", "true", "possible", "not false"
_VERDICT = re.compile(
    r"(?:\A[\"'(]{0,2}|[.!?\n] ?)"
    r"(?:(?:so|therefore|thus|hence|indeed|well|ok|okay|a|answer|in conclusion|overall|finally)"
    r"[,:]? )?"
    r"(?:(?:it|that|this)(?: is|'s) (?=(?:not |im)?possible))?"
    r"(yes|no|true|false|untrue|(?:not |im)?possible(?=[.,;!\n]|$)|not (?:true|false))"
    r"(?=[\"')]?(?:[,.:;!\n]|$)| because| since| it\b"
    r"| - | i\b| at all\b)" + ONE_WORD + _ASSISTS,
)


def leading(said: str, low: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """The value that opens the reply; for ``boolean`` any verdict that stands for itself."""
    if question.kind == "choice":
        if finished or not _lists(said, question):
            yield from _letter(said, question)
    elif question.kind == "boolean":
        yield from _verdicts(low, question)
    else:
        first, _, rest = said.strip().partition("\n")
        if not _BARE_LINE.match(rest):  # a list of values names none of them
            yield from _bare(said, first, question)


def _verdicts(low: str, question: Question) -> Iterator[Statement]:
    """The verdicts that stand for themselves; none of a numbered list that holds both."""
    found, numbered = [], set()
    for match in _VERDICT.finditer(low):
        if _of_reader(low, match.end(), question):
            continue
        value = "true" if match[1] in _FOR else "false"
        found.append(Statement(match.start(1), match.end(), value, LEADING))
        if _NUMBERED.search(low, max(0, match.start(1) - 4), match.start(1)):
            numbered.add(found[-1])
    both = len({statement.value for statement in numbered}) > 1
    yield from (statement for statement in found if not (both and statement in numbered))


_NUMBERED = re.compile(r"\d[.)] ?\Z")
_YOU = re.compile(r",? you\b(?! could| can't| cannot| couldn't)[^.!?\n]{0,200}")


def _of_reader(low: str, at: int, question: Question) -> bool:
    """Whether what follows a verdict only speaks to the reader: "No, you need not take part"."""
    speaks = _YOU.match(low, at)
    if not speaks or "you" in question.text.lower():
        return False
    return content(question).isdisjoint(stem(word) for word in re.findall(r"[a-z]+", speaks[0]))


def ending(said: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """A last line that is a number or a square alone, or a value alone behind a sentence.

    "Nothing else fits. (C)" is such an end of a line. What a reply was cut off in does not count.
    """
    if finished and question.kind in ("number", "square"):
        yield from _bare(said, said.rstrip().rsplit("\n", 1)[-1], question)
    if finished and question.kind == "choice":
        yield from _repeated(said, question)
    whole = said if finished else said[: said.rfind("\n") + 1]
    for match in _TAILS[question.kind].finditer(whole):
        if (value := read(match[1], question)) is not None:
            yield Statement(match.start(1), match.end(1), value, CLAIM)


_BARE_LINE = re.compile(r"\n*[-+$€£(]{0,2}(?:\d[\d.,]*|[a-h][1-8])\)?[.,]?(?:\n|$)")
_TAILS = {
    kind: re.compile(rf"(?<=[a-z)]){value}\.?[ ]*$", re.MULTILINE)
    for kind, value in {
        "choice": r"[.!?:][\"')]? (\(?[A-Z]\)?)",
        "boolean": r"[.!?:][\"')]? (\(?(?:[Tt]rue|[Ff]alse|[Yy]es|[Nn]o)\)?)",
        "number": r"[.!?][\"')]? (\(-?[$]?\d[\d.,/]*\)|-?\d[\d.,/]*\d|\d)",
        "square": r"[.!?:][\"')]? (\(?[a-h][1-8]\)?)",
    }.items()
}
"""A value that stands alone at the end of a line, behind the end of a sentence."""


def _lists(said: str, question: Question) -> bool:
    """Whether the reply is no more than the first option, as at the start of a list of them."""
    only = LISTED.match(said.strip())
    if not only or only[1] != "A":
        return False
    return question.choices[0].casefold().startswith(said.strip()[only.end() :].strip().casefold())


def _repeated(said: str, question: Question) -> Iterator[Statement]:
    """An option named once more in the last line, after all were listed in their order."""
    last = said.rfind("\n") + 1
    listed = LISTED.findall(said, 0, last)
    again = LISTED.match(said, last)
    if again and again[1] in listed and listed == list(question.letters):
        yield Statement(last, len(said), again[1], LEADING)


_UNIT = re.compile(
    r"[$€£]?[-+]?[$€£]?[\d.,/ ]*\d(?:e-?\d+)? ?[%°]?(?: [a-z]+){0,3}$", re.IGNORECASE
)


def _bare(said: str, line: str, question: Question) -> Iterator[Statement]:
    """The line as an answer, if it is a value and nothing else but a label or a unit."""
    bare = _LABEL.sub("", line.strip(" .\"'()"), count=1) if len(line) < 60 else ""
    if question.kind == "number":
        bare = joined(bare)
        fills = bool(_UNIT.match(bare)) or (bare.isalpha() and len(bare) < 12)
    else:
        match = SQUARE.match(bare)
        fills = match is not None and match.end() == len(bare)
    if fills and (value := read(bare, question)) is not None:
        at = said.find(line)
        yield Statement(at, at + len(line), value, LEADING)


def _letter(said: str, question: Question) -> Iterator[Statement]:
    """A letter or a choice's text that opens the reply, or a letter alone on a line."""
    listed = {match[1] for match in LISTED.finditer(said)}
    listing = len(listed) > 1
    opening = len(said) - len(said.lstrip())
    at = 0
    for line in said.split("\n"):
        alone = 0 < len(line) < 4 and line[-1] != ":"
        lists = listing and (LISTED.match(line) or (line.startswith("A:") and "\nB:" in said))
        if alone or (at == opening and not lists):
            value = _opening(line, question)
            if value:
                yield Statement(at, at + len(line), value, LEADING)
        at += len(line) + 1


_OPENING = re.compile(
    r"(?P<named>option |choice )?[\"(\[]?(?P<letter>[A-Za-z])"
    r"(?:(?P<close>[\")\].:,]{1,2})(?=\s|$|[\"*])|$)",
    re.IGNORECASE,
)


_DENIED = re.compile(
    r"[^,;]*?\b(?:(?:is|are|was|were|do|does|did) (?:not|incorrect|wrong)|\w+n't)\b"
)


_KEY = re.compile(r"\{ ?\"[\w ]{1,20}\" ?: ?(?=\"[A-Z][.)])")


_ASKED = re.compile(r"[^.!?\n]{0,12}\b[A-Z]\)?\?")
"""A line that begins with a question whether it is an option: "So (A)?"."""


def _opening(line: str, question: Question) -> str | None:
    if _ASKED.match(line):
        return None
    if key := _KEY.match(line):  # {"choice": "B) Rome", …
        line = line[key.end() :]
    match = _OPENING.match(line)
    if match:
        letter, close, body = match["letter"], match["close"] or "", line[match.end() :]
        marked = match["named"] or close[:1] in (")", "]", ":")
        if letter.islower() and not marked and len(line) > 2:
            return None
        if _DENIED.match(clause(body)):  # "A) Paris is not on the Seine."
            return None
        named = option(clause(body), question)
        if letter == "A" and close == ":":  # "A:" is also how an answer is labelled
            return named
        return letter.upper() if letter.upper() in question.letters else named
    said = clause(line[line.rfind("=") + 1 :])
    named = option(said, question) if len(line) < 120 else None
    counts = bool(named) and question.choices[question.letters.index(named or "A")].isdigit()
    return None if counts and len(said) > 30 else named
