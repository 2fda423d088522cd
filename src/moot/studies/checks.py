"""Reading values of a study file: what is wrong in them is said in the file's own words."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from moot.core.errors import InputError, check_known, place_errors, simplify_message, split_fault

S = TypeVar("S", bound=msgspec.Struct)


def convert_table(kind: type[S], raw: Mapping[str, Any], *, where: str) -> S:
    """Convert a table to a struct of this kind. Raises ``InputError`` naming the key."""
    check_known("key", raw, kind.__struct_fields__, where=where)
    try:
        with place_errors(where):
            return msgspec.convert(dict(raw), kind)
    except msgspec.ValidationError as error:
        key, fault = split_fault(error)
        raise InputError(f"{where}: {f'{key}: ' if key else ''}{simplify_message(fault)}") from None


def check_text(value: object, where: str) -> str:
    """Return a text; raises ``InputError`` for any other value and for an empty one."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: expected a text, got {value!r}")
    return value


def check_count(value: object, where: str, *, least: int = 1) -> int | None:
    """Return a whole number, or None for None; raises ``InputError`` for any other value."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(f"{where}: expected a whole number, got {value!r}")
    if value is not None and value < least:
        raise InputError(f"{where} = {value}: must be at least {least}")
    return value
