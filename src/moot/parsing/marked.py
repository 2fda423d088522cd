"""Marked replies: the answer stands under a marker of its own (debate framework settings, C)."""

import re
from typing import NamedTuple

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.apart import APART
from moot.parsing.extract import extract
from moot.parsing.named import read_name
from moot.parsing.own_words import take_own_words
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import make_plain


class Closing(Reading, frozen=True, kw_only=True):
    """Whether a judge ends the debate.

    Attributes:
        decided: whether the judge names an answer; False if the debate is to continue.
    """

    decided: bool

    @property
    def needs_no_answer(self) -> bool:
        """Whether the debate is to continue."""
        return not self.decided


@parser()
def parse_proposal(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer after the last "Proposed Answer:" of the speaker's own, else as any reply's.

    Nothing else in the reply, another marker least of all, outranks the proposed answer.
    """
    return Parsed(_read_last(_PROPOSED, text, question, heard, finished=finished))


@parser()
def parse_improvement(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer after the last "Improved Answer:", in the way of ``parse_proposal``."""
    return Parsed(_read_last(_IMPROVED, text, question, heard, finished=finished))


def _read_last(
    sought: re.Pattern[str], text: str, question: Question, heard: HeardAnswers, *, finished: bool
) -> str | None:
    """Return the answer after the last marker that is the speaker's own, else as ``extract``."""
    seen = _undress(text, question)
    for marker in reversed(list(sought.finditer(seen))):
        lead = seen[max(0, marker.start() - _BEFORE) : marker.start()].rpartition("\n")[2]
        if not _OTHERS.search(lead):
            line = _line_after(seen, marker.end(), finished=finished)
            return _read_line(line, question, heard)
    return extract(text, question, finished, heard)


@parser()
def parse_solution(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer of a solution that a review follows: of its first "Final answer:" line.

    The review may quote and discuss other answers; none of them counts. A reply without such a
    line, or with no answer in it, is read by ``extract``.
    """
    seen = _undress(text, question)
    if marker := _FINAL.search(seen):
        line = _line_after(seen, marker.end(), finished=finished)
        if (answer := _read_line(line, question, heard)) is not None:
            return Parsed(answer)
    return Parsed(extract(text, question, finished, heard))


@parser(reading=Closing)
def parse_closing(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer that a judge decides on, if it decides.

    "Decision: The correct answer is …" and "Final Answer: …" decide, "Decision: Continue debate."
    does not. The last of them counts; in a reply with none of them, a sentence that begins with
    "The correct answer is". A reply without that too leaves the debate open, and an open debate has
    no answer: the judge's explanation is not read for one.
    """
    still_open = Parsed(None, Closing(decided=False))
    seen = _undress(text, question)
    markers = list(_DECISION.finditer(seen)) or list(_SENTENCE.finditer(seen))
    if not markers:
        return still_open
    line = _line_after(seen, markers[-1].end(), finished=finished)
    if _OPEN.match(line.text):
        return still_open
    named = markers[-1]["decision"] is None or bool(_META.match(line.text))
    if not named and question.kind == "text":  # "Decision: We should hear more first."
        return still_open
    answer = _read_line(line, question, heard)
    return Parsed(answer, Closing(decided=answer is not None or (named and bool(line.text))))


def _undress(text: str, question: Question) -> str:
    """Return the own words, plain; of mathematics only without emphasis, since LaTeX counts."""
    own = take_own_words(text)
    return own.replace("**", "") if question.kind in APART else make_plain(own)


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


class _MarkedLine(NamedTuple):
    """The words after a marker, and whether they ended there rather than were cut off."""

    text: str
    ended: bool


def _line_after(seen: str, at: int, *, finished: bool) -> _MarkedLine:
    """Return the first line with words after a marker."""
    rest = seen[at:].lstrip(" \n\"'")
    line, ended, _ = rest.partition("\n")
    return _MarkedLine(line.strip(" \"'"), finished or bool(ended))


def _read_line(line: _MarkedLine, question: Question, heard: HeardAnswers) -> str | None:
    """Return the answer that a line after a marker states, alone or as "the answer is …"."""
    said = _META.sub("", line.text, count=1) if _META.match(line.text) else line.text
    end = "\n" if line.ended else ""
    if not said:
        return None
    answer = extract(f"Final answer: {said}{end}", question, line.ended, heard)
    return read_name(said, question, heard) if answer is None and line.ended else answer
