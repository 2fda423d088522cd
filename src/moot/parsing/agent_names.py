"""Names: how a reply refers to another agent, by its label, its number or its side."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from moot.core.numerals import NUMBER
from moot.core.questions import Question
from moot.parsing.choice import find_option
from moot.parsing.kinds import read
from moot.parsing.parser import HeardAnswers
from moot.parsing.plain_text import make_plain
from moot.parsing.square import SQUARE

_NOUN = r"(?:agent|mind|expert|debater|person|speaker|assistant)"
_NUMBERED = rf"{_NOUN} ?-?#?(?:\d{{1,3}}|[a-z](?![a-z]))"
_SIDED = r"(?:the )?(?:affirmative|negative|angel|devil)(?: side| debater)?"
GENERAL = re.compile(rf"(?:{_NUMBERED}|{_SIDED})(?!\w)")
"""An agent named without its label: by its number or its side."""

_WORDS = re.compile(
    r"i|it|he|she|we|you|they|this|that|these|those|what|which|who|there|here|one|ones|someone"
    r"|everyone|everybody|nobody|anyone|none|all|both|each|either|neither|nothing|everything"
    r"|others?|another|same|an?|the|my|your|his|her|their|our|not|no|yes|so|and|or|but|if|then"
    r"|else|answers?|response|solution|argument|statement|claim|option|choice|result|question"
    r"|conclusion|reasoning|view|opinion|part|step"
)
"""Ordinary words: as a label, each names an agent only behind a noun, as in "agent this"."""

_NOUNS = (
    r"(?:(?:final|own|proposed|revised|updated|last|first|initial|original) )?"
    r"(?:answer|view|opinion|solution|reasoning|response|reply|argument|conclusion|position"
    r"|proposal|choice|result|analysis|assessment|explanation)"
)
_OF = rf"(?:(?:the (?:{_NOUNS}|one)|that|those)(?: given| proposed| offered)? (?:of|by|from) )"
_END = (
    r"(?=\Z|[^\w' ]| (?:because|since|as|and|but|so|here|of all|overall|for|to me|in my|among)\b)"
)
_OWNED = rf"(?:'s? {_NOUNS}\b|'s?{_END})?(?!'s?\b)"
_VERY = r"(?:fully|completely|entirely|strongly|totally|wholly|absolutely|definitely|firmly)"
_I = rf"\bi(?:'ll|'d|'m)?(?: (?:also|do|now|still|would|will|must|am|have to|{_VERY})){{0,3}}"
_MOST = (
    r"(?:best|strongest|soundest|winning|most (?:convincing|accurate|plausible|persuasive|likely"
    r"|reasonable|sound|complete|compelling|precise))"
)
_QUITE = (
    r"(?: (?:indeed|also|clearly|actually|absolutely|completely|definitely|entirely|therefore"
    r"|certainly|obviously|probably))?"
)
_PARTLY = r"(?! (?:about|on|regarding|to|only|in part|in some|partly|partially|up to)\b| ?\?)"


class Forms:
    """How agents are spoken of. Each form is compiled when a reply first needs it.

    Args:
        plainly: labels that may stand alone, the longest first.
        labels: all labels, the longest first.
    """

    def __init__(self, plainly: tuple[str, ...], labels: tuple[str, ...]) -> None:
        some = [_any(plainly)] if plainly else []
        every = (
            [rf"(?:the )?(?:{_NOUN}|node|community|student|team) {_any(labels)}"] if labels else []
        )
        self._who = rf"(?<![\w-])(?:{'|'.join([*some, *every, GENERAL.pattern])})"

    @cached_property
    def who(self) -> re.Pattern[str]:
        """An agent."""
        return re.compile(self._who)

    @cached_property
    def adopts(self) -> re.Pattern[str]:
        """Agents whose answer the speaker takes, in group ``with``, ``right`` or ``best``."""
        who = self._who
        several = rf"(?:one )?{who}(?:(?:, and |, or |, | and | or | & ){who}){{0,9}}"
        return re.compile(
            rf"(?:(?:{_I} (?:agree|concur|side|go|stand) with"
            rf"|{_I} (?:accept|adopt|support|choose|prefer|select|pick|endorse|trust"
            r"|(?:vote|opt|go) for)"
            r"|\b(?:agreeing|siding) with|\badopt(?:ing)?|\b(?:convinced|persuaded) by)"
            rf" {_OF}?(?P<with>{several}){_OWNED}"
            rf"|(?P<right>{several}){_OWNED}"
            r"(?: (?:is|was|are|were|seems|looks|appears to be|sounds)"
            rf"{_QUITE} (?:(?:the )?(?:right|correct)(?: one| {_NOUNS})?(?!\w|-handed)"
            rf"|(?:the )?{_MOST}(?: one| {_NOUNS})?{_END})"
            r"| (?:has|have|had|got|gave|gives) (?:it right\b|the (?:right|correct|best) answer\b))"
            rf"|\b(?:{_MOST}|correct|right|final) (?:{_NOUNS}|one)(?: here| overall| of all)?"
            rf"(?:(?: is| was| remains|:){_QUITE}(?: (?:given|provided))?|(?: comes| came))"
            rf" (?:{_OF}|from |by )?(?P<best>{several}){_OWNED}{_END}(?! ?[,:(=-]))" + _PARTLY
        )

    @cached_property
    def alone(self) -> re.Pattern[str]:
        """Nothing but an agent's name, in group ``who``, or its answer, in group ``owner``."""
        who = self._who
        return re.compile(
            rf"(?:{_OF}(?P<of>{who})|(?P<who>{who})(?P<owned>'s?(?: {_NOUNS})?| {_NOUNS})?)"
        )

    @cached_property
    def speaks(self) -> re.Pattern[str]:
        """A line that tells what an agent said."""
        return re.compile(
            rf"(?:one |another |the )?{self._who}(?: \([^)\n]{{1,30}}\))?(?:'s {_NOUNS})?"
            r"(?: says| said| wrote| answered)? ?:"
        )


