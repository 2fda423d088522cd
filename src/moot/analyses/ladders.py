"""Ladders: the arms of a study that differ in one setting alone, and in that step by step.

Arms of one protocol that have everything in common but how many agents, samples or rounds there
are show how accuracy scales; those that differ in their temperature alone, what that does. A
temperature for each agent (``agents = [{temperature = 0.2}, …]``) counts as one way of setting it,
"varied": the list grows with the number of agents, and the arm's own temperature has no part in
it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from moot.core.recorded_settings import CastSettings, SizeSettings, read_settings
from moot.core.stored import Arm

StepSetting = Literal["agents", "samples", "rounds", "temperature", "agreement"]
SIZES: tuple[StepSetting, ...] = ("agents", "samples", "rounds")
"""The settings that say how large a debate is."""
STEPS: tuple[StepSetting, ...] = (*SIZES, "temperature")

VARIED = "varied temperature"

_json = msgspec.json.Encoder(order="deterministic").encode


class Rung(NamedTuple):
    """One arm of a ladder, and the value it has of the setting."""

    arm: str
    size: float


class Ladder(NamedTuple):
    """Arms that differ in one setting.

    Attributes:
        setting: by its name.
        varied: True when every agent has a temperature of its own.
        label: what tells it from other ladders of its protocol and setting; empty if it is alone.
        rungs: from the least to the greatest value, two or more.
    """

    protocol: str
    setting: StepSetting
    varied: bool
    label: str
    rungs: tuple[Rung, ...]


def find_ladders(arms: Sequence[Arm], settings: Sequence[StepSetting] = STEPS) -> list[Ladder]:
    """Return every ladder that these arms hold, by setting, in the order of the arms."""
    return [each for setting in settings for each in _of(setting, arms)]


def describe_differences(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe for each of several mappings of settings those in which they differ."""
    keys = list(dict.fromkeys(key for each in settings for key in each))
    apart = [key for key in keys if len({_json(each.get(key)) for each in settings}) > 1]
    return [
        ", ".join(_word(key, each[key]) for key in apart if each.get(key) not in (None, []))
        for each in settings
    ]


def _of(setting: StepSetting, arms: Sequence[Arm]) -> list[Ladder]:
    """Return the ladders along one setting."""
    grouped: dict[tuple[str, bytes], list[Rung]] = {}
    common: dict[tuple[str, bytes], dict[str, Any]] = {}
    for arm in arms:
        size = arm.factors.get(setting)
        varied = _has_varied_temperature(arm.settings)
        if not isinstance(size, int | float) or (varied and setting == "temperature"):
            continue
        rest = {key: value for key, value in arm.factors.items() if key != setting}
        if varied:
            rest |= {"cast": [], "temperature": VARIED}
        key = arm.protocol, _json(rest)
        grouped.setdefault(key, []).append(Rung(arm.name, float(size)))
        common[key] = rest
    found = {key: rungs for key, rungs in grouped.items() if len(rungs) > 1}
    words: dict[tuple[str, bytes], str] = {}
    for protocol in dict.fromkeys(protocol for protocol, _ in found):
        own = [key for key in found if key[0] == protocol]
        words |= dict(zip(own, describe_differences([common[key] for key in own]), strict=True))
    return [
        Ladder(
            protocol=key[0],
            setting=setting,
            varied=common[key].get("temperature") == VARIED,
            label=words[key],
            rungs=tuple(sorted(rungs, key=lambda rung: rung.size)),
        )
        for key, rungs in found.items()
    ]


def _has_varied_temperature(settings: Mapping[str, Any]) -> bool:
    """Whether each agent that is counted has a temperature of its own, and they are not all one."""
    cast, size = read_settings(settings, CastSettings).cast, read_settings(settings, SizeSettings)
    counted = size.agents if size.samples is None else size.samples
    return (
        len(cast) == counted
        and all(set(entry) == {"temperature"} for entry in cast)
        and len({entry["temperature"] for entry in cast}) > 1
    )


def _word(key: str, value: object) -> str:
    if value == VARIED:
        return VARIED
    if isinstance(value, bool):
        return f"{key}={str(value).lower()}"
    return f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
