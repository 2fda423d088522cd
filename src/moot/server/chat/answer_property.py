"""The property ``answer`` in a client's JSON schema: the type of its values, and their bounds.

SDKs write the same property in many ways: with annotations, as a reference, with null beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

ANNOTATIONS = frozenset(
    [
        *("$comment", "$schema", "default", "deprecated", "description", "example", "examples"),
        *("format", "nullable", "readOnly", "title", "writeOnly"),
    ]
)
"""Keywords that restrict no value, or that JSON schema leaves unchecked."""
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
    plain = {name: each for name, each in (schema or {}).items() if name not in ANNOTATIONS}
    for name in _JOINED & plain.keys():
        inner = plain.pop(name)
        if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
            return None
        left = [_simplify(each, root, parts) for each in inner if not _is_null(each)]
        one = _join(left, every=name == "allOf")
        if one is None or plain.keys() & one.keys() - {"type"}:
            return None
        plain |= one
    if isinstance(plain.get("type"), list):
        plain["type"] = _join_types(plain["type"])
    if "const" in plain:
        plain["enum"] = [plain.pop("const")]
    if "enum" in plain:
        listed = plain["enum"] if isinstance(plain["enum"], list) else []
        plain["enum"] = [each for each in listed if each is not None]
    known = plain.keys() <= _MERGED and plain.get("enum") != []
    return plain if known and isinstance(plain.get("type", ""), str) else None


def _is_null(schema: Mapping[str, Any]) -> bool:
    """Whether a schema allows null alone."""
    return schema.get("type") == "null" or schema.get("enum") == [None] or schema == {"const": None}


def _join(parts: Sequence[Mapping[str, Any] | None], *, every: bool) -> Mapping[str, Any] | None:
    """Return the one schema of parts: of one alone, or of lists of values."""
    if len(parts) == 1:
        return parts[0]
    lists = [
        part["enum"]
        for part in parts
        if part and part.keys() <= {"type", "enum"} and "enum" in part
    ]
    if every or not parts or len(lists) < len(parts):
        return None
    return {"enum": [each for listed in lists for each in listed]}


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
