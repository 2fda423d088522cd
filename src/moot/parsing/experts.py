"""Experts: the roles that a role assigner recruits for a question (AgentVerse)."""

import re
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.json_fields import load_json, split_words
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser
from moot.parsing.plain_text import make_plain

_LONGEST = 200
"""The most characters of a role."""


def experts_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a list of experts, for models that follow one."""
    roles = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    return object_schema({"experts": roles})


class Experts(Reading, frozen=True, kw_only=True):
    """The experts that a role assigner recruits.

    Attributes:
        roles: what each expert is, in the order named: one line of at most 200 characters.
    """

    roles: tuple[str, ...]


@parser(reading=Experts, schema=experts_schema)
def parse_experts(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the experts that a reply lists.

    JSON is read with fences, text around it and small damage, as an object, an array, or an array
    of objects. Without JSON, the numbered lines are read, else those with a bullet, else all that
    are short and no sentence. Of a reply that was cut off the last role does not count.

    Source: debate framework settings, Agentverse.
    """
    items = _items(load_json(text, _JSON, finished=finished))
    if len(items) == 1 and "\n" in items[0]:
        items = _find_listed(items[0], finished=True)
    roles = tuple(filter(None, map(_role, items or _find_listed(text, finished=finished))))
    return Parsed(None, Experts(roles=roles) if roles else None)


_JSON = re.compile(r"[\[{]\s{0,20}(?:[\[{]\s{0,20})?[\"']|\{\s{0,20}(?:experts|roles)\b")
_NAMES = frozenset(("expert", "experts", "role", "roles", "agents", "critics", "members", "team"))


def _items(loaded: Any) -> list[str]:  # noqa: ANN401 - JSON is anything
    """Return the items of an array, of the array in an object, or of an object with keys."""
    while isinstance(loaded, dict):
        values = [value for key, value in loaded.items() if split_words(str(key)) & _NAMES]
        values = values or list(loaded.values())
        arrays = [value for value in values if isinstance(value, list)]
        alone = len(values) == 1 and isinstance(values[0], dict)
        loaded = arrays[0] if arrays else values[0] if alone else values
    found = []
    for item in loaded if isinstance(loaded, list) else ():
        parts = item.values() if isinstance(item, dict) else (item,)
        found.append(": ".join(part for part in parts if isinstance(part, str)))
    return [item for item in found if item]


_TAIL = 24_000
"""Characters read of a longer reply: a list follows what leads up to it."""

_NUMBERED = re.compile(
    r"([ \t]*)[-*•#>_]{0,4} ?(?:(?:expert|role|agent|critic) ?)?#?\d{1,2} ?[.):-](?=[\s*_])",
    re.IGNORECASE,
)
_BULLETED = re.compile(r"([ \t]*)[-*•+]\s")


def _find_listed(text: str, *, finished: bool) -> list[str]:
    """Return the lines of a reply's list, without the lists within it."""
    lines = text[-_TAIL:].split("\n")
    if not finished:
        lines.pop()
    for begins in (_NUMBERED, _BULLETED):
        starts = [(len(match[1]), line) for line in lines if (match := begins.match(line))]
        if starts:
            outermost = min(indent for indent, _ in starts)
            return [line for indent, line in starts if indent == outermost]
    return [line for line in lines if line[:1].isalpha() and _is_short(line.rstrip())]


def _is_short(line: str) -> bool:
    return len(line) <= 100 and not line.endswith((":", ".", "!", "?"))


_LEAD = re.compile(
    r"(?:[-*•+#>\"'`_\s]|(?:expert|role|agent|critic)? ?#?\d{1,2} ?[.):-](?=[\s*_])"
    r"|(?:expert|role|agent|critic) ?:){1,9}",
    re.IGNORECASE,
)


def _role(item: str) -> str:
    """Return the role in an item of a list: one line without its number and its markdown."""
    line = item[lead.end() :] if (lead := _LEAD.match(item)) else item
    line = " ".join(make_plain(line).split()).strip(" \"'`*_,;|")
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rpartition(" ")[0] or line[:_LONGEST]
    return line
