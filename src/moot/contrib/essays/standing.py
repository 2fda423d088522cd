"""Standings: whether a speaker is satisfied with the plan that is discussed, or persuaded by it."""

import re

from moot import Reading
from moot.extend.protocols import make_plain


class SpeakerStanding(Reading, frozen=True, kw_only=True, tag="standing"):
    """Whether a speaker of a discussion is settled.

    Attributes:
        settled: of a member, whether it is satisfied with the team's plan; of the critic, whether
            it is persuaded.
    """

    settled: bool


def read_satisfied(text: str) -> SpeakerStanding | None:
    """Read whether a member of the team is satisfied; None where it does not say.

    It says so in a line "Satisfied: yes", or no; the last counts. Without one, in a sentence: "I am
    satisfied with the plan", "the team is not yet satisfied." What a reply goes on to say for other
    speakers is not its own.

    Source: Debate-to-Write, figure 9.
    """
    return _standing(text, _SATISFIED)


def read_persuaded(text: str) -> SpeakerStanding | None:
    """Read whether the critic is persuaded; None where it does not say.

    It says so in a line "Persuaded: yes", or in a sentence, as in ``read_satisfied``.
    """
    return _standing(text, _PERSUADED)


def without_standing(text: str) -> str:
    """Return a contribution without the lines that only say whether its speaker is settled."""
    return _LINE.sub("", text).strip()


_LINE = re.compile(
    r"^[-#>*_\"'{([ \t]{0,9}(?:satisfied|persuaded)[*_\"' \t]{0,5}[:=?][*_\"' \t]{0,5}"
    r"(?:yes|no|not yet|true|false)[*_\"')}\].!, \t]{0,9}$\n?",
    re.IGNORECASE | re.MULTILINE,
)


def _ways(words: str, names: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the pattern of a marker with yes or no, and of a sentence about the plan."""
    who = "(?:are you |am i |i am |we are )?"
    asked = rf"{who}(?:{words})[^\n:=?]{{0,40}}(?:[:=?]| [-–—] )\W{{0,5}}"
    verdict = r"(?:(yes|true)|no|not yet|false)\b(?![\"']? ?(?:or\b|/|\|))"
    degree = r"(?: still| yet| all| now| fully| quite| entirely| completely| also| very)*"
    own = rf"(?:I|we)(?:'m|'re| am| are| remain| feel)|the (?:{names}) (?:is|remains)"
    person = rf"\b(?:{own}){degree}"
    refusal = rf"( not| far from| no longer| hardly)?{degree} (un|dis)?"
    about = r"(?= *(?:[.,;!\n]|$|(?:by|with) (?:the|your|our|their|this)\b[^.\n]{0,40}\bplan\b))"
    return (
        re.compile(
            rf"(?:^|[.!?] )[-#>\"'{{([ ]{{0,9}}{asked}{verdict}", re.IGNORECASE | re.MULTILINE
        ),
        re.compile(rf"{person}{refusal}(?:{words}){about}", re.IGNORECASE),
    )


_SATISFIED = _ways("satisfied|satisfaction", "team|member")
_PERSUADED = _ways("persuaded|convinced", "critic")
_CLOSING = 400
"""Characters at the end of a reply in which a sentence says where its speaker stands."""
_OTHERS = re.compile(r"\n\W{0,4}(?:agent [a-z]|critic|member \d|moderator)\W{0,4}:", re.IGNORECASE)


def _standing(text: str, ways: tuple[re.Pattern[str], re.Pattern[str]]) -> SpeakerStanding | None:
    said = make_plain(text).strip()
    if went_on := _OTHERS.search(said):
        said = said[: went_on.start()]
    marker, sentence = ways
    if marked := list(marker.finditer(said)):
        return SpeakerStanding(settled=bool(marked[-1][1]))
    if spoken := list(sentence.finditer(said[-_CLOSING:])):
        return SpeakerStanding(settled=not (spoken[-1][1] or spoken[-1][2]))
    return None
