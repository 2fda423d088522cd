"""Casting: different models, temperatures and prompt styles for the agents of one debate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from moot.core.calls import Sampling
from moot.core.errors import InputError, UnknownName
from moot.core.ports import Model
from moot.debate.agents import Voice
from moot.debate.settings import Temperature, Tokens, TopP

CROWDS = ("agents", "samples")
"""The settings that a list of agents counts itself."""
COUNTS = (*CROWDS, "reasonings", "experts")
"""The settings that say how many agents of a role there are."""


class Casting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one agent, or every agent of one role, has of its own; the rest is the debate's.

    Attributes:
        role: whose it is; without one it is the next seat's.
    """

    role: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    style: str | UnsetType = UNSET
    temperature: Temperature | UnsetType | None = UNSET
    top_p: TopP | UnsetType | None = UNSET
    max_tokens: Tokens | UnsetType | None = UNSET


def called_up(given: Mapping[str, Any], own: Sequence[str], *, where: str) -> dict[str, Any]:
    """The settings with ``agents = [{…}, …]`` as a cast, and as a number where there is one.

    Raises:
        InputError: the list cannot be read, or is given twice.
    """
    settings = dict(given)
    for name in CROWDS:
        crowd = _decoded(settings.get(name), f"{where}: setting {name}")
        if not isinstance(crowd, list | tuple):
            continue
        for number, one in enumerate(crowd, 1):
            if not isinstance(one, Mapping):
                raise InputError(f"{where}: {name}[{number}]: expected a table, got {one!r}")
        if settings.get("cast"):
            raise InputError(f"{where}: {name} lists agents, and so does cast; keep one of the two")
        del settings[name]
        settings["cast"] = list(crowd)
        alone = [one for one in crowd if "role" not in one]
        if name in own and alone:
            settings[name] = len(alone)
    if "cast" in settings:
        settings["cast"] = _decoded(settings["cast"], f"{where}: setting cast")
    return settings


def _decoded(value: object, where: str) -> Any:  # noqa: ANN401 -- a setting is anything
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError as error:
        raise InputError(
            f'{where}: {error}; write a JSON list, e.g. [{{"temperature": 0.2}}, {{}}]'
        ) from None


def checked(
    cast: Sequence[Any],
    roles: Sequence[str],
    styles: Sequence[str],
    *,
    crowd: bool,
    where: str,
) -> list[dict[str, Any]]:
    """The entries, each value of its type. An error names the entry.

    Args:
        cast: the entries.
        roles: those the protocol seats; empty when it does not say.
        styles: the prompt styles there are.
        crowd: True where a setting counts the agents without a role.
        where: for the error's text.

    Raises:
        UnknownName: a key, role or style that does not exist.
        InputError: a value of the wrong type or out of range, or more entries than seats.
    """
    made = []
    for number, entry in enumerate(cast, 1):
        place = f"{where}: agents[{number}]"
        for key in entry:
            if key not in Casting.__struct_fields__:
                raise UnknownName("key", key, Casting.__struct_fields__, where=place)
        try:
            casting = msgspec.convert(entry, Casting)
        except msgspec.ValidationError as error:
            message, _, at = str(error).partition(" - at `$.")
            told = f"{message[:1].lower()}{message[1:]}"
            raise InputError(f"{place}: {at.strip('`')}: {told}") from None
        if casting.role is not UNSET and roles and casting.role not in roles:
            raise UnknownName("role", casting.role, roles, where=place)
        if casting.style is not UNSET and casting.style not in styles:
            raise UnknownName("style", casting.style, styles, where=place)
        made.append(msgspec.to_builtins(casting))
    named = {entry["role"] for entry in made if "role" in entry}
    alone = sum("role" not in entry for entry in made)
    seats = [role for role in roles if role not in named]
    if roles and not crowd and alone > len(seats):
        raise InputError(
            f"{where}: agents: {alone} are listed without a role, for {len(seats)} seats that no "
            f"role of the list takes: {', '.join(seats) or 'none'}"
        )
    return made


def speaking(settings: Mapping[str, Any]) -> Iterator[str]:
    """The names of all models that may speak in a debate with these settings, each once."""
    named = [settings["model"]]
    named += [entry["model"] for entry in settings.get("cast", ()) if "model" in entry]
    for node in settings.get("nodes", ()):
        named += speaking({"model": settings["model"], **node})
    yield from dict.fromkeys(named)


def styles(settings: Mapping[str, Any]) -> set[str]:
    """The prompt styles that agents of a debate with these settings may answer in."""
    found = {settings["style"]} if "style" in settings else set()
    found |= {entry["style"] for entry in settings.get("cast", ()) if "style" in entry}
    for node in settings.get("nodes", ()):
        found |= styles(node)
    return found


def voices(
    settings: Mapping[str, Any], model: Callable[[str], Model]
) -> Callable[[int, str], Voice]:
    """Who speaks for the agent at a seat, counted from 0, with a role.

    An entry of the cast with a role is for all agents of that role; those without one are for the
    seats in order, those whose role has an entry left out. Later entries go over earlier ones.
    """
    cast: Sequence[dict[str, Any]] = settings.get("cast", ())
    alone = iter([entry for entry in cast if "role" not in entry])
    by_seat: dict[int, dict[str, Any]] = {}
    by_role: dict[str, dict[str, Any]] = {}
    for entry in cast:
        if "role" in entry:
            by_role[entry["role"]] = by_role.get(entry["role"], {}) | entry

    @cache
    def voice(seat: int, role: str) -> Voice:
        own = by_role.get(role)
        if own is None:
            if seat not in by_seat:  # seats are taken in order
                by_seat[seat] = next(alone, {})
            own = by_seat[seat]
        had = {**settings, **own}
        return Voice(
            model=model(had["model"]),
            style=had["style"],
            sampling=Sampling(
                temperature=had["temperature"],
                top_p=had["top_p"],
                max_tokens=had["max_tokens"],
                seed=had["seed"],
            ),
            context=had["context"],
        )

    return voice
