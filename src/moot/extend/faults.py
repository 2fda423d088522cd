"""Errors: faults with their places, names that are not known, and what is no JSON."""

from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import (
    NOT_JSON,
    DamagedError,
    ToolServerDown,
    check_known,
    describe_not_utf8,
    place_errors,
    split_fault,
)

__all__ = [
    "NOT_JSON",
    "DamagedError",
    "ToolServerDown",
    "check_known",
    "describe_not_json",
    "describe_not_utf8",
    "drop_mark",
    "place_errors",
    "split_fault",
]
