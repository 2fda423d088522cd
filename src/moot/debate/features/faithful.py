"""Faithful: a debate follows its paper, or the paper's code, by a bundle of settings."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Mapping
from typing import Any

from moot.core.errors import InputError
from moot.debate.debate_settings import DebateSettings
from moot.debate.faithful import SOURCE_NAMES, list_settings
from moot.debate.feature import Feature
from moot.debate.protocol import Protocol
from moot.debate.protocol_settings import Sourced
from moot.prompts.packs import Pack


class Faithful(Feature):
    """Where paper, code and moot differ, settings and words are those of a source."""

    names = ("faithful",)
    Settings = Sourced

    def expand(
        self, given: Mapping[str, Any], protocol: Protocol, place: str, pack: Pack
    ) -> dict[str, Any]:
        """Return given settings with those of the source that are not given."""
        source = given["faithful"]
        known = isinstance(source, str) and source in protocol.sources
        return {**(dict(list_settings(protocol, source, given)) if known else {}), **given}

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
