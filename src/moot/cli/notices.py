"""What a command says on standard error before it begins: models it keeps, caps it may exceed."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moot.cli.console import say
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_some,
    format_things,
    make_visible,
)
from moot.core.recorded_settings import CastSettings, WithinSettings, read_settings
from moot.core.stored import Arm
from moot.debate.agent_config import COUNTS, models_in
from moot.debate.debate_settings import DebateSettings
from moot.debate.protocol import registry as protocols
from moot.debate.protocol_settings import REDRAWS, list_marked
from moot.models.model_names import show_name
from moot.runtime.budget import Budget
from moot.studies.task import ReadyArm

NAMED = 3
"""Arms that are named of each model; of further ones only the number."""


def report_kept_models(arms: Sequence[Arm], model: str | None) -> dict[str, list[str]]:
    """Say on standard error which models ``--model`` does not replace; return them with arms."""
    kept: dict[str, list[str]] = {}
    for arm in arms if model is not None else ():
        for name in models_in(arm.settings):
            if name != model:
                kept.setdefault(name, []).append(arm.name)
    if not kept or model is None:
        return kept
    partly = {arm for named in kept.values() for arm in named}
    heard = sum(model in models_in(arm.settings) for arm in arms)
    told = f"--model {show_name(model)} speaks in {heard} of {format_things(len(arms), 'method')}"
    if not heard:
        told = f"--model {show_name(model)} replaces nothing"
    elif heard + len(partly) > len(arms):
        told += ", in some of them beside others"
    sys.stderr.write(make_visible(f"{told}: these models are named in the study and stay:") + "\n")
    for name, named in kept.items():
        told = f"  {show_name(name)}: {format_some(named, NAMED)}"
        sys.stderr.write(make_visible(told) + "\n")
    sys.stderr.write(
        "  to replace them, extend the study and set model under [settings], or in these arms\n"
    )
    return kept


def say_seats(arms: Mapping[str, Mapping[str, Any]], roles: Mapping[str, Sequence[str]]) -> None:
    """Say on standard error which model each seat has, and where models begin again.

    Args:
        arms: the settings of debates whose seats have models in turn, by the arm's name.
        roles: the roles of their protocols, by the same.
    """
    for arm, settings in arms.items():
        seats = list_seats(settings, roles[arm])
        say(make_visible(f"{arm}: {seats}"), err=True)


def report_seats(arms: Sequence[Arm], models: Sequence[str]) -> None:
    """Say which seats of a study's arms have the models of ``--models``, and which arms none.

    Args:
        arms: of the study.
        models: the models, in their order.
    """
    seated = {
        arm.name: arm
        for arm in arms
        if (cast := read_settings(arm.settings, CastSettings).cast)
        and all(each.get("model") in models for each in cast)
    }
    say_seats(
        {name: arm.settings for name, arm in seated.items()},
        {name: protocols.get(arm.protocol).roles for name, arm in seated.items()},
    )
    if others := [arm.name for arm in arms if arm.name not in seated]:
        say(make_visible(f"--models has no part in: {format_some(others, NAMED)}"), err=True)


def list_seats(settings: Mapping[str, Any], roles: Sequence[str]) -> str:
    """Return the models of the seats in words: ``seats: a, b, a (again); chair: a``.

    Where several roles have as many seats as a setting says, each begins with its name: ``seats:
    member a, member b, juror a (again)``.
    """
    nodes, own = (
        read_settings(settings, WithinSettings).nodes,
        read_settings(settings, CastSettings),
    )
    cast, parts, met = nodes[0]["cast"] if nodes else own.cast, [], set[str]()
    for entry, role in zip(cast, _name_roles(settings, roles, len(cast)), strict=True):
        name = f"{role * ('role' not in entry)} {show_name(entry['model'])}".strip()
        again = " (again)" if entry["model"] in met else ""
        met.add(entry["model"])
        parts.append(f"{entry['role']} {name}{again}" if "role" in entry else f"{name}{again}")
    seated = {COUNTS.get(name) for name in settings} | {entry.get("role") for entry in cast}
    others = [role for role in roles[1:] if role not in seated]
    rest = f"; {', '.join(others)}: {show_name(own.model or '')}" if others else ""
    each = " in each node" if nodes else ""
    return f"{format_things(len(cast), 'seat')}{each}: {', '.join(parts)}{rest}"


def _name_roles(settings: Mapping[str, Any], roles: Sequence[str], many: int) -> list[str]:
    """Return the role of each seat where several roles share them; else no name for each."""
    counted = {role: settings[name] for name, role in COUNTS.items() if role and name in settings}
    shared = [role for role, number in counted.items() for _ in range(number)]
    if not shared or len(shared) > many:
        return [""] * many
    return [*[roles[0]] * (many - len(shared)), *shared]


def warn_unshown(arms: Iterable[ReadyArm]) -> None:
    """Say on standard error where a user's prompts do not show what others said, and ours do."""
    told: dict[str, list[str]] = {}
    for ready in arms:
        for each in ready.pack.unshown:
            told.setdefault(f"{ready.overlay}: {each}", []).append(ready.arm.name)
    for lack, names in told.items():
        of = format_some(names, NAMED)
        said = f"{lack}: not shown, so that its agent does not read this ({of})"
        say(make_visible(said), err=True)


def warn_same_draws(arms: Iterable[ReadyArm]) -> None:
    """Say on standard error where one prompt is drawn several times at temperature 0."""
    found: dict[str, list[str]] = {}
    for ready in arms:
        usual = ready.settings.agents.temperature
        heats = {usual, *(one.get("temperature") for one in ready.settings.cast)}
        drawn = ready.settings.pick(list_marked(ready.settings.protocol.own, REDRAWS))
        often = [f"{name} = {value}" for name, value in drawn.items() if value > 1]
        if often and heats <= {0, None} and usual is not None:
            found.setdefault(", ".join(often), []).append(ready.arm.name)
    for drawn_often, names in found.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        told = (
            f"{names[0]}{more}: {drawn_often}: at temperature = 0 most models give one reply to all"
        )
        say(make_visible(f"{told} draws of a prompt"), err=True)


def warn_unlimited_replies(budget: Budget, settings: DebateSettings) -> None:
    """Say on standard error that replies in flight can exceed a cap, where they can."""
    caps = [f"{format_count(budget.tokens)} tokens"] if budget.tokens is not None else []
    caps += [format_dollars(budget.cost)] if budget.cost is not None else []
    if caps and None in set(settings.reply_limits):
        say(
            f"cap {' and '.join(caps)}: replies have no max_tokens, so those in flight can exceed "
            "it; until the first ones show how long they are, few are asked for at once, and the "
            "first may already exceed it",
            err=True,
        )
