"""Reasoned answers: an answer in JSON with the reason after it (MAD-Community, released code)."""

from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import REASONS, answer_schema, read_answer_field, read_fields
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser


def answer_and_reason_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a reasoned answer, for models that follow one."""
    return object_schema({"answer": answer_schema(question), "reason": {"type": "string"}})


class Reasoned(Reading, frozen=True, kw_only=True):
    """What a reply in this form says.

    Attributes:
        answer: in canonical form; None without one.
        reason: the agent's words for it; of a reply without JSON the whole of it.
    """

    answer: str | None = None
    reason: str = ""


_FIELDS = (("answer", {"answer", "choice", "option"}), ("reason", REASONS))


@parser(reading=Reasoned, schema=answer_and_reason_schema)
def parse_reasoned(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a reasoned answer.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read as any other reply.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is None:
        broken = not finished and "{" in text  # perhaps cut off in the middle of the answer
        answer = None if broken else extract(text, question, finished, heard)
        reasoned = Reasoned(answer=answer, reason=text.strip())
    else:
        answer = read_answer_field(said.get("answer", ""), question, heard)
        reasoned = Reasoned(answer=answer, reason=said.get("reason", ""))
    return Parsed(answer, None if reasoned == Reasoned() else reasoned)
