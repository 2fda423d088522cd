"""Faithful: a debate follows its paper, or the paper's code, by a bundle of settings."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Mapping, Sequence
from typing import Any

from moot.core.errors import InputError, UnknownName
from moot.core.stored import Arm
from moot.debate.debate_settings import DebateSettings
from moot.debate.faithful import SOURCE_NAMES, describe_arms, list_settings
from moot.debate.feature import Feature
from moot.debate.protocol import Protocol
from moot.debate.protocol_settings import Sourced
from moot.prompts.packs import Pack
from moot.prompts.source_file import READINGS


class Faithful(Feature):
    """Takes settings and words of a source where paper, code and moot differ."""

    names = ("faithful",)
    Settings = Sourced
    for_nodes = True

    def expand(
        self, given: Mapping[str, Any], protocol: Protocol, place: str, pack: Pack
    ) -> dict[str, Any]:
        """Return given settings with those of the source that are not given."""
        source = given["faithful"]
        known = isinstance(source, str) and source in protocol.sources
        return {**(dict(list_settings(protocol, source, given)) if known else {}), **given}

    def keep(
        self, given: Mapping[str, Any], settings: Mapping[str, Any], protocol: Protocol
    ) -> set[str]:
        """Return settings that are given in place of the source's: unrecorded, these came back."""
        source = settings["faithful"]
        if source not in protocol.sources:
            return set()
        return given.keys() & dict(list_settings(protocol, source, settings))

    def fits(self, value: object, protocol: Protocol, place: str) -> bool:
        """Return whether a protocol follows a source. Raise ``UnknownName`` where there is none."""
        if not isinstance(value, str):  # one for each arm, or what ``check`` refuses
            return "faithful" in protocol.setting_names
        if value not in READINGS:
            raise UnknownName("source", value, READINGS, where=f"{place}: faithful")
        return value in protocol.sources

    def describe(self, arms: Sequence[Arm]) -> list[str]:
        """Return a sentence on each source that arms follow, and how far."""
        return describe_arms(arms)

    def find_source(self, own: Sourced) -> str:
        """Return the source: prompts have its words where it has some."""
        return own.faithful

    def check(self, own: Sourced, whole: DebateSettings, place: str, pack: Pack) -> Sourced:
        """Return the settings. Raise ``InputError`` for a source that there is not."""
        protocol = whole.protocol
        if own.faithful not in protocol.sources:
            there = " or ".join(f"faithful = {each!r}" for each in protocol.sources)
            raise InputError(
                f"{place}: faithful = {own.faithful!r}: {SOURCE_NAMES[own.faithful]} is not "
                f"followed by {protocol.name}; it has {there}, or 'ours'"
            )
        return own


FEATURE = Faithful()
