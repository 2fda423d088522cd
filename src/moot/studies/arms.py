"""The arms of a study file: one for each table, or a grid of them where settings have lists."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from os.path import isfile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError, UnknownName, check_known, place_errors
from moot.core.files import expand_home
from moot.core.stored import Arm
from moot.debate.agent_config import MODELS
from moot.debate.debate_settings import check_questions, resolve_paths
from moot.debate.feature import CROWDS, find_feature, has_hook
from moot.debate.own_method import adopt, is_own, show_name
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.studies.checks import check_text
from moot.studies.extends import StudyEntry
from moot.studies.fitted import fill_fitted
from moot.studies.round_robin import ROUND_ROBIN, pair_models
from moot.studies.study import OURS

Prompts = str | list[str] | None


def choose_arms(arms: Sequence[Arm], patterns: Sequence[str]) -> tuple[Arm, ...]:
    """Return the arms of these names or protocols, or patterns of them; all without a pattern.

    Raises:
        UnknownName: a pattern of no arm.
    """
    for pattern in patterns:
        if not any(_matches(arm, pattern) for arm in arms):
            known = {arm.name for arm in arms} | {arm.protocol for arm in arms}
            raise UnknownName("arm", pattern, known, where="--arm")
    if not patterns:
        return tuple(arms)
    return tuple(arm for arm in arms if any(_matches(arm, pattern) for pattern in patterns))


def _matches(arm: Arm, pattern: str) -> bool:
    return arm.name == pattern or any(
        fnmatchcase(each, pattern) for each in (arm.name, arm.protocol)
    )


def expand_arms(
    entries: Sequence[StudyEntry],
    common: Mapping[str, Any],
    file: str,
    fallback: Mapping[str, Any],
    prompts: Prompts = None,
    folder: Path | None = None,
) -> Iterator[Arm]:
    """Yield every arm; a setting with a list of values makes an arm for each.

    Args:
        entries: the tables, as they stand in the file and in those it extends.
        common: the settings of the study, for the arms that have them; a list of values here makes
            an arm for each of every arm that has the setting.
        file: for error texts.
        fallback: what holds where neither says anything.
        prompts: the files of prompts of the study, each of which makes an arm of every arm that
            names none itself; a single file makes none.
        folder: what the files of prompts are relative to.

    Raises:
        InputError: naming file, arm and key.
    """
    if not entries:
        raise InputError(f"{file}: arms: a study needs at least one [[arms]]")
    names: set[str] = set()
    arms: dict[tuple[str, str, bytes], str] = {}
    for _, where, table in entries:
        entry = dict(table)
        protocol = _find_protocol(entry.pop("protocol", None), folder or Path(), where)
        stem = check_text(entry.pop("name", show_name(protocol.name)), f"{where}: name")
        packs = _prompt_axis(
            entry.pop("prompts", prompts if isinstance(prompts, list) else None), where
        )
        _check_keys(protocol, entry, where)
        entry |= {
            key: value
            for key, value in common.items()
            if _has_setting(protocol, key, value, file) and key not in entry
        }
        robin: dict[str, dict[str, Any]] = {"": {}}
        if ROUND_ROBIN in entry:
            robin = pair_models(protocol, entry, fallback, where)
            entry = {key: entry[key] for key in entry if key not in {ROUND_ROBIN, MODELS, *CROWDS}}
        points = list(product(*_axes(protocol, entry, where), packs))
        for (pair, seats), point in product(robin.items(), points):
            suffix = ",".join(filter(None, (pair, *(each.shown for each in point))))
            name = f"{stem} {suffix}".strip()
            if name in names:
                raise InputError(f"{where}: two arms are named {name!r}; give one a name = …")
            names.add(name)
            place = f"{where}, {suffix}" if suffix else where
            *values, pack = point
            chosen = {each.key: each.value for each in values}
            overlay = find_overlay(pack.value or prompts, folder)
            stated = {**entry, **chosen, **seats}
            given = {**_fall_back(protocol, fallback, stated), **stated}
            named = given.get(protocol.fitted_setting)
            given |= fill_fitted(named, protocol, folder, where=place)
            settings = protocol.check(given, where=place, overlay=overlay)
            same = (protocol.name, pack.value, msgspec.json.encode(settings, order="sorted"))
            if (twin := arms.setdefault(same, name)) != name:
                raise InputError(f"{where}: {name!r} is the same as the arm {twin!r}")
            yield Arm(name=name, protocol=protocol.name, settings=settings, prompts=pack.value)


def _find_protocol(given: object, folder: Path, where: str) -> Protocol:
    """Return the protocol of an arm, by its name, its file in the folder, or as it is."""
    if isinstance(given, Protocol):
        return adopt(given)
    name = check_text(given, f"{where}: protocol")
    if not is_own(name):
        return protocols.get(name, where=where)
    with place_errors(where):
        return protocols.get(str(folder / expand_home(name, "protocol")), where=where)


def prepare_settings(
    protocol: Protocol,
    given: Mapping[str, Any],
    folder: Path,
    *,
    where: str,
    overlay: Path | None = None,
) -> dict[str, Any]:
    """Return the settings of a debate as a file gives them, with what its files and names mean.

    Args:
        protocol: the protocol.
        given: the settings; others have their defaults.
        folder: what the files in them are relative to.
        where: the place of the settings, for errors.
        overlay: a file of prompts laid over moot's own.

    Raises:
        InputError: they do not fit the protocol, or a file that they name cannot be read.
        UnknownName: the protocol has no such setting.
    """
    made = resolve_paths(given, folder)
    named = made.get(protocol.fitted_setting)
    made |= fill_fitted(named, protocol, folder, where=where)
    checked = protocol.check(made, where=where, overlay=overlay)
    check_questions(protocol.read(checked), {}, where)
    return made


def _fall_back(
    protocol: Protocol, fallback: Mapping[str, Any], stated: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what holds where an arm says nothing: models only where it names none itself.

    They go round the seats that the protocol has by default: the number of agents stays.
    """
    kept = dict(fallback)
    models = kept.pop(MODELS, None)
    own = {"model", "cast", MODELS} & stated.keys()
    if models is None or own or any(isinstance(stated.get(crowd), list) for crowd in CROWDS):
        return kept
    fields = {each.name: each.default for each in msgspec.structs.fields(protocol.own)}
    return {name: fields[name] for name in CROWDS if name in fields} | {MODELS: models, **kept}


