"""Errors: faults with their places, names that are not known, and what is no JSON."""

from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import (
    NOT_JSON,
    DamagedError,
    ToolServerDown,
    check_known,
    place_errors,
    split_fault,
)

__all__ = [
    "NOT_JSON",
    "DamagedError",
    "ToolServerDown",
    "check_known",
    "describe_not_json",
    "drop_mark",
    "place_errors",
    "split_fault",
]
