"""Tool arguments: what the JSON schema of a tool says of them, whatever its server writes there."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from moot.extend.words import on_one_line

MOST_SHOWN = 12
"""The most arguments of a tool that a prompt names."""
LONGEST_NAME = 60
"""Characters of the longest name of an argument that a prompt shows."""
_EXAMPLES: dict[str, Any] = {
    "string": "...",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}
"""A value of each type that JSON has."""


class ToolArgument(NamedTuple):
    """An argument of a tool.

    Attributes:
        name: the server's name for it.
        types: those of JSON that it may have; empty where the schema names none.
        required: whether each call needs it.
    """

    name: str
    types: tuple[str, ...]
    required: bool

    @property
    def is_shown(self) -> bool:
        """Whether a prompt can show its name as it is."""
        return len(self.name) <= LONGEST_NAME and on_one_line(self.name) == self.name

    def describe(self) -> str:
        """Return what a prompt says of it: ``"limit": integer (optional)``."""
        told = " or ".join(self.types) or "value"
        return f"{json.dumps(self.name, ensure_ascii=False)}: {told}" + (
            "" if self.required else " (optional)"
        )


def list_arguments(schema: Mapping[str, Any]) -> list[ToolArgument]:
    """Return the arguments that a schema names, those that each call needs first."""
    fields = schema.get("properties") or {}
    required = dict.fromkeys(schema.get("required") or ())
    names = {**required, **fields}
    return [ToolArgument(name, _types_of(fields.get(name)), name in required) for name in names]


def _types_of(field: object) -> tuple[str, ...]:
    """Return the types of JSON that a field may have, each once."""
    return tuple(dict.fromkeys(_find_types(field))) if isinstance(field, dict) else ()


def _find_types(field: dict[str, Any]) -> Iterator[str]:
    named = field.get("type")
    for each in named if isinstance(named, list) else [named]:
        if isinstance(each, str) and each in _EXAMPLES:
            yield each
    for ways in (field.get("anyOf"), field.get("oneOf")):
        for way in ways if isinstance(ways, list) else ():
            yield from _types_of({"type": way.get("type")} if isinstance(way, dict) else None)


def describe_arguments(arguments: Sequence[ToolArgument]) -> str:
    """Return what a prompt says of arguments; how many it does not show is told."""
    shown = [each for each in arguments if each.is_shown][:MOST_SHOWN]
    told = [each.describe() for each in shown]
    told += [f"… and {left} more"] if (left := len(arguments) - len(shown)) else []
    return f"{{{', '.join(told)}}}"


def write_example(arguments: Sequence[ToolArgument]) -> str:
    """Return the arguments of a call as JSON: those that it needs, or the first one."""
    shown = [each for each in arguments if each.is_shown][:MOST_SHOWN]
    chosen = [each for each in shown if each.required] or shown[:1]
    values = {each.name: _EXAMPLES[next(iter(each.types), "string")] for each in chosen}
    return json.dumps(values, ensure_ascii=False)


def find_query(arguments: Sequence[ToolArgument]) -> str | None:
    """Return the name of the argument that a query can be; None where a query is not enough.

    It is the one that each call needs; where a call needs none, the first one that is a text.
    """
    needed = [each for each in arguments if each.required]
    texts = [each.name for each in needed or arguments if "string" in each.types]
    return texts[0] if texts and len(needed) < 2 else None
