"""Rulings: what a moderator or judge says in JSON about a debate (Prejudice and Fidelity, 3.1)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import (
    JUDGED,
    REASONS,
    answer_schema,
    read_answer_field,
    read_fields,
    read_yes_or_no,
)
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser

Side = Literal["affirmative", "negative"]

SIDES: tuple[Side, Side] = ("affirmative", "negative")

SUPPORTED = "Supported Side"
"""The key under which a ruling names a side."""


def ruling_schema(question: Question, *, decides: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a ruling, for models that follow one.

    Args:
        question: what was debated; if its answers are few, a ruling can only be one of them.
        decides: True if the judge has to decide: then it is not asked whether it prefers a side,
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
    """Return the JSON schema of a ruling that begins with its reason."""
    properties = ruling_schema(question, decides=True)["properties"]
    return object_schema({"Reason": properties.pop("Reason"), **properties})


def name_sides(schema: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a ruling with other names for the sides.

    Args:
        schema: of a reply.
        names: what a ruling may call the sides, e.g. ``("Left", "Right")``.
    """
    properties = schema["properties"]
    open_end = [each for each in properties[SUPPORTED]["enum"] if not each]
    supported = {"type": "string", "enum": [*names, *open_end]}
    return object_schema({**properties, SUPPORTED: supported})


def conclusion_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a conclusion: a reason, and an answer that decides."""
    return object_schema({"Reason": {"type": "string"}, "debate_answer": answer_schema(question)})


class Ruling(Reading, frozen=True, kw_only=True):
    """What a judge says.

    Attributes:
        preference: whether the judge prefers a side; None if it does not say.
        side: what the judge calls the side it prefers, in lower case and in short:
            ``"affirmative"``, ``"left"``; None if it prefers none, or does not say.
        reason: the judge's words for it; empty if it gives none.
        answer: the answer that the judge holds to be right, in canonical form; None without one.
    """

    preference: bool | None = None
    side: str | None = None
    reason: str = ""
    answer: str | None = None

    @property
    def needs_no_answer(self) -> bool:
        """Whether the judge prefers no side, or names one, whose answer is the ruling's then."""
        return self.preference is False or self.side is not None


_FIELDS = (
    ("preference", {"preference"}),
    ("side", {"side"}),
    ("preference", {"preferred"}),
    ("side", {"supported", "winner"}),
    ("answer", {"answer", "verdict", "conclusion", "choice"}),
    ("reason", REASONS),
)


def _decision_schema(question: Question) -> dict[str, Any]:
    return ruling_schema(question, decides=True)


@parser(reading=Ruling, schema=ruling_schema, keyed=name_sides)
def parse_ruling(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a ruling from a judge's reply.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read as plain text. An answer that only names a side, "the negative side's", is that side's.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is None:
        answer = extract(text, question, finished, heard)
        return Parsed(answer, Ruling(answer=answer, reason=text.strip()) if answer else None)
    side = _side(said.get("side", ""))
    ruling = Ruling(
        preference=_prefers(said, side),
        side=side,
        reason=said.get("reason", ""),
        answer=read_answer_field(said.get("answer", ""), question, heard),
    )
    return Parsed(ruling.answer, None if ruling == Ruling() else ruling)


for _name, _schema in (("decision", _decision_schema), ("support", support_schema)):
    parser(name=_name, reading=Ruling, schema=_schema, keyed=name_sides)(parse_ruling.function)


def _prefers(said: Mapping[str, str], side: str | None) -> bool | None:
    """Return whether a judge prefers a side; a judge that names one does if it says nothing."""
    stated = read_yes_or_no(said.get("preference", ""))
    return True if stated is None and side is not None else stated


@parser(reading=Ruling, schema=conclusion_schema)
def parse_conclusion(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a judge's conclusion, which has a reason and an answer like a ruling, but no side."""
    ruling = parse_ruling(text, question, finished, heard).reading
    if not isinstance(ruling, Ruling) or (ruling.answer is None and not ruling.reason):
        return Parsed(None)
    return Parsed(ruling.answer, Ruling(reason=ruling.reason, answer=ruling.answer))


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
    """Return what a field calls a side, in short; None if it names none, or more than one."""
    found = _WORDS.findall(said.casefold())
    labels = [side for side in SIDES if side in found]
    if labels:
        return labels[0] if len(labels) == 1 else None
    name = [word for word in found if word not in _FILLERS]
    return None if not name or _NEITHER & set(name) else " ".join(name)


_WORDS = re.compile(r"[^\W\d_]+")
