"""``--set key=value``, as several commands take it."""

from collections.abc import Iterable
from typing import Any

from moot.core.errors import InputError


def parsed(settings: Iterable[str]) -> dict[str, Any]:
    """Settings by name. Numbers and truth values stay text: whoever has the type converts them."""
    found: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--set {text}: write --set key=value, e.g. --set agents=3")
        if key in found:
            raise InputError(f"--set {text}: {key} is set twice")
        if value.startswith("."):
            value = f"0{value}"  # as people write a half
        found[key] = None if value.lower() in {"none", "null"} else value
    return found
