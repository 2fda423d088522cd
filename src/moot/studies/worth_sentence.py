"""The sentence of a sequential study."""

from msgspec.structs import replace
from moot.core.worth import Statement


def describe_statement(found: Statement) -> Statement:
    return replace(found, sentence="; ".join(f"{m.arm}: {m.class_}" for m in found.methods))
