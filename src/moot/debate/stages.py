"""Stages: a debate ends after one of them, and goes on from what is given of earlier ones."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, check_known
from moot.debate.protocol_settings import OMITTED

StageFormulas = Mapping[str, tuple[str, str]]
"""By the name of each stage, in order, the formulas of its fewest and its most calls."""


class Staged(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of protocols that have stages."""

    until: Annotated[
        str,
        Meta(description="the stage after which it ends, without a verdict", extra=OMITTED),
    ] = ""
    draft: Annotated[
        dict[str, Any] | None,
        Meta(
            description="stages that are given, by name: they are not asked, and none before them",
            extra=OMITTED,
        ),
    ] = None


class StageReached(Exception):
    """A debate has reached the end of the stage after which it is to end."""


def check_stages(settings: dict[str, Any], stages: StageFormulas, where: str) -> dict[str, Any]:
    """Return the settings with each stage up to the last that is given; None stands for no content.

    Args:
        settings: those of ``Staged`` among others.
        stages: of the protocol.
        where: names the protocol in errors.

    Raises:
        UnknownName: a stage that the protocol does not have.
        InputError: the debate is to end before a stage that is given.
    """
    if not stages:
        return settings
    names, given, until = list(stages), settings["draft"] or {}, settings["until"]
    check_known("stage", [until] if until else [], names, where=f"{where}: until")
    check_known("stage", given, names, where=f"{where}: draft")
    last = max((place for place, name in enumerate(names) if given.get(name)), default=-1)
    if until and last > names.index(until):
        raise InputError(
            f"{where}: until = {until!r}: the draft already has the {names[last]}; take it out, or "
            "end later"
        )
    filled = {name: given.get(name) or None for name in names[: last + 1]}
    return {**settings, "draft": filled or None}


def count_asked(
    whole: tuple[int, int],
    stages: StageFormulas,
    settings: Mapping[str, Any],
    count: Callable[..., int],
) -> tuple[int, int]:
    """Return the fewest and the most calls, without stages that are given or come too late.

    Args:
        whole: those of a debate that nothing is given and that goes on to its end.
        stages: of the protocol.
        settings: every setting in force.
        count: from a formula, and whether it is of the most calls (1) or the fewest (0), to calls.
    """
    until, given, names = settings.get("until"), settings.get("draft") or {}, list(stages)
    if not until and not given:
        return whole
    asked = names[: names.index(until) + 1] if until else names

    def add_up(end: int) -> int:
        calls = {name: count(formulas[end], end=end) for name, formulas in stages.items()}
        rest = 0 if until else whole[end] - sum(calls.values())
        return rest + sum(calls[name] for name in asked if name not in given)

    return add_up(0), add_up(1)


def count_given_turns(settings: Mapping[str, Any]) -> int:
    """Return the most turns that record what is given: one for each part of a stage."""
    content = (settings.get("draft") or {}).values()
    return sum(len(each) if isinstance(each, list) else each is not None for each in content)
