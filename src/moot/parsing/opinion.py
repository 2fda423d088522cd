"""Opinions: what a consultant says in JSON about an answer (Prejudice and Fidelity, table 8)."""

import re
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import JUDGED, REASONS, answer_schema, read_answer_field, read_fields
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser
from moot.parsing.plain_text import make_plain

_ASKED = "Do you find the final answer provided by the assistant accurate and satisfactory?"


def opinion_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of an opinion, for models that follow one."""
    return object_schema(
        {
            _ASKED: {"type": "string", "enum": [*JUDGED]},
            "Reason": {"type": "string"},
            "Feedback to Assistant for modifications": {"type": "string"},
            "final_answer": answer_schema(question, decides=False),
        }
    )


class Opinion(Reading, frozen=True, kw_only=True):
    """What a consultant says.

    Attributes:
        satisfied: whether the consultant finds the answer accurate and satisfactory; None if it
            does not say.
        reason: the consultant's words for it; empty if it gives none.
        feedback: what should be modified; empty if it says nothing of it.
        answer: the answer that the consultant holds to be right, in canonical form; None without
            one.
    """

    satisfied: bool | None = None
    reason: str = ""
    feedback: str = ""
    answer: str | None = None


_FIELDS = (
    (
        "satisfied",
        {"satisfactory", "satisfied", "satisfying", "satisfaction", "accurate", "accuracy"},
    ),
    ("feedback", {"feedback", "modification", "modifications", "suggestions", "improvements"}),
    ("answer", {"answer"}),
    ("reason", REASONS),
)


@parser(reading=Opinion, schema=opinion_schema)
def parse_opinion(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read an opinion from a consultant's reply.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read line by line, "Reason: …", and its answer as any reply's.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is None:
        said = _lines(text, question)
        answer = extract(_SPELLED.sub("final answer", text), question, finished, heard)
    else:
        answer = read_answer_field(said.get("answer", ""), question, heard)
    opinion = Opinion(
        satisfied=_verdict(said.get("satisfied", "")),
        reason=said.get("reason", ""),
        feedback=said.get("feedback", ""),
        answer=answer,
    )
    return Parsed(answer, None if opinion == Opinion() else opinion)


_VERDICT = re.compile(r"\W{0,9}(?:(yes|true)|no|false)\b(?! ?(?:or\b|/|\|))", re.IGNORECASE)


def _verdict(said: str) -> bool | None:
    """Return the yes or no that the words begin with."""
    match = _VERDICT.match(said)
    return bool(match[1]) if match else None


_SPELLED = re.compile("final_answer", re.IGNORECASE)
_OPENING = re.compile(r"(?:yes|no)(?=[,.!:;\n]|$)", re.IGNORECASE)
_LINE = re.compile(
    r"^[-#> \d.)]{0,9}(?:"
    r"(?P<satisfied>[^\n:?]{0,90}\b(?:accurate|satisfactory|satisfied)\b[^\n:?]{0,30})"
    r"|(?P<reason>reasons?)|(?P<feedback>feedback[^\n:?]{0,40}|modifications)"
    r"|(?:final[ _])?answer) ?[?:]{1,2}",
    re.IGNORECASE | re.MULTILINE,
)


def _lines(text: str, question: Question) -> dict[str, str]:
    """Return the fields of an opinion in labelled lines; a verdict that opens the reply is one too.

    Without a line that is labelled as feedback, the words before the first label are the feedback.
    """
    said = make_plain(text)
    found: dict[str, str] = {}
    start = 0
    if question.kind != "boolean" and (opening := _OPENING.match(said)):
        found["satisfied"], start = opening[0], opening.end()
    lines = list(_LINE.finditer(said))
    ends = [line.start() for line in lines[1:]] + [len(said)]
    for line, end in zip(lines, ends, strict=False):
        if line.lastgroup:
            found[line.lastgroup] = said[line.end() : end].strip(" \n:")
    unlabelled = said[start : lines[0].start() if lines else len(said)]
    found.setdefault("feedback", unlabelled.lstrip(" \n,:;.!").rstrip(" \n,:;"))
    return found
