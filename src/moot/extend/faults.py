"""Errors: faults with their places, names that are not known, and what is no JSON."""

from moot.core.errors import (
    DamagedError,
    ToolServerDown,
    check_known,
    describe_not_utf8,
    place_errors,
    split_fault,
)
from moot.core.given_json import decode_json

__all__ = [
    "DamagedError",
    "ToolServerDown",
    "check_known",
    "decode_json",
    "describe_not_utf8",
    "place_errors",
    "split_fault",
]