_MENTIONS = (
    *("agent", "mind", "expert", "debater", "person", "speaker", "assistant"),
    *("affirmative", "negative", "angel", "devil"),
)


class AgentNames(NamedTuple):
    """The agents that a reply may speak of.

    Attributes:
        forms: how it may speak of them.
        answers: what they answered, by label, in lower case.
    """

    forms: Forms
    answers: Mapping[str, str | None]

    def any_in(self, low: str) -> bool:
        """Return whether a text in lower case may speak of one of them."""
        return any(noun in low for noun in _MENTIONS) or any(label in low for label in self.answers)

    def answer(self, who: str) -> str | None:
        """Return the answer of an agent; one noun stands for another if the number is clear."""
        who = who.removeprefix("the ") if who not in self.answers else who
        for name in (who, _BEFORE.sub("", who, count=1)):
            if name in self.answers:
                return self.answers[name]
        keys = {key: label for label in self.answers if (key := _key(label))}
        wanted = _key(who)
        if wanted is None:
            return None
        if wanted in keys:
            return self.answers[keys[wanted]]
        same = [label for key, label in keys.items() if wanted[1] and key[1] == wanted[1]]
        return self.answers[same[0]] if len(same) == 1 else None


def find_agent_names(question: Question, heard: HeardAnswers) -> AgentNames:
    """Return the agents whose labels are given, and the ways to name them in a reply.

    A label that is an ordinary word, or that may itself be an answer, such as an option's letter,
    a square or a number, needs a noun before it: "agent B".
    """
    answers = {make_plain(label).lower(): answer for label, answer in (heard or {}).items()}
    labels = sorted(filter(None, answers), key=lambda label: (-len(label), label))
    plainly = [
        label for label in labels if not _WORDS.fullmatch(label) and not _is_value(label, question)
    ]
    return AgentNames(_forms(tuple(plainly), tuple(labels)), answers)


def hide_names(said: str, question: Question, heard: HeardAnswers) -> str:
    """Return the reply in the same length without the digits in labels: they are no answers."""
    if not heard or question.kind not in ("number", "square"):
        return said
    for label in find_agent_names(question, heard).answers:
        if _DIGIT.search(label) and not _is_value(label, question) and not _key(label):
            whole = re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE)
            said = whole.sub(lambda match: _DIGIT.sub("x", match[0]), said)
    return said


_DIGIT = re.compile(r"\d")
_BEFORE = re.compile(rf"(?:the )?(?:{_NOUN}|node|community|student|team) ")
_KEY = re.compile(
    rf"(?:the )?(?P<noun>{_NOUN}|affirmative|negative|angel|devil)"
    r"(?: side| debater|[ #-]*(?P<number>[0-9]{1,3}|[a-z]))?"
)


def _key(label: str) -> tuple[str, str] | None:
    """Return a numbered agent or a side in one form: ``"Agent 2"`` and ``"agent-2"`` are one."""
    match = _KEY.fullmatch(label)
    return (match["noun"], match["number"] or "") if match else None


def _is_value(label: str, question: Question) -> bool:
    """Return whether a label may be an answer itself."""
    if question.kind == "choice":
        return (
            label.upper() in question.letters
            or any(
                re.search(rf"(?<!\w){re.escape(label)}(?!\w)", choice, re.IGNORECASE)
                for choice in question.choices
            )
            or find_option(label, question) is not None
        )
    if question.kind == "square":
        return bool(SQUARE.fullmatch(label))
    if question.kind == "boolean":
        return read(label, question) is not None
    return question.kind == "number" and bool(NUMBER.fullmatch(label) or _SPELLED.fullmatch(label))


_SPELLED = re.compile(
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+(?:teen|ty)"
)


@lru_cache(maxsize=256)
def _forms(plainly: tuple[str, ...], labels: tuple[str, ...]) -> Forms:
    return Forms(plainly, labels)


def _any(labels: tuple[str, ...]) -> str:
    """Return the pattern of one of several labels, as whole words."""
    return rf"(?:the )?(?:{'|'.join(map(re.escape, labels))})(?!\w|-\d)"
