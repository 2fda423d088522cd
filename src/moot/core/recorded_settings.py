"""Recorded settings, read as a struct of those that a reader needs."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from moot.core.errors import DamagedError, split_fault

JUDGE = "judge"
"""The end of an edge to the judge of a network."""

S = TypeVar("S", bound=msgspec.Struct)


class OpeningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of an opening; runs of old have none of them, and were open."""

    opening: str = "open"
    distance: str = "near"
    squares: str = "all"
    put: str | None = None


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings by which readers know a network: it has nodes, and edges unless all meet.

    Attributes:
        nodes: the settings of each node, with its ``name``.
        edges: who reads whom, as pairs of names; None where every node reads all.
        graph: the name of its preset.
        free_judge: whether a judge's answer counts that no response gives.
    """

    nodes: list[dict[str, Any]] = []
    edges: list[tuple[str, str]] | None = None
    graph: str | None = None
    free_judge: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the nodes, in their order."""
        return [str(node["name"]) for node in self.nodes if "name" in node]


class SizeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that say how large a debate is; None for one that the protocol has not."""

    agents: int | None = None
    samples: int | None = None
    rounds: int | None = None


class CastSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The models, the style and the sampling of agents, and the entries of single agents."""

    model: str | None = None
    style: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    cast: list[dict[str, Any]] = []


class WithinSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that have other debates within: nodes of a network, and that behind a gate."""

    nodes: list[dict[str, Any]] = []
    inner: Any = None

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The settings of the debates within; none of a gate whose debate is named alone."""
        return [*self.nodes, *([self.inner] if isinstance(self.inner, dict) else [])]


def read_settings(settings: Mapping[str, Any], kind: type[S]) -> S:
    """Return recorded settings as a struct; those that it does not name are left out.

    Args:
        settings: flat, as an arm or the beginning of a transcript has them.
        kind: the struct, with a default for each setting that may be absent.

    Raises:
        DamagedError: a value is not of the struct's type.
    """
    try:
        return msgspec.convert(settings, kind, strict=False)
    except msgspec.ValidationError as error:
        name, fault = split_fault(error)
        raise DamagedError(
            "a recorded setting", f"{name}: {fault[:1].lower()}{fault[1:]}"
        ) from None
