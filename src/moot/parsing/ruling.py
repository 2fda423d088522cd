"""Rulings: what a moderator or judge says in JSON about a debate (Prejudice and Fidelity, 3.1)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.fields import (
    JUDGED,
    REASONS,
    answer_in,
    answer_schema,
    fields,
    judged,
    object_schema,
    words,
)

Side = Literal["affirmative", "negative"]

SIDES: tuple[Side, Side] = ("affirmative", "negative")

SUPPORTED = "Supported Side"
"""The key under which a ruling names a side."""


def ruling_schema(question: Question, *, decides: bool = False) -> dict[str, Any]:
    """The JSON schema of a ruling, for models that can be held to one.

    Args:
        question: what was debated; where its answers are few, a ruling can only be one of them.
        decides: True when the judge has to decide: then it is not asked whether it prefers a side,
            and may not leave the answer empty.
    """
    open_end = [] if decides else [""]
    properties: dict[str, Any] = {
        "Whether there is a preference": {"type": "string", "enum": [*JUDGED]},
        SUPPORTED: {"type": "string", "enum": ["Affirmative", "Negative", *open_end]},
        "Reason": {"type": "string"},
        "debate_answer": answer_schema(question, decides=decides),
    }
    if decides:
        del properties["Whether there is a preference"]
    return object_schema(properties)


def support_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of a last word that weighs first: the reason, then the side, the answer."""
    properties = ruling_schema(question, decides=True)["properties"]
    return object_schema({"Reason": properties.pop("Reason"), **properties})


def name_sides(schema: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a ruling with other names for the sides; any other schema as it is.

    Args:
        schema: of a reply.
        names: what a ruling may call the sides, e.g. ``("Left", "Right")``.
    """
    properties = schema.get("properties", {})
    if SUPPORTED not in properties:
        return schema
    open_end = [each for each in properties[SUPPORTED]["enum"] if not each]
    supported = {"type": "string", "enum": [*names, *open_end]}
    return object_schema({**properties, SUPPORTED: supported})


def conclusion_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of a conclusion, the judge's last word: a reason, and an answer to decide."""
    return object_schema({"Reason": {"type": "string"}, "debate_answer": answer_schema(question)})


class Ruling(Reading, frozen=True, kw_only=True):
    """What a judge said.

    Attributes:
        preference: whether the judge prefers a side; None when this was not said.
        side: what the judge calls the side it prefers, in lower case and in short:
            ``"affirmative"``, ``"left"``; None when it prefers none, or this was not said.
        reason: the judge's words for it; empty when there are none.
        answer: what the judge holds to be the answer, in canonical form; None when there is none.
    """

    preference: bool | None = None
    side: str | None = None
    reason: str = ""
    answer: str | None = None


def read_ruling(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Mapping[str, str | None] | None = None,
) -> Ruling | None:
    """Read a ruling from a judge's reply; None when the reply holds nothing of one.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read as plain text. An answer that only names a side, "the negative side's", is that side's.
    """
    said = fields(text, _name, finished=finished)
    if said is None:
        answer = extract(text, question, finished, heard)
        return None if answer is None else Ruling(answer=answer, reason=text.strip())
    preference = judged(said.get("preference", ""))
    side = _side(said.get("side", ""))
    if preference is None and side is not None:
        preference = True
    answer = answer_in(said.get("answer", ""), question, heard)
    reason = said.get("reason", "")
    if preference is None and side is None and answer is None and not reason:
        return None
    return Ruling(preference=preference, side=side, reason=reason, answer=answer)


def read_conclusion(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Mapping[str, str | None] | None = None,
) -> Ruling | None:
    """Read a judge's conclusion, which like a ruling has a reason and an answer, but no side."""
    ruling = read_ruling(text, question, finished, heard)
    if ruling is None or (ruling.answer is None and not ruling.reason):
        return None
    return Ruling(reason=ruling.reason, answer=ruling.answer)


def _name(key: str) -> str | None:
    """Which field a key means, however it is spelled."""
    said = words(key)
    if "preference" in said or ("preferred" in said and "side" not in said):
        return "preference"
    if said & {"side", "supported", "winner"}:
        return "side"
    if said & {"answer", "verdict", "conclusion", "choice"}:
        return "answer"
    if said & REASONS:
        return "reason"
    return None


_FILLERS = {"the", "a", "an", "side", "sides", "debater", "team", "s", "argument", "arguments"}
_NEITHER = {
    "yes",
    "none",
    "neither",
    "both",
    "no",
    "nobody",
    "tie",
    "n",
    "or",
    "unclear",
    "undecided",
}


def _side(said: str) -> str | None:
    """Return what a field calls a side, in short; None where it names none, or more than one."""
    found = _WORDS.findall(said.casefold())
    labels = [side for side in SIDES if side in found]
    if labels:
        return labels[0] if len(labels) == 1 else None
    name = [word for word in found if word not in _FILLERS]
    return None if not name or _NEITHER & set(name) else " ".join(name)


_WORDS = re.compile(r"[^\W\d_]+")
