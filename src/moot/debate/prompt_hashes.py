"""Hashes of all prompts that a debate may use, those of its sub-debates included."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from moot.core.recorded_settings import WithinSettings, read_settings
from moot.debate.debate_settings import list_prompts
from moot.debate.protocol import Protocol, registry


def hash_packs(
    protocol: Protocol,
    settings: Mapping[str, Any],
    overlay: Path | None,
    kinds: Collection[str] = (),
) -> Iterator[str]:
    """Yield the content hashes of all prompts that a debate with these settings may use.

    Args:
        protocol: the algorithm.
        settings: every setting in force.
        overlay: the user's file of prompts.
        kinds: of the questions.
    """
    own = protocol.pack(overlay).kind_digests if kinds else {}
    yield from (digest for kind, digest in own.items() if kind in kinds)
    for each in protocols_in(protocol, settings):
        yield each.pack(overlay).digest
    yield from list_prompts(protocol.read(settings), protocol.pack(overlay))


def protocols_in(protocol: Protocol, settings: Mapping[str, Any]) -> Iterator[Protocol]:
    """Yield the protocol of a debate with these settings, and those of all its sub-debates."""
    yield protocol
    for table in read_settings(settings, WithinSettings).nodes:
        yield from protocols_in(registry.get(table["protocol"]), table)
    for name in protocol.subdebate_protocols({**settings, "nodes": ()}):
        yield from protocols_in(registry.get(name), {})
