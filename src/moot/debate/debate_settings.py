"""The settings of a debate and of the debates within it, with the features that are in force."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from moot.debate.feature import LOOKED_UP, OFF, Feature, InForce, find_features, is_off

_OF_AGENT = frozenset(
    ("role", "model", "style", "persona", "temperature", "top_p", "max_tokens", "effort")
)
"""What an agent can have for itself that belongs to no feature."""


class DebateSettings:
    """The settings of a debate or of a sub-debate.

    Args:
        flat: the settings by name, as they are recorded; those of features that are off may lack.
        own: the names of the algorithm's own.
        read: returns the settings of a debate within it.

    Attributes:
        flat: as given.
        cast: the settings of single agents.
    """

    def __init__(
        self,
        flat: Mapping[str, Any],
        own: Collection[str] = (),
        read: "Callable[[Mapping[str, Any]], DebateSettings] | None" = None,
    ) -> None:
        self.flat = flat
        self.cast: list[Mapping[str, Any]] = flat.get("cast") or []
        self._own, self._read = own, read or DebateSettings

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 -- a setting is anything
        """Return a setting, also of a feature that is off."""
        return self.flat[name] if name in self.flat else OFF[name]

    @cached_property
    def features(self) -> tuple[InForce, ...]:
        """The features in force, in the pinned order, without a state."""
        own, flat = self._own, self.flat
        names = {
            name
            for name in flat
            if (name not in own or name in LOOKED_UP) and not is_off(name, flat[name])
        }
        names |= {name for entry in self.cast for name in entry if name not in _OF_AGENT}
        found = ((each, read_own(each, flat)) for each in find_features(names))
        return tuple(
            InForce(feature, own)
            for feature, own in found
            if feature.is_on(own) or self.has_for_agents(feature)
        )

    def has_for_agents(self, feature: Feature) -> bool:
        """Return whether an agent has a setting of the feature for itself."""
        return any(name in entry for entry in self.cast for name in feature.names)

    @property
    def nodes(self) -> Iterator[tuple[str, "DebateSettings"]]:
        """The nodes of a network, each by its name."""
        for node in self.flat.get("nodes", ()):
            yield node["name"], self._read(node)

    @property
    def every(self) -> Iterator["DebateSettings"]:
        """These settings, those of nodes and of a debate behind a gate, at any depth."""
        yield self
        inner = self.flat.get("inner")
        tables = [*self.flat.get("nodes", ()), *([inner] if isinstance(inner, Mapping) else ())]
        for table in tables:
            yield from self._read(table).every

    @property
    def features_within(self) -> list[InForce]:
        """The features of the debate, and those that debates within it alone have."""
        found = {each.feature: each for debate in self.every for each in debate.features}
        own = {each.feature: each for each in self.features}
        further = find_features({feature.names[0] for feature in found})
        return [own.get(each) or InForce(each, each.Settings()) for each in further]


def read_own(feature: Feature, flat: Mapping[str, Any]) -> msgspec.Struct:
    """Return a feature's settings, of all that are recorded."""
    given = {name: flat[name] for name in feature.names if name in flat}
    return msgspec.convert(given, feature.Settings, strict=False)
