"""The controls of a debate: the arms that tell why it is better or worse than a vote.

Of a debate in which all agents revise their answers once, each control changes one thing of what
they are shown. Their first rounds are the same calls, which are paid for once and are also the
first draws of self-consistency.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.core.recorded_settings import read_settings
from moot.core.stored import Arm
from moot.debate.feature import list_common
from moot.debate.protocol import registry as protocols
from moot.protocols import SAMPLES

EXPOSURE, SOCIETY, ALONE = "exposure", "society-of-minds", "self-correction"
REPEATED = ("nothing", "stances")
"""The ways that are drawn twice: the second draw tells how much chance alone changes."""
WAYS = (*REPEATED, "vacuous", "reasons", "unrelated", "echo")
"""The ways of ``exposure`` that controls compare."""
VOTE, SAMPLED = "vote", "samples"
"""The controls that are votes: of as many samples as agents, and as calls of the debate."""
ANALYSES = ("contrasts", "flip-sources", "predictors", "ceiling")
"""The analyses of controls."""
FIRST_REVISION = 2
"""The rounds of the arms that are compared: later, the arms differ in more than what is shown."""

_PLAIN: Mapping[str, Mapping[str, Any]] = {
    SOCIETY: {"exchange": "simultaneous", "summary": False, "memory": "chat"},
    EXPOSURE: {"shows": "reasons"},
}
"""The settings of a debate that controls fit."""


class _ControlledSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings by which debates and their controls are told apart."""

    agents: int = 1
    rounds: int = 0
    samples: int = 0
    opening: str = "open"
    cast: list[dict[str, Any]] = []
    repeats: bool = False
    aggregate: str | int | bool | None = None


class ControlSet(NamedTuple):
    """Arms that differ in what agents are shown before they revise their answers for once.

    Attributes:
        agents: how many debate.
        arms: by way, or by ``vote`` and ``samples``.
        others: names of arms that do the same as one of these and are left out.
    """

    agents: int
    arms: dict[str, Arm]
    others: tuple[str, ...]


def list_speech() -> list[str]:
    """Return the settings that say how the agents of a debate speak."""
    return [name for name in list_common() if name != "cast"]


def find_misfit(arm: Arm) -> str:
    """Return why controls do not fit an arm; empty where they do."""
    wanted = _PLAIN.get(arm.protocol)
    if wanted is None:
        return f"its protocol is {arm.protocol}"
    for name, value in wanted.items():
        if name in arm.settings and (has := arm.settings[name]) != value:
            return f"{name} is {has!r}"
    own = read_settings(arm.settings, _ControlledSettings)
    if own.agents < 2:
        return "it has one agent"
    if own.rounds < FIRST_REVISION:
        return "it has one round"
    if own.opening != "open":
        return "it has an opening"
    return "its agents differ" if own.cast else ""


def add_controls(
    arms: Iterable[Arm], file: str, overlay: Callable[[str], Path | None] = lambda _: None
) -> Iterator[Arm]:
    """Yield the arms to add to a study so that each debate has its controls beside it.

    What two debates share is added once, and what the study has is not added.

    Args:
        arms: of the study.
        file: for error texts.
        overlay: returns the file of prompts of an arm.

    Raises:
        InputError: controls fit no arm of the study, or two arms would have one name.
    """
    arms = tuple(arms)
    misfits = {arm.name: find_misfit(arm) for arm in arms}
    if all(misfits.values()):
        reasons = "; ".join(f"{name}: {why}" for name, why in misfits.items())
        raise InputError(
            f"{file}: controls = true: they fit no arm ({reasons}); they are of society-of-minds, "
            "and of exposure with shows = 'reasons', with at least 2 agents and 2 rounds"
        )
    had = {_name_work(arm) for arm in arms}
    names = {arm.name for arm in arms}
    for arm in arms:
        for name, protocol, given in () if misfits[arm.name] else _list_wanted(arm):
            settings = protocols.get(protocol).check(given, overlay=overlay(arm.prompts))
            made = Arm(name=name, protocol=protocol, settings=settings, prompts=arm.prompts)
            if _name_work(made) in had:
                continue
            if name in names:
                raise InputError(f"{file}: controls = true: there is an arm {name!r}; rename it")
            had.add(_name_work(made))
            names.add(name)
            yield made


