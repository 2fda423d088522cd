"""Fields: what stands under which key of the JSON in a reply, however damaged or renamed."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from moot.core.errors import NOT_JSON
from moot.core.questions import Question
from moot.core.texts import clean
from moot.parsing.adopt import named
from moot.parsing.extract import extract

JUDGED = "Yes", "No"
"""How a schema has a model say whether something holds."""

REASONS = frozenset(("reason", "reasons", "reasoning", "explanation", "rationale", "why"))
"""Words of which a key has one that names the reasons."""


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_schema(question: Question, *, decides: bool = True) -> dict[str, Any]:
    """The JSON schema of an answer: where answers are few, only they; else a string.

    Args:
        question: what was asked.
        decides: False where the answer may also be left empty.
    """
    open_end = [] if decides else [""]
    if question.kind == "choice":
        return {"type": "string", "enum": [*question.letters, *open_end]}
    if question.kind == "boolean":
        return {"type": "string", "enum": ["true", "false", *open_end]}
    return {"type": "string"}


def fields(
    text: str, named: Callable[[str], str | None], *, finished: bool
) -> dict[str, str] | None:
    """The fields of the JSON object in a reply; None when it holds none of them.

    Fences, text around the JSON, and small damage are forgiven.

    Args:
        text: the reply.
        named: which field a key means, however it is spelled; None for none.
        finished: False when the reply was cut off: then what it was cut in the middle of does not
            count.

    Returns:
        Texts, numbers and judgements (as ``"Yes"`` and ``"No"``) by the names of their fields; of
        several under one name the first.
    """
    loaded = json_in(text, _OBJECT, finished=finished)
    if isinstance(loaded, list):
        loaded = next((item for item in reversed(loaded) if isinstance(item, dict)), None)
    if not isinstance(loaded, dict):
        return None
    found: dict[str, str] = {}
    for key, value in loaded.items():
        name = named(str(key))
        if name and isinstance(value, str | int | float | bool):
            found.setdefault(name, _text(value))
    return found or None


_OBJECT = re.compile(r"\{")


def json_in(text: str, opening: re.Pattern[str], *, finished: bool) -> Any:  # noqa: ANN401 - JSON is anything
    """The JSON in a reply that begins where ``opening`` is first found; None where it is not.

    Of an object or array that was cut off, the value that it was cut in is left out.
    """
    start = opening.search(text)
    if not start:
        return None
    loaded = _load(clean(text[start.start() : start.start() + _LONGEST]))
    if not finished and text.rstrip()[-1] not in '"}]`':
        _drop_last(loaded)
    return loaded


def _drop_last(loaded: Any) -> None:  # noqa: ANN401 - JSON is anything
    """Take out the last value, in the innermost object or array that it stands in."""
    while isinstance(loaded, dict | list) and loaded:
        last = loaded[-1 if isinstance(loaded, list) else next(reversed(loaded))]
        if not (isinstance(last, dict | list) and last):
            loaded.pop() if isinstance(loaded, list) else loaded.popitem()
            return
        loaded = last


_LONGEST = 20_000
"""Characters of JSON that are read: a longer one is noise."""

_EFFORT = 200_000
"""The most characters times brackets that are repaired, in at most a second or so.

Repairing may go through the rest of the text again for every bracket that is open, and takes a
twentieth of that for a parenthesis. 3,000 characters may have 66 brackets, which no ruling has.
"""


def _load(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    try:
        return msgspec.json.decode(text[: text.rfind("}" if text[0] == "{" else "]") + 1])
    except NOT_JSON:
        opened = text.count("{") + text.count("[") + text.count("(") / 20
        if opened * len(text) > _EFFORT:
            return None
        from json_repair import repair_json

        try:
            return repair_json(text, return_objects=True)
        except (ValueError, RecursionError):  # nested beyond repair
            return None


def _text(value: float | str | bool) -> str:  # noqa: FBT001 - a JSON value, not a switch
    return ("Yes" if value else "No") if isinstance(value, bool) else str(value).strip()


_WORDS = re.compile(r"[a-z]+")


def words(text: str) -> set[str]:
    """The words of a key or a short value, without case and signs."""
    return set(_WORDS.findall(text.casefold()))


def judged(said: str) -> bool | None:
    """Whether the words say yes or no; None when they say neither or both."""
    found = words(said)
    yes, no = bool(found & {"yes", "true"}), bool(found & {"no", "false"})
    return yes if yes != no else None


def answer_in(
    said: str, question: Question, heard: Mapping[str, str | None] | None = None
) -> str | None:
    """The answer in an answer field, which is a stated answer by its place.

    A field that names an agent and nothing else, as in "the negative side's", has its answer.
    """
    if question.kind == "text":
        return named(said, question, heard) or extract(said, question)
    answer = extract(f"Final answer: {said}", question, heard=heard) if said else None
    return named(said, question, heard) if answer is None else answer
