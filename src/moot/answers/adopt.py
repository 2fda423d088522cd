"""Adoption: replies that make another agent's answer their own, such as "Agent 2 is right"."""

import re
from collections.abc import Iterator, Mapping

from moot.answers.statements import BELIEF, Statement, markers, sentence_start
from moot.answers.values import clause, read
from moot.core.questions import Question

_NUMBERED = (
    r"(?:agent|mind|expert|debater|person|speaker|assistant) ?-?#?(?:\d{1,3}|[a-z](?![a-z]))"
)
_SIDED = r"(?:the )?(?:affirmative|negative|angel|devil)(?: side| debater)?"
_WHO = rf"(?:{_NUMBERED}|{_SIDED})"
_ADOPTS = re.compile(
    r"\b(?:(?:i (?:fully |completely |also |do )?(?:agree|concur|side|go) with"
    r"|i (?:accept|adopt|support|choose|prefer)|agreeing with|adopt(?:ing)?|convinced by)"
    r" (?:the (?:answer|view|opinion|reasoning) (?:of|by|from) )?"
    rf"(?:one )?(?P<with>{_WHO})"
    rf"|(?P<right>{_WHO})"
    r"(?:'s? (?:answer|view|solution|reasoning|response|argument|conclusion|position))?"
    r" (?:is|was|seems|looks)(?: (?:indeed|also|clearly|actually|absolutely|completely))?"
    r" (?:right|correct|the correct one))(?! about\b)"
)
_DOUBT = re.compile(r"\b(?:if|whether|not|unless|only)\b|n't\b")


def adopted(
    said: str, low: str, question: Question, heard: Mapping[str, str | None] | None
) -> Iterator[Statement]:
    """The answers of those whom the reply declares right."""
    known: dict[str, str | None] | None = None
    if not (" with " in low or " right" in low or "correct" in low or "adopt" in low):
        return
    for match in _ADOPTS.finditer(low):
        if _DOUBT.search(low, sentence_start(low, match.start()), match.start()):
            continue
        if known is None:
            known = {_key(label): answer for label, answer in (heard or {}).items()}
            known = known or _quoted(said, low, question)
        value = _look_up(known, _key(match["with"] or match["right"]))
        if value is not None:
            yield Statement(match.start(), match.end(), value, BELIEF)


_LABEL = re.compile(
    r"(agent|mind|expert|debater|person|speaker|assistant|affirmative|negative|angel|devil)"
    r"[ #-]*([0-9]{1,3}|[a-z]\b)?"
)


def _key(label: str) -> str:
    """A label without its spelling: ``"Agent 2"`` and ``"agent-2"`` are one."""
    match = _LABEL.search(label.casefold())
    return f"{match[1]}{match[2] or ''}" if match else label.casefold().strip()


def _look_up(known: dict[str, str | None], who: str) -> str | None:
    """The answer of an agent; one noun stands for another where the number leaves no doubt."""
    if who in known:
        return known[who]
    number = who.lstrip("abcdefghijklmnopqrstuvwxyz")
    same = [known[label] for label in known if number and label.endswith(number)]
    return same[0] if len(same) == 1 else None


_SPEAKS = re.compile(
    rf"^(?:one )?({_WHO})(?: \([^)\n]{{1,30}}\))?(?: says| said| wrote| answered)? ?:", re.MULTILINE
)
_SAYS = re.compile(
    rf"({_WHO})(?: has| have)? (?:says?|said|answers?|answered|claims?|claimed|argues?|argued|chose"
    r"|thinks?|believes?)(?: that)?(?: the answer is| it is)?\b"
)


def _quoted(said: str, low: str, question: Question) -> dict[str, str | None]:
    """What each agent answered, as far as the reply itself quotes it."""
    answers: dict[str, str | None] = {}
    labels = list(_SPEAKS.finditer(low))
    ends = [label.start() for label in labels[1:]] + [len(low)]
    for label, end in zip(labels, ends, strict=False):
        part = slice(label.end(), end)
        quoted = [s.value for s in markers(said[part], low[part], question)]
        if quoted:
            answers[_key(label[1])] = quoted[-1]
    for match in _SAYS.finditer(low):
        value = read(clause(said[match.end() : match.end() + 120]), question)
        if value is not None:
            answers.setdefault(_key(match[1]), value)
    return answers
