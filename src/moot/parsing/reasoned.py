"""Reasoned answers: an answer in JSON with the reason after it (MAD-Community, released code)."""

from collections.abc import Mapping
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.fields import REASONS, answer_in, answer_schema, fields, object_schema, words


def reasoned_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of a reasoned answer, for models that can be held to one."""
    return object_schema({"answer": answer_schema(question), "reason": {"type": "string"}})


class Reasoned(Reading, frozen=True, kw_only=True):
    """What a reply in this form says.

    Attributes:
        answer: in canonical form; None when there is none.
        reason: the agent's words for it; of a reply without JSON the whole of it.
    """

    answer: str | None = None
    reason: str = ""


def read_reasoned(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Mapping[str, str | None] | None = None,
) -> Reasoned | None:
    """Read a reasoned answer; None when the reply holds neither an answer nor a word.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read as any other reply.
    """
    said = fields(text, _name, finished=finished)
    if said is None:
        broken = not finished and "{" in text  # cut off in the middle of the answer, it may be
        answer = None if broken else extract(text, question, finished, heard)
        read = Reasoned(answer=answer, reason=text.strip())
    else:
        answer = answer_in(said.get("answer", ""), question, heard)
        read = Reasoned(answer=answer, reason=said.get("reason", ""))
    return None if read == Reasoned() else read


def _name(key: str) -> str | None:
    """Which field a key means, however it is spelled."""
    said = words(key)
    if said & {"answer", "choice", "option"}:
        return "answer"
    return "reason" if said & REASONS else None
