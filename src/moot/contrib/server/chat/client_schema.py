"""The JSON schema of a client: what is refused before the debate, and the check of a reply.

Both are bounded: a short schema can ask for a check that never ends.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any
from urllib.parse import unquote

import msgspec

from moot import InputError
from moot.contrib.server.http_errors import HttpRefusal
from moot.extend.faults import decode_json

EXPANDED = 10_000
"""The most schemas in a schema whose references are written out."""
STEPS = 100_000
"""The most keywords that the check of a reply applies: about a second of the processor's time."""
UNCHECKED = ("pattern", "patternProperties")
"""Keywords that are refused: an expression can be made to take hours on a short text."""
ROOT_ONLY = ("$schema", "$id")
"""Keywords that only the whole schema may have: below it they change what a reference means."""

_ONE = frozenset({"not", "if", "then", "else", "additionalProperties", "items", "contains"})
_ONE |= {"propertyNames", "unevaluatedItems", "unevaluatedProperties"}
_LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_TABLE = frozenset({"properties", "dependentSchemas", "$defs", "definitions"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords whose schemas are for the value itself, not for a part of it."""


class CheckTooLong(InputError):
    """The check of a reply takes more than ``STEPS``."""


def check_client_schema(schema: dict[str, Any], where: str) -> None:
    """Raise ``HttpRefusal`` for a schema that cannot be followed, or not be checked safely."""
    import jsonschema

    if schema.get("type") != "object":
        raise _refuse(where, "it must describe an object: type = 'object'")
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise _refuse(where, error.message) from None
    except RecursionError:
        raise _refuse(where, "it is nested too deeply") from None
    parts = _find_parts(schema)
    for pointer, part in parts.items():
        if isinstance(part, dict):
            _check_keywords(part, pointer, parts, where)
    _check_expansion(parts, where)


def _find_parts(schema: dict[str, Any]) -> dict[str, object]:
    """Return the schemas in a schema, itself included, by their JSON pointers."""
    found: dict[str, object] = {"": schema}
    waiting = [""]
    for pointer in waiting:  # it grows
        for _, place, part in _list_inner(found[pointer]):
            found[f"{pointer}/{place}"] = part
            waiting.append(f"{pointer}/{place}")
    return found


def _list_inner(schema: object) -> Iterator[tuple[str, str, object]]:
    """Yield the schemas directly in a schema: the keyword, the place and the schema."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if keyword in _ONE:
            yield keyword, keyword, value
        elif keyword in _LIST:
            yield from ((keyword, f"{keyword}/{at}", each) for at, each in enumerate(value))
        elif keyword in _TABLE:
            for name, each in value.items():
                escaped = name.replace("~", "~0").replace("/", "~1")
                yield keyword, f"{keyword}/{escaped}", each


def _check_keywords(
    part: dict[str, Any], pointer: str, parts: Mapping[str, object], where: str
) -> None:
    if odd := part.keys() & {*UNCHECKED, "$dynamicRef"}:
        raise _refuse(where, f"{min(odd)!r} is not checked here; leave it out")
    if pointer and (odd := part.keys() & set(ROOT_ONLY)):
        raise _refuse(where, f"{min(odd)!r} is for the whole schema; leave it out below")
    target = part.get("$ref")
    if target is None:
        return
    if not target.startswith("#"):
        raise _refuse(where, f"$ref {target[:80]!r}: only parts of the schema itself")
    if unquote(target[1:]) not in parts:
        raise _refuse(where, f"$ref {target[:80]!r}: the schema has no such part")


def _check_expansion(parts: Mapping[str, object], where: str) -> None:
    """Follow all references; each but once on the way down, so a schema may contain itself."""
    root = frozenset({""})
    waiting = [(parts[""], root, root)]
    for _ in range(EXPANDED):
        if not waiting:
            return
        part, here, above = waiting.pop()
        if not isinstance(part, dict):
            continue
        for keyword, _, inner in _list_inner(part):
            if keyword not in _DEFINITIONS:
                waiting.append((inner, here if keyword in _IN_PLACE else frozenset(), above))
        if (target := part.get("$ref")) is None:
            continue
        pointer = unquote(target[1:])
        if pointer in here:
            raise _refuse(where, f"$ref {target[:80]!r}: it leads back to itself without end")
        if pointer not in above:
            waiting.append((parts[pointer], here | {pointer}, above | {pointer}))
    raise _refuse(where, f"with its references written out it has more than {EXPANDED:,} schemas")


def _refuse(where: str, why: str) -> HttpRefusal:
    return HttpRefusal(f"{where}: {why[:300]}", "unsupported_schema", param=where)


def read_object(
    reply: str, schema: Mapping[str, Any], known: Mapping[str, Any] | None = None
) -> tuple[str | None, str]:
    """Return the object in a reply as JSON, or None and what is wrong with it.

    Args:
        reply: of the model.
        schema: the client's.
        known: properties whose values are known; they stand in place of the reply's.
    """
    from referencing.exceptions import Unresolvable

    begin, end = reply.find("{"), reply.rfind("}") + 1
    try:
        value = decode_json((reply[begin:end] if 0 <= begin < end else reply).encode())
    except InputError:
        return None, "it is not JSON"
    if isinstance(value, dict):
        value |= known or {}
    try:
        faults = sorted(
            _make_validator(schema).iter_errors(value), key=lambda fault: list(map(str, fault.path))
        )
    except (Unresolvable, RecursionError) as error:
        return None, f"the schema cannot be followed ({type(error).__name__})"
    except CheckTooLong as error:
        return None, str(error)
    if faults:
        at = "/".join(map(str, faults[0].path)) or "the object"
        return None, f"{at}: {faults[0].message[:200]}"
    return msgspec.json.encode(value).decode(), ""


def find_fault(value: object, schema: Mapping[str, Any]) -> str:
    """Return the first fault of a value; empty where it follows the schema."""
    import jsonschema

    fault = next(jsonschema.Draft202012Validator(schema).iter_errors(value), None)
    return "" if fault is None else fault.message[:200]


def _make_validator(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 -- a class made here
    """Return a validator that raises ``CheckTooLong`` after ``STEPS`` keywords."""
    import jsonschema
    from referencing import Registry

    plain, steps = jsonschema.Draft202012Validator, count()

    def limit(check: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:  # noqa: ANN401 -- passed on as they are
            if next(steps) >= STEPS:
                raise CheckTooLong(f"its check takes more than {STEPS:,} steps; write less")
            return check(*given)

        return run

    bounded = jsonschema.validators.extend(
        plain, {keyword: limit(check) for keyword, check in plain.VALIDATORS.items()}
    )
    own = {name: value for name, value in schema.items() if name not in ROOT_ONLY}
    # An empty registry: nothing that a schema names is fetched.
    return bounded(own, registry=Registry())
