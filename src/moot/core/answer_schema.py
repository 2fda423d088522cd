"""The JSON schema of a debated answer, made from the types of its parts."""

from collections.abc import Mapping
from typing import Any, get_type_hints

import msgspec

from moot.core.answer import KEYS, Answer
from moot.core.readings import RecordedReading

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def make_answer_schema(more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON schema of what ``moot ask --json`` prints.

    An answer that was stopped has all keys, too; then ``run`` is null, and so are keys of which
    nothing is known.

    Args:
        more: the types of further keys, by name.
    """
    fields = {**_types_of_keys(), **(more or {})}
    stopped = {name: kind | None for name, kind in fields.items()}
    made = msgspec.defstruct("DebatedAnswer", [*stopped.items()])
    schema = msgspec.json.schema(made, schema_hook=_describe_reading)
    for each in schema["$defs"].values():
        each.pop("description", None)  # the docstring, which speaks of Python
        _drop_tag(each)
    return {"$schema": DRAFT, **schema}


def _drop_tag(component: dict[str, Any]) -> None:
    """Remove the key that tells events apart: turns and nodes stand without it."""
    if component.get("properties", {}).pop("event", None):
        component["required"] = [each for each in component["required"] if each != "event"]


def _types_of_keys() -> dict[str, Any]:
    fields = get_type_hints(Answer)
    return {
        key: fields.get(key) or get_type_hints(getattr(Answer, key).fget)["return"] for key in KEYS
    }


def _describe_reading(kind: type) -> dict[str, Any]:
    """Return the schema of a turn's reading: an object with its kind, or null."""
    if kind is not RecordedReading:
        raise NotImplementedError
    return {"type": ["object", "null"], "properties": {"kind": {"type": "string"}}}
