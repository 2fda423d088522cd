"""Rulings: what a moderator or judge says in JSON about a debate (Prejudice and Fidelity, 3.1)."""

import re
from typing import Any, Literal

import msgspec

from moot.answers.extract import extract
from moot.core.questions import Question


def ruling_schema(question: Question, *, decides: bool = False) -> dict[str, Any]:
    """The JSON schema of a ruling, for models that can be held to one.

    Args:
        question: what was debated; where its answers are few, a ruling can only be one of them.
        decides: True when the judge has to decide: then it is not asked whether it prefers a side,
            and may not leave the answer empty.
    """
    open_end = [] if decides else [""]
    answer: dict[str, Any] = {"type": "string"}
    if question.kind == "choice":
        answer["enum"] = [*question.letters, *open_end]
    elif question.kind == "boolean":
        answer["enum"] = ["true", "false", *open_end]
    properties: dict[str, Any] = {
        "Whether there is a preference": {"type": "string", "enum": ["Yes", "No"]},
        "Supported Side": {"type": "string", "enum": ["Affirmative", "Negative", *open_end]},
        "Reason": {"type": "string"},
        "debate_answer": answer,
    }
    if decides:
        del properties["Whether there is a preference"]
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


Side = Literal["affirmative", "negative"]


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge said.

    Attributes:
        preference: whether the judge prefers a side; None when this was not said.
        side: the side preferred; None when none is, or this was not said.
        reason: the judge's words for it; empty when there are none.
        answer: what the judge holds to be the answer, in canonical form; None when there is none.
    """

    preference: bool | None = None
    side: Side | None = None
    reason: str = ""
    answer: str | None = None


def read_ruling(text: str, question: Question, finished: bool = True) -> Ruling | None:  # noqa: FBT001, FBT002 - as extract
    """Read a ruling from a judge's reply; None when the reply holds nothing of one.

    Fences, text around the JSON, small damage and renamed keys are forgiven. A reply without JSON
    is read as plain text.
    """
    said = _fields(text, finished=finished)
    if said is None:
        answer = extract(text, question, finished)
        return None if answer is None else Ruling(answer=answer, reason=text.strip())
    preference, side = _yes(said.get("preference", "")), _side(said.get("side", ""))
    if preference is None and side is not None:
        preference = True
    answer = _answer(said.get("answer", ""), question)
    reason = said.get("reason", "")
    if preference is None and side is None and answer is None and not reason:
        return None
    return Ruling(preference=preference, side=side, reason=reason, answer=answer)


def _fields(text: str, *, finished: bool) -> dict[str, str] | None:
    """The ruling's fields under moot's own names; None when the text holds no JSON object."""
    start = text.find("{")
    if start < 0:
        return None
    loaded = _load(text[start : start + _LONGEST])
    if isinstance(loaded, list):
        loaded = next((item for item in reversed(loaded) if isinstance(item, dict)), None)
    if not isinstance(loaded, dict):
        return None
    if not finished and loaded and text.rstrip()[-1] not in '"}]`':
        loaded.popitem()  # cut off in the middle of this value
    fields: dict[str, str] = {}
    for key, value in loaded.items():
        name = _name(str(key))
        if name and isinstance(value, str | int | float | bool):
            fields.setdefault(name, _text(value))
    return fields or None


_LONGEST = 20_000
"""Characters of a ruling that are read: a longer one is noise."""

_EFFORT = 200_000
"""The most characters times brackets that are repaired, in at most a second or so.

Repairing may go through the rest of the text again for every bracket that is open, and takes a
twentieth of that for a parenthesis. 3,000 characters may have 66 brackets, which no ruling has.
"""


def _load(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    try:
        return msgspec.json.decode(text[: text.rfind("}") + 1])
    except (msgspec.DecodeError, RecursionError):
        opened = text.count("{") + text.count("[") + text.count("(") / 20
        if opened * len(text) > _EFFORT:
            return None
        from json_repair import repair_json

        try:
            return repair_json(text, return_objects=True)
        except (ValueError, RecursionError):  # nested beyond repair
            return None


_WORDS = re.compile(r"[a-z]+")


def _name(key: str) -> str | None:
    """Which field a key means, however it is spelled."""
    words = set(_WORDS.findall(key.casefold()))
    if "preference" in words or ("preferred" in words and "side" not in words):
        return "preference"
    if words & {"side", "supported", "winner"}:
        return "side"
    if words & {"answer", "verdict", "conclusion", "choice"}:
        return "answer"
    if words & {"reason", "reasons", "reasoning", "explanation", "rationale", "why"}:
        return "reason"
    return None


def _text(value: float | str | bool) -> str:  # noqa: FBT001 - a JSON value, not a switch
    return ("Yes" if value else "No") if isinstance(value, bool) else str(value).strip()


def _yes(said: str) -> bool | None:
    words = set(_WORDS.findall(said.casefold()))
    yes, no = bool(words & {"yes", "true"}), bool(words & {"no", "false"})
    return yes if yes != no else None


def _side(said: str) -> Side | None:
    word = said.casefold()
    affirmative, negative = "affirmative" in word, "negative" in word
    if affirmative == negative:
        return None
    return "affirmative" if affirmative else "negative"


def _answer(said: str, question: Question) -> str | None:
    """The answer field is a stated answer by its place."""
    if question.kind == "text":
        return extract(said, question)
    return extract(f"Final answer: {said}", question) if said else None
