"""The debate behind a gate: any protocol whose first round is handed to it."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.recorded_settings import WithinSettings, read_settings
from moot.debate.debate import Debate
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import list_common
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import OMITTED

InnerDebate = Annotated[
    str | dict[str, Any],
    Meta(
        description="the protocol of the debate, or a table with it and settings of its own: "
        '{protocol = "free-mad"}'
    ),
]
Threshold = Annotated[
    Annotated[float, Meta(ge=0, le=1)] | None,
    Meta(description="accepts a signal above this: a number, or a file that moot tune wrote"),
]
FittedOn = Annotated[
    str,
    Meta(
        description="the file that the threshold comes from, and its hash; it is filled in",
        extra=OMITTED,
    ),
]
SHARED = ("agents", "rounds", "stop")
"""The settings of a gate that its debate has, too."""
VOTER = "voter"
"""The role of agents that a gate seats itself."""
STOPS = "consensus,exchange,deadlock"
"""The stops of the debate behind an agreement gate, where nothing else is set."""


class _Gate(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a gate."""

    inner: str | dict[str, Any]
    cast: list[dict[str, Any]] = []
    stop: str = STOPS
    confidence: str | None = None


def resolve_inner(
    settings: dict[str, Any],
    where: str,
    overlay: Path | None = None,
    *,
    handed: bool = True,
    seated: str = VOTER,
) -> dict[str, Any]:
    """Return the settings of a gate with those of its debate worked out: a table under ``inner``.

    Args:
        settings: of the gate.
        where: their place, for errors.
        overlay: the user's file of prompts.
        handed: whether the debate is handed what was said first, as its first round.
        seated: the role of agents that the gate seats itself.

    Raises:
        InputError: the debate cannot be handed a first round, or stand behind a gate at all, or has
            not this setting.
    """
    own = read_settings(settings, _Gate)
    table = {"protocol": own.inner} if isinstance(own.inner, str) else dict(own.inner)
    place, name = f"{where}: inner", table.pop("protocol", None)
    if not isinstance(name, str):
        raise InputError(f"{place}: protocol: name the protocol of the debate, got {name!r}")
    protocol = registry.get(name, where=place)
    if protocol.needs_answer:
        raise InputError(f"{place}: {name} needs a known right answer, and is for studies alone")
    if handed and not protocol.first_role:
        able = ", ".join(each.name for each in registry if each.first_role)
        raise InputError(
            f"{place}: {name} does not begin with agents that each answer alone, so that it cannot "
            f"be handed their replies; {able} can"
        )
    for key in table.keys() & set(list_common()):
        raise InputError(f"{place}: {key}: set it for the gate; its agents are those of the debate")
    known = protocol.setting_names
    shared = {key: settings[key] for key in SHARED if key in settings and key in known}
    for key, value in shared.items():
        if table.get(key, value) != value:
            raise InputError(f"{place}: {key}: set it for the gate, which hands it on")
    if own.stop not in {"", STOPS} and "stop" not in known:
        raise InputError(f"{where}: stop: {name} has no setting stop")
    for number, one in enumerate(own.cast, 1):
        if one.get("role", seated) not in (roles := [*protocol.roles, seated]):
            raise UnknownName("role", one["role"], roles, where=f"{where}: agents[{number}]")
    common = {key: settings[key] for key in list_common() if key in known and key in settings}
    checked = protocol.check(common | {"cast": []} | shared | table, where=place, overlay=overlay)
    kept = {key: each for key, each in checked.items() if key not in list_common()}
    return settings | {"inner": {"protocol": name, **kept}}


def ask_for_confidence(
    settings: dict[str, Any], where: str, overlay: Path | None = None
) -> dict[str, Any]:
    """Return what ``resolve_inner`` does, with agents that are asked how sure they are, in percent.

    Nothing is set where the setting ``confidence`` is, or where a style asks for it itself.
    """
    resolved = resolve_inner(settings, where, overlay)
    pack = registry.get(resolved["inner"]["protocol"]).pack(overlay)
    own = any(pack.step(style).reads_as != "answer" for style in DebateSettings(settings).styles)
    asked = read_settings(settings, _Gate).confidence
    return resolved if asked or own else resolved | {"confidence": "percent"}


def enter_inner(debate: Debate) -> tuple[Protocol, Debate]:
    """Return the protocol of the debate behind a gate, and that debate, in place of the gate's."""
    settings = debate.context.settings
    table = read_settings(settings, WithinSettings).inner
    protocol = registry.get(table["protocol"])
    known = {*list_common()} & settings.keys()
    own = {key: each for key, each in table.items() if key != "protocol"}
    return protocol, debate.enter(protocol, {key: settings[key] for key in known} | own)
