"""Fields: what stands under which key of the JSON in a reply, however damaged or renamed."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from moot.core.encoding import replace_surrogates
from moot.core.errors import NOT_JSON
from moot.core.latex import restore_commands
from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.named import read_name
from moot.parsing.parser import HeardAnswers

JUDGED = "Yes", "No"
"""How a model says in JSON whether something holds."""

REASONS = frozenset(("reason", "reasons", "reasoning", "explanation", "rationale", "why"))
"""Words in keys of a reason."""


def answer_schema(question: Question, *, decides: bool = True) -> dict[str, Any]:
    """Return the JSON schema of an answer: one of the possible ones if these are few.

    Args:
        question: what was asked.
        decides: False if the answer may also be left empty.
    """
    open_end = [] if decides else [""]
    if question.kind == "choice":
        return {"type": "string", "enum": [*question.letters, *open_end]}
    if question.kind == "boolean":
        return {"type": "string", "enum": ["true", "false", *open_end]}
    return {"type": "string"}


FieldNames = Sequence[tuple[str, AbstractSet[str]]]
"""Names of fields, each with words of keys that mean it. A key means the first that fits."""


def read_fields(text: str, names: FieldNames, *, finished: bool) -> dict[str, str] | None:
    """Return the fields of the JSON object in a reply; None if it has none of them.

    Fences, text around the JSON, and small damage are forgiven.

    Args:
        text: the reply.
        names: of the fields; a key means the first one that has a word of it.
        finished: False if the reply was cut off: then its last value does not count.

    Returns:
        Texts, numbers and judgements (as ``"Yes"`` and ``"No"``) by the names of their fields; of
        several under one name the first.
    """
    loaded = load_json(text, _OBJECT, finished=finished)
    if isinstance(loaded, list):
        loaded = next((item for item in reversed(loaded) if isinstance(item, dict)), None)
    if not isinstance(loaded, dict):
        return None
    found: dict[str, str] = {}
    for key, value in loaded.items():
        said = split_words(str(key))
        name = next((name for name, among in names if said & among), None)
        if name and isinstance(value, str | int | float | bool):
            found.setdefault(name, _text(value))
    return found or None


_OBJECT = re.compile(r"\{")


def load_json(text: str, opening: re.Pattern[str], *, finished: bool) -> Any:  # noqa: ANN401 - JSON is anything
    """Return the JSON that begins where ``opening`` is first found in a reply; None without one.

    Of an object or array that was cut off, the last value is left out.
    """
    start = opening.search(text)
    if not start:
        return None
    loaded = _load(replace_surrogates(text[start.start() : start.start() + _LONGEST]))
    if not finished and text.rstrip()[-1] not in '"}]`':
        _drop_last(loaded)
    return loaded


def _drop_last(loaded: Any) -> None:  # noqa: ANN401 - JSON is anything
    """Remove the last value from the innermost object or array that it stands in."""
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


def _text(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    text = str(value)  # one that begins with LaTeX begins with a sign that strip would take
    return (restore_commands(text) if text[:1] in _LATEX_SIGNS else text).strip()


_LATEX_SIGNS = ("\t", "\x0c", "\x08", "\r")
"""What JSON makes of the beginnings of LaTeX commands, such as that of a fraction."""


_WORDS = re.compile(r"[a-z]+")


def split_words(text: str) -> set[str]:
    """Return the words of a key or a short value, without case and signs."""
    return set(_WORDS.findall(text.casefold()))


def read_yes_or_no(said: str) -> bool | None:
    """Return whether the words say yes or no; None if they say neither or both."""
    found = split_words(said)
    yes, no = bool(found & {"yes", "true"}), bool(found & {"no", "false"})
    return yes if yes != no else None


def read_answer_field(said: str, question: Question, heard: HeardAnswers = None) -> str | None:
    """Return the answer in an answer field, which is a stated answer by its place.

    A field with the name of an agent alone, such as "the negative side's", has the agent's answer.
    """
    if question.kind == "text":
        return read_name(said, question, heard) or extract(said, question)
    answer = extract(f"Final answer: {said}", question, heard=heard) if said else None
    return read_name(said, question, heard) if answer is None else answer