def _name_work(arm: Arm) -> tuple[str, str, str]:
    """Return what two arms have in common of which one is enough."""
    if way := _find_way(arm):
        own = read_settings(arm.settings, _ControlledSettings)
        return way, f"{own.repeats}", _name_family(arm)
    return arm.protocol, arm.prompts, _freeze(arm.settings)


def _list_wanted(arm: Arm) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, protocol and settings of every control of an arm."""
    has = arm.settings
    speech = {name: has[name] for name in list_speech() if name in has}
    shared = {
        name: has[name]
        for name in ("agents", "agreement", "peers", "match_length", "donors", "decision")
        if name in has
    }
    for way in WAYS:
        if way == "reasons" and has["rounds"] == FIRST_REVISION:
            continue
        more = {"rounds": FIRST_REVISION, "shows": way, "repeats": way in REPEATED}
        donors = {"donors": True} if way == "unrelated" else {}  # off where nothing is borrowed
        yield f"{arm.name}: {way}", EXPOSURE, speech | shared | more | donors
    for rounds in dict.fromkeys((1, FIRST_REVISION, has["rounds"])):
        samples = has["agents"] * rounds
        yield f"{arm.name}: vote of {samples}", SAMPLES, speech | {"samples": samples}


def _freeze(settings: Mapping[str, Any]) -> str:
    return repr(sorted(settings.items()))


def find_control_sets(arms: Iterable[Arm]) -> list[ControlSet]:
    """Return the sets of arms that are controls of each other, in the order of their first arms.

    A set has at least two ways. Arms belong together whose models and ways to speak, number of
    agents and decision rule are the same, and which revise answers once. Of several that show the
    same, the one with second draws is taken, else the first.
    """
    sets: dict[str, ControlSet] = {}
    votes: list[Arm] = []
    for arm in arms:
        own = read_settings(arm.settings, _ControlledSettings)
        if arm.protocol == SAMPLES and not own.aggregate:
            votes.append(arm)
        elif way := _find_way(arm):
            made = sets.setdefault(_name_family(arm), ControlSet(own.agents, {}, ()))
            sets[_name_family(arm)] = _add_arm(made, way, arm)
    found = []
    for made in sets.values():
        if len(made.arms) < 2:
            continue
        like = next(iter(made.arms.values()))
        kept = {**made.arms}
        for vote in votes:
            rounds = {made.agents: VOTE, made.agents * FIRST_REVISION: SAMPLED}
            way = rounds.get(read_settings(vote.settings, _ControlledSettings).samples, "")
            if way and _speak_alike(vote, like):
                kept.setdefault(way, vote)
        found.append(made._replace(arms=kept))
    return found


def _find_way(arm: Arm) -> str:
    """Return what an arm that revises once shows; empty for any other arm."""
    has = arm.settings
    if has.get("rounds") != FIRST_REVISION or has.get("agents", 1) < 2:
        return ""
    if arm.protocol == EXPOSURE:
        return str(has["shows"])
    if arm.protocol == ALONE and not has["critique"] and has["memory"] == "chat":
        return "nothing"
    return "" if arm.protocol != SOCIETY or find_misfit(arm) else "reasons"


def _name_family(arm: Arm) -> str:
    """Return what arms of one set have in common."""
    has = arm.settings
    own = {name: has.get(name) for name in ("agents", "agreement", "peers", "cast", "decision")}
    return _freeze(
        {**{name: has.get(name) for name in list_speech()}, **own, "prompts": arm.prompts}
    )


def _add_arm(made: ControlSet, way: str, arm: Arm) -> ControlSet:
    had = made.arms.get(way)
    if had is None or (_repeats(arm) and not _repeats(had)):
        kept = made._replace(arms=made.arms | {way: arm})
        return kept if had is None else kept._replace(others=(*made.others, had.name))
    return made._replace(others=(*made.others, arm.name))


def _repeats(arm: Arm) -> bool:
    return read_settings(arm.settings, _ControlledSettings).repeats


def _speak_alike(vote: Arm, arm: Arm) -> bool:
    one, other = vote.settings, arm.settings
    same = all(one.get(name) == other.get(name) for name in list_speech())
    own = read_settings(vote.settings, _ControlledSettings)
    return same and vote.prompts == arm.prompts and not own.cast


def name_analyses(named: Iterable[str]) -> tuple[str, ...]:
    """Return the analyses of a study with controls: those that it names, and those of controls."""
    return tuple(dict.fromkeys((*named, *ANALYSES)))
