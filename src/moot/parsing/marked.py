"""Marked replies: the answer stands under a marker of its own (debate framework settings, C)."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.adopt import named
from moot.parsing.extract import extract
from moot.parsing.plain import plain

Heard = Mapping[str, str | None] | None
"""What the others answered, by the name under which the agent read them; as in ``extract``."""


class Closing(Reading, frozen=True, kw_only=True):
    """What a judge said that may end the debate.

    Attributes:
        decided: whether the judge named an answer; False where the debate is to continue.
    """

    decided: bool


def read_proposal(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Heard = None,
) -> str | None:
    """The answer after the last "Proposed Answer:" that is the speaker's own, else as ``extract``.

    Nothing else in the reply, another marker least of all, outranks the proposed answer.
    """
    return _marked(_PROPOSED, text, question, heard, finished=finished)


def read_improvement(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Heard = None,
) -> str | None:
    """Return the answer after the last "Improved Answer:", in the way of ``read_proposal``."""
    return _marked(_IMPROVED, text, question, heard, finished=finished)


def _marked(
    sought: re.Pattern[str], text: str, question: Question, heard: Heard, *, finished: bool
) -> str | None:
    """The answer after the last marker of a kind that is the speaker's own, else as ``extract``."""
    seen = plain(text)
    for marker in reversed(list(sought.finditer(seen))):
        lead = seen[max(0, marker.start() - _BEFORE) : marker.start()].rpartition("\n")[2]
        if not _OTHERS.search(lead):
            line = _under(seen, marker.end(), finished=finished)
            return _stated(line, question, heard)
    return extract(text, question, finished, heard)


def read_solution(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Heard = None,
) -> str | None:
    """Return the answer of a solution that a review follows: of its first "Final answer:" line.

    The review may quote and discuss other answers; none of them counts. A reply without such a
    line, or with no answer in it, is read by ``extract``.
    """
    seen = plain(text)
    if marker := _FINAL.search(seen):
        answer = _stated(_under(seen, marker.end(), finished=finished), question, heard)
        if answer is not None:
            return answer
    return extract(text, question, finished, heard)


def read_closing(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Heard = None,
) -> tuple[str | None, Closing]:
    """The answer that a judge decides on, if it decides.

    "Decision: The correct answer is …" and "Final Answer: …" decide, "Decision: Continue debate."
    does not. The last of them counts; in a reply with none of them, a sentence that begins with
    "The correct answer is". A reply without that too leaves the debate open, and an open debate has
    no answer, whatever stands in the judge's explanation.
    """
    seen = plain(text)
    markers = list(_DECISION.finditer(seen)) or list(_SENTENCE.finditer(seen))
    if not markers:
        return None, Closing(decided=False)
    line = _under(seen, markers[-1].end(), finished=finished)
    if _OPEN.match(line.text):
        return None, Closing(decided=False)
    named = markers[-1]["decision"] is None or bool(_META.match(line.text))
    if not named and question.kind == "text":  # "Decision: We should hear more first."
        return None, Closing(decided=False)
    answer = _stated(line, question, heard)
    return answer, Closing(decided=answer is not None or (named and bool(line.text)))


_MARKER = r"\b{} \"?(?:final )?answer\"?(?: ?\([^()\n]{{0,40}}\))?\"? ?(?:[:=]|is\b)"
_PROPOSED = re.compile(_MARKER.format("proposed"), re.IGNORECASE)
_IMPROVED = re.compile(_MARKER.format("improved"), re.IGNORECASE)
_FINAL = re.compile(r"^[-#> ]{0,6}(?:(?:my|the) )?final answer ?[:=]", re.IGNORECASE | re.MULTILINE)
_OTHERS = re.compile(
    r"\b(?:(?:affirmative|negative|angel|angle|devil|opponent|agent \w{1,3}|other)(?: side)?(?:'s)?"
    r"(?: \w{1,12}){0,2}|their|his|her) ?[\"']{0,2}$",
    re.IGNORECASE,
)
_BEFORE = 100
"""Characters before a marker that may say whose answer it is: more than ``_OTHERS`` spans."""
_STARTS = r"(?:^[-#>\"'{\d.) ]{0,9}|[.!?}] [\"']?)"
_DECISION = re.compile(
    rf"{_STARTS}(?:(?:my |final )?(?P<decision>decision)|(?:the |my )?final[ _]answer)"
    r"\"? ?(?:[:=]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(
    rf"{_STARTS}(?=the (?P<decision>correct|final) answer is\b)", re.IGNORECASE | re.MULTILINE
)
_META = re.compile(
    r"(?:(?:so|therefore|thus),? )?(?:the |my )?(?:correct |right |best |final |proposed ){0,3}"
    r"(?:answer|solution)(?: to (?:the|this) question)?(?: is\b| would be\b|:):?[\"' ]{0,3}",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:the (?:correct |final )?(?:answer|decision) (?:is|remains) )?[\[(<]?(?:"
    r"(?:to )?(?:be )?continue|(?:the )?debate (?:should |must |will |to )?continue"
    r"|(?:still |yet )?(?:unclear|undecided|undetermined|unresolved|pending|open\b)"
    r"|to be determined|tbd\b|n/?a\b|none\b(?! of\b)"
    r"|no (?:clear|final|decision|conclusi|consensus|answer)"
    r"|not (?:yet|clear|determined|decided|reached|possible|available|applicable)"
    r"|cannot|can't|further|more (?:debate|discussion|rounds)|\.\.\.|…|x\b(?! ?=))",
    re.IGNORECASE,
)


class _Line(NamedTuple):
    """What stands under a marker, and whether it ended there rather than was cut off."""

    text: str
    ended: bool


def _under(seen: str, at: int, *, finished: bool) -> _Line:
    """The first line with words after a marker."""
    rest = seen[at:].lstrip(" \n\"'")
    line, ended, _ = rest.partition("\n")
    return _Line(line.strip(" \"'"), finished or bool(ended))


def _stated(line: _Line, question: Question, heard: Heard) -> str | None:
    """The answer that a line under a marker states, in its own words or as "the answer is …"."""
    said = _META.sub("", line.text, count=1) if _META.match(line.text) else line.text
    end = "\n" if line.ended else ""
    if not said:
        return None
    answer = extract(f"Final answer: {said}{end}", question, line.ended, heard)
    return named(said, question, heard) if answer is None and line.ended else answer
