"""``--set key=value`` and ``--agent key=value,…``, as several commands take them."""

import re
from collections.abc import Iterable
from typing import Any

from moot.core.errors import InputError, UnknownName


def parsed(settings: Iterable[str]) -> dict[str, Any]:
    """Settings by name. Numbers and truth values stay text: whoever has the type converts them.

    What is a JSON list or object is taken as one.
    """
    found: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--set {text}: write --set key=value, e.g. --set agents=3")
        if key in found:
            raise InputError(f"--set {text}: {key} is set twice")
        found[key] = _listed(_plain(value))
    return found


def agents(listed: Iterable[str]) -> list[dict[str, Any]]:
    """Agents with a model, style or sampling of their own, each value of its type.

    A comma separates only where ``key=`` follows it. An empty text is an agent like all others.

    Raises:
        InputError: naming the agent, the key and what would be right.
    """
    return [_agent(text) for text in listed]


def _agent(text: str) -> dict[str, Any]:
    import msgspec

    from moot.debate.cast import Casting
    from moot.studies.checks import plainly

    where = f"--agent {text}"
    entry: dict[str, str | None] = {}
    for pair in re.split(r",(?=\s*[\w-]+=)", text) if text.strip() else ():
        key, equals, value = pair.strip().partition("=")
        if not equals:
            raise InputError(f"{where}: write --agent key=value,…, e.g. --agent temperature=0.2")
        if key not in Casting.__struct_fields__:
            raise UnknownName("key", key, Casting.__struct_fields__, where=where)
        if key in entry:
            raise InputError(f"{where}: {key} is set twice")
        entry[key] = _plain(value)
    try:
        made = msgspec.convert(entry, Casting, strict=False)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        raise InputError(f"{where}: {place.strip('`')}: {plainly(message)}") from None
    return {key: getattr(made, key) for key in entry}


def _plain(value: str) -> str | None:
    """A value without what people leave out or write their own way."""
    if value.startswith("."):
        value = f"0{value}"  # as people write a half
    return None if value.lower() in {"none", "null"} else value


def _listed(value: str | None) -> Any:  # noqa: ANN401 -- a list or table of anything
    """A JSON list or object, where it is one; else whoever has the type says what is wrong."""
    if value is None or not value.lstrip().startswith(("[", "{")):
        return value
    import msgspec

    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value