def find_overlay(prompts: object, folder: Path | None) -> Path | None:
    """Return the file of prompts of an arm, which may have styles; None for moot's own."""
    if folder is None or not isinstance(prompts, str) or prompts in {"", OURS}:
        return None
    return folder / prompts if isfile(folder / prompts) else None  # noqa: PTH113 - false for a name that no file can have


def _check_keys(protocol: Protocol, entry: Mapping[str, Any], where: str) -> None:
    """Check that the protocol has every setting; any takes a list of agents, and of models."""
    fields = protocol.setting_names
    for key, value in entry.items():
        is_list = key in CROWDS and isinstance(value, list)
        if key not in {*fields, MODELS, ROUND_ROBIN} and not is_list:
            valid = ["name", "protocol", "prompts", ROUND_ROBIN, *fields]
            raise UnknownName("key", key, valid, where=where)


class _Value(NamedTuple):
    """One value of a setting that makes an arm, and how the arm's name shows it."""

    key: str
    shown: str
    value: Any


def _axes(protocol: Protocol, entry: Mapping[str, Any], where: str) -> Iterator[list[_Value]]:
    """Yield the values of each setting that has a list of them.

    A list that a setting takes as it is, as one of agents, makes no arms; a list of these does.
    """
    for key, values in entry.items():
        if not isinstance(values, list):
            continue
        if not values:
            raise InputError(
                f"{where}: {key} = []: a list makes an arm for each value; it is empty"
            )
        if not protocol.takes_value(key, values):
            yield [
                _Value(key, _show_value(key, n, value), value) for n, value in enumerate(values, 1)
            ]


def _prompt_axis(prompts: object, where: str) -> list[_Value]:
    """Return the files of prompts of an arm; one that stands alone is not in the arm's name."""
    if prompts is None:
        return [_Value("prompts", "", "")]
    place = f"{where}: prompts"
    if not isinstance(prompts, list):
        return [_Value("prompts", "", check_text(prompts, place))]
    if not prompts:
        raise InputError(f"{place} = []: a list makes an arm for each file; it is empty")
    return [_Value("prompts", f"prompts={check_text(each, place)}", each) for each in prompts]


def _show_value(key: str, number: int, value: object) -> str:
    """Return a setting as an arm's name shows it; a list or a table by its place in the grid."""
    if isinstance(value, list | dict):
        return f"{key}#{number}"
    return f"{key}={str(value).lower() if isinstance(value, bool) else value}"


def _has_setting(protocol: Protocol, key: str, value: object, file: str) -> bool:
    """Return whether a protocol has a setting of the study. Raises where no protocol has it."""
    feature = find_feature(key)
    if feature is not None and has_hook(feature, "fits"):
        return feature.fits(value, protocol, f"{file}: settings")
    if key in protocol.setting_names:
        return True
    every = {name for each in protocols for name in each.setting_names}
    check_known("setting", [key], every, where=f"{file}: settings")
    return False
