"""Round robins: an arm for each ordered pair of models, on the first two roles of a protocol."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from moot.core.errors import InputError
from moot.debate.agent_config import COUNTS, MODELS, decode_list
from moot.debate.protocol import Protocol
from moot.models.model_names import show_name

ROUND_ROBIN = "round_robin"
"""The key of an arm that stands for one arm of each ordered pair of its models."""
PAIR = 2
"""How many roles a pair takes."""


def pair_models(
    protocol: Protocol, entry: Mapping[str, Any], fallback: Mapping[str, Any], where: str
) -> dict[str, dict[str, Any]]:
    """Return the settings of an arm of each ordered pair of models: the first has the first role.

    The keys are what tells arms apart: ``a against b``.

    Seats of a role that a setting counts, such as jurors, have the other models in turn, or those
    of the pair where there are no others. Without that setting there are as many as such models, at
    most the protocol's own number. A single model plays against itself, in one arm.

    Args:
        protocol: of the arm.
        entry: the arm's table; its ``models`` take part, else those of the command line.
        fallback: what holds where the arm says nothing.
        where: for error texts.

    Raises:
        InputError: the protocol has no two roles, or a model stands twice in the list.
    """
    if entry[ROUND_ROBIN] is not True:
        raise InputError(f"{where}: {ROUND_ROBIN} = {entry[ROUND_ROBIN]!r}: write true")
    if len(protocol.roles) < PAIR:
        raise InputError(f"{where}: {ROUND_ROBIN}: {protocol.name} has no two roles to pair")
    models = _list_models(entry, fallback) or [str(getattr(protocol.base(), "model", ""))]
    if twice := {each for each in models if models.count(each) > 1}:
        raise InputError(f"{where}: {MODELS}: {', '.join(sorted(twice))} stands twice in the list")
    names = _name_models(models)
    pairs = list(permutations(models, PAIR)) or [(models[0], models[0])]
    usual = {"model": entry.get("model", models[0])}
    return {
        f"{names[one]} against {names[other]}": usual
        | _seat_pair(protocol, entry, models, (one, other))
        for one, other in pairs
    }


def _list_models(entry: Mapping[str, Any], fallback: Mapping[str, Any]) -> list[str]:
    """Return the models that take part; empty where none is named."""
    for table in (entry, fallback):
        named = decode_list(table.get(MODELS), MODELS)
        if named:
            listed = named.split(",") if isinstance(named, str) else named
            return [str(each).strip() for each in listed]
        if table.get("model"):
            return [table["model"]]
    return []


def _name_models(models: Sequence[str]) -> dict[str, str]:
    """Return each model's name without options, where that tells them apart."""
    shown = {each: show_name(each) for each in models}
    same = [name for name in shown.values() if [*shown.values()].count(name) > 1]
    return {
        each: f"{name} #{place}" if name in same else name
        for place, (each, name) in enumerate(shown.items(), 1)
    }


def _seat_pair(
    protocol: Protocol, entry: Mapping[str, Any], models: Sequence[str], pair: tuple[str, str]
) -> dict[str, Any]:
    """Return the agents of a pair: its own, then those that the arm lists, else the others."""
    cast: list[dict[str, Any]] = [
        {"role": role, "model": model} for role, model in zip(protocol.roles, pair, strict=False)
    ]
    listed = decode_list(entry.get("agents", entry.get("cast")), "agents")
    if listed:
        return {"cast": [*cast, *listed]}
    own = protocol.own()
    counted = [name for name in protocol.own.__struct_fields__ if COUNTS.get(name)]
    rest = [each for each in models if each not in pair] or models
    settings: dict[str, Any] = {}
    for name in counted:
        settings[name] = entry.get(name) or min(getattr(own, name), len(rest))
        cast += [{"model": rest[place % len(rest)]} for place in range(settings[name])]
    return {**settings, "cast": cast}
