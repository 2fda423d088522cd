"""The arms of a study file: one for each table, or a grid of them where settings have lists."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.stored import Arm
from moot.debate.cast import CROWDS
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.studies.checks import text
from moot.studies.extends import Entry

Point = tuple[str, dict[str, Any]]


def arms_of(
    entries: Sequence[Entry],
    common: Mapping[str, Any],
    file: str,
    fallback: Mapping[str, Any],
) -> Iterator[Arm]:
    """Every arm; a setting with a list of values makes an arm for each.

    Args:
        entries: the tables, as they stand in the file and in those it extends.
        common: the settings of the study, for the arms that have them; a list of values here makes
            an arm for each of every arm that has the setting.
        file: for error texts.
        fallback: what holds where neither says anything.

    Raises:
        InputError: naming file, arm and key.
    """
    if not entries:
        raise InputError(f"{file}: arms: a study needs at least one [[arms]]")
    names: set[str] = set()
    arms: dict[tuple[str, bytes], str] = {}
    for _, where, table in entries:
        entry = dict(table)
        protocol = protocols.get(
            text(entry.pop("protocol", None), f"{where}: protocol"), where=where
        )
        stem = text(entry.pop("name", protocol.name), f"{where}: name")
        _known(protocol, entry, where)
        entry |= {
            key: value
            for key, value in common.items()
            if _has(protocol, key, file) and key not in entry
        }
        for suffix, point in _grid(protocol, entry, where):
            name = f"{stem} {suffix}".strip()
            if name in names:
                raise InputError(f"{where}: two arms are named {name!r}; give one a name = …")
            names.add(name)
            place = f"{where}, {suffix}" if suffix else where
            settings = protocol.check({**fallback, **entry, **point}, where=place)
            same = (protocol.name, msgspec.json.encode(settings, order="sorted"))
            if (twin := arms.setdefault(same, name)) != name:
                raise InputError(f"{where}: {name!r} is the same as the arm {twin!r}")
            yield Arm(name=name, protocol=protocol.name, settings=settings)


def _known(protocol: Protocol, entry: Mapping[str, Any], where: str) -> None:
    """Whether the protocol has every setting; any has a list of agents, if not a number of them."""
    fields = protocol.settings.__struct_fields__
    for key, value in entry.items():
        if key not in fields and not (key in CROWDS and isinstance(value, list)):
            raise UnknownName("key", key, ["name", "protocol", *fields], where=where)


def _grid(protocol: Protocol, entry: Mapping[str, Any], where: str) -> Iterator[Point]:
    """Every point of the grid that the lists of an arm make, and what tells its name apart.

    A list that a setting takes as it is, as one of agents, makes none; a list of these does.
    """
    axes: list[list[tuple[str, str, Any]]] = []
    for key, values in entry.items():
        if not isinstance(values, list):
            continue
        if not values:
            raise InputError(
                f"{where}: {key} = []: a list makes an arm for each value; it is empty"
            )
        if not protocol.takes(key, values):
            axes.append([(key, _short(key, n, value), value) for n, value in enumerate(values, 1)])
    for point in product(*axes):
        suffix = ",".join(shown for _, shown, _ in point)
        yield suffix, {key: value for key, _, value in point}


def _short(key: str, number: int, value: object) -> str:
    """A setting as an arm's name has it, as in TOML; a list or a table by its place in the grid."""
    if isinstance(value, list | dict):
        return f"{key}#{number}"
    return f"{key}={str(value).lower() if isinstance(value, bool) else value}"


def _has(protocol: Protocol, key: str, file: str) -> bool:
    """Whether a protocol has a setting of the study; one that no protocol has is an error."""
    if key in protocol.settings.__struct_fields__:
        return True
    every = {name for each in protocols for name in each.settings.__struct_fields__}
    if key not in every:
        raise UnknownName("setting", key, every, where=f"{file}: settings")
    return False
