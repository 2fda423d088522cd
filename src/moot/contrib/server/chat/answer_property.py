"""The property ``answer`` in a client's JSON schema: the type of its values, and their bounds.

SDKs write the same property in many ways: with annotations, as a reference, with null beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import unquote

ANNOTATIONS = frozenset(
    [
        *("$comment", "$schema", "default", "deprecated", "description", "example", "examples"),
        *("format", "nullable", "propertyOrdering", "readOnly", "title", "writeOnly"),
    ]
)
"""Keywords that restrict no value, or that JSON schema leaves unchecked; so do those of ``x-``."""
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength")
"""Keywords of one value that are checked once the answer is known."""
MOST_CHOICES = 26
"""The options that have a letter."""
TYPES = {"string": str, "boolean": bool, "integer": int, "number": int | float}

_MERGED = frozenset({"type", "enum", "const", *BOUNDS})
_JOINED = frozenset({"allOf", "anyOf", "oneOf"})
_DEEPEST = 16
"""References that are followed one after another."""
_MOST_PARTS = 100
"""Parts of a property that are looked at; a few may refer to one another without end."""


class AnswerProperty(NamedTuple):
    """The values of an answer.

    Attributes:
        type: their JSON type; ``string`` where there are choices.
        choices: the texts that it may be; empty where any is allowed.
        limits: keywords that its value is checked by.
    """

    type: str
    choices: tuple[str, ...] = ()
    limits: Mapping[str, Any] = {}


def read_answer_property(
    schema: Mapping[str, Any], root: Mapping[str, Any]
) -> AnswerProperty | None:
    """Return the values that a property allows; None where one answer cannot be all of them.

    Args:
        schema: of the property.
        root: the whole schema, in which references lead.
    """
    plain = _simplify(schema, root, iter(range(_MOST_PARTS)))
    if plain is None:
        return None
    listed = plain.get("enum", [])
    kind = plain.get("type") or _find_type(listed)
    limits = {name: plain[name] for name in BOUNDS if name in plain}
    if kind not in TYPES or not all(_is_of(each, kind) for each in listed):
        return None
    if not all(type(limit) in {int, float} for limit in limits.values()):
        return None
    if kind == "string" and listed:
        options = tuple(dict.fromkeys(listed))
        fits = not limits and all(options) and 2 <= len(options) <= MOST_CHOICES
        return AnswerProperty(kind, options) if fits else None
    if listed and not (kind == "boolean" and len({*listed}) == 2):
        limits["enum"] = listed
    return AnswerProperty(kind, limits=limits)


def resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return a schema with its reference followed; None where it leads nowhere in the root."""
    for _ in range(_DEEPEST):
        if "$ref" not in schema:
            return schema
        target = _find_part(schema["$ref"], root)
        if target is None:
            return None
        schema = {**target, **{name: each for name, each in schema.items() if name != "$ref"}}
    return None


def _find_part(pointer: object, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the part of a schema that a JSON pointer names, or None."""
    if not isinstance(pointer, str) or not pointer.startswith("#"):
        return None
    part: object = root
    for name in unquote(pointer[1:]).split("/")[1:]:
        if not isinstance(part, dict):
            return None
        part = part.get(name.replace("~1", "/").replace("~0", "~"))
    return part if isinstance(part, dict) else None


def _simplify(
    given: Mapping[str, Any], root: Mapping[str, Any], parts: Iterator[int]
) -> Mapping[str, Any] | None:
    """Return a schema without annotations, references and null; None for one that has more."""
    schema = resolve(given, root) if next(parts, None) is not None else None
    plain = {name: each for name, each in (schema or {}).items() if not is_annotation(name)}
    joined = [(name, plain.pop(name)) for name in sorted(_JOINED & plain.keys())]
    if isinstance(plain.get("type"), list):
        plain["type"] = _join_types(plain["type"])
    if "const" in plain:
        plain["enum"] = [plain.pop("const")]
    if "enum" in plain:
        listed = plain["enum"] if isinstance(plain["enum"], list) else []
        plain["enum"] = [each for each in listed if each is not None]
    for name, inner in joined:
        if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
            return None
        left = [_simplify(each, root, parts) for each in inner if not _is_null(each)]
        one = _merge(left) if name == "allOf" else _join(left)
        if one is None or (merged := _merge([plain, one])) is None:
            return None
        plain = merged
    known = plain.keys() <= _MERGED and plain.get("enum") != []
    return plain if known and isinstance(plain.get("type", ""), str) else None


def is_annotation(keyword: str) -> bool:
    """Whether a keyword restricts no value."""
    return keyword in ANNOTATIONS or keyword.startswith("x-")


def _is_null(schema: Mapping[str, Any]) -> bool:
    """Whether a schema allows null alone."""
    return schema.get("type") == "null" or schema.get("enum") == [None] or schema == {"const": None}


def _join(parts: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """Return the one schema that allows the values of any part.

    Parts are one alone, lists of values, or types with the same bounds.
    """
    whole = [part for part in parts if part is not None]
    if not whole or len(whole) < len(parts):
        return None
    if len(whole) == 1:
        return whole[0]
    if all("enum" in part and part.keys() <= {"type", "enum"} for part in whole):
        return {"enum": [each for part in whole for each in part["enum"]]}
    first, *others = [{**part, "type": None} for part in whole]
    if not all("type" in part for part in whole) or any(each != first for each in others):
        return None
    return {**whole[0], "type": _join_types([part["type"] for part in whole])}


def _merge(parts: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """Return the one schema that allows the values of every part; None where parts differ."""
    merged: dict[str, Any] = {}
    if None in parts:
        return None
    for name, value in chain.from_iterable(part.items() for part in parts if part):
        there = merged.setdefault(name, value)
        if name == "type" and sorted(map(str, (there, value))) == ["integer", "number"]:
            merged[name] = "integer"
        elif there != value:
            return None
    return merged


def _join_types(types: list[Any]) -> object:
    """Return the one type of a list, null left out; an integer is a number."""
    left = {each for each in types if isinstance(each, str)} - {"null"}
    if left == {"integer", "number"}:
        return "number"
    return left.pop() if len(left) == 1 else "several"


def _find_type(values: Sequence[Any]) -> str | None:
    """Return the type of all of these values; None for none, or for several."""
    return next((name for name in TYPES if values and all(_is_of(e, name) for e in values)), None)


def _is_of(value: object, kind: str) -> bool:
    """Whether a value is of a type; in JSON a truth value is no number."""
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
