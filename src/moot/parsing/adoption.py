"""Adoption: replies that make another agent's answer their own, such as "Agent 2 is right"."""

import re
from collections.abc import Iterator, Mapping

from moot.core.questions import Question
from moot.parsing.agent_names import GENERAL, Forms, find_agent_names
from moot.parsing.kinds import read
from moot.parsing.markers import find_marked
from moot.parsing.parser import HeardAnswers
from moot.parsing.plain_text import make_plain
from moot.parsing.statements import BELIEF, Statement, find_sentence_start, first_clause

_DOUBT = re.compile(
    r"\b(?:if|whether|not|unless|only|neither|never|hardly|cannot|doubt|suppose|supposing|assume"
    r"|assuming|perhaps|maybe)\b|n't\b"
)
_REPORT = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:says|said|claims|claimed|thinks|believes|argues"
    r"|argued|insists|insisted|according to)\b"
    r"|\b(?:they|others|some|people|agents|both) (?:say|think|believe|claim|argue)\b"
)
_CONTRAST = re.compile(r"\b(?:but|however)\b")


def find_adopted(
    said: str, low: str, question: Question, heard: HeardAnswers
) -> Iterator[Statement]:
    """Find the answers of the agents that the reply declares right.

    Args:
        said: the reply, already plain (see ``moot.parsing.plain_text``).
        low: the same in lower case.
        question: what was asked.
        heard: as in ``extract``; without it, the reply itself is searched for agents' answers.
    """
    known = find_agent_names(question, heard)
    if not known.any_in(low):
        return
    searched = bool(heard)
    for match in known.forms.adopts.finditer(low):
        lead = low[find_sentence_start(low, match.start()) : match.start()]
        reports = _REPORT.search(_CONTRAST.split(lead)[-1])
        if reports or _DOUBT.search(lead) or _is_quoted_line(low, match.start(), known.forms):
            continue
        if not searched:
            known, searched = known._replace(answers=_read_quoted(said, low, question)), True
        for who in known.forms.who.finditer(match["with"] or match["right"] or match["best"]):
            value = known.answer(who[0])
            if value is not None:
                yield Statement(match.start(), match.end(), value, BELIEF)


def read_name_of(
    words: str, question: Question, heard: Mapping[str, str | None], *, bare: bool
) -> str | None:
    """Return what ``moot.parsing.named.read_name`` does, where something was heard."""
    low = make_plain(words).lower().strip(" .!\"'")
    if len(low) > _LONGEST:
        return None
    if any(answer and answer.lower() == low for answer in heard.values()):
        return None
    known = find_agent_names(question, heard)
    if match := known.forms.alone.fullmatch(low):
        who = match["of"] or match["who"]
        open_end = question.kind == "text" and not GENERAL.fullmatch(who)
        owned = match["of"] or match["owned"]
        return known.answer(who) if owned or (bare and not open_end) else None
    if known.forms.adopts.fullmatch(low):
        found = {statement.value for statement in find_adopted(low, low, question, heard)}
        return found.pop() if len(found) == 1 else None
    return None


_LONGEST = 200
"""Characters beyond which words say more than a name."""


def _is_quoted_line(low: str, at: int, forms: Forms) -> bool:
    """Return whether a line tells what another agent said; not for the reply's first line."""
    start = low.rfind("\n", 0, at) + 1
    if not start:
        return False
    before = low.rfind("\n", 0, start - 1) + 1
    if forms.speaks.match(low, start):
        return True
    speaker = forms.speaks.match(low, before) if before else None
    return bool(speaker) and speaker is not None and speaker.end() == start - 1


_SPEAKS = re.compile(
    rf"^(?:one )?({GENERAL.pattern})(?: \([^)\n]{{1,30}}\))?(?: says| said| wrote| answered)? ?:",
    re.MULTILINE,
)
_SAYS = re.compile(
    rf"({GENERAL.pattern})(?: has| have)? (?:says?|said|answers?|answered|claims?|claimed|argues?"
    r"|argued|chose|thinks?|believes?)(?: that)?(?: the answer is| it is)?\b"
)


def _read_quoted(said: str, low: str, question: Question) -> dict[str, str | None]:
    """Return the answers of agents that the reply itself quotes, by agent."""
    answers: dict[str, str | None] = {}
    labels = list(_SPEAKS.finditer(low))
    ends = [label.start() for label in labels[1:]] + [len(low)]
    for label, end in zip(labels, ends, strict=False):
        part = slice(label.end(), end)
        quoted = [s.value for s in find_marked(said[part], low[part], question)]
        if quoted:
            answers[label[1]] = quoted[-1]
    for match in _SAYS.finditer(low):
        value = read(first_clause(said[match.end() : match.end() + 120]), question)
        if value is not None:
            answers.setdefault(match[1], value)
    return answers
