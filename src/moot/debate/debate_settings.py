"""The settings of a debate and of the debates within it, with the features that are in force."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec

from moot.core.recorded_settings import WithinSettings, read_settings
from moot.debate.feature import (
    ALWAYS,
    CROWDS,
    LAST,
    LOOKED_UP,
    OFF,
    Feature,
    InForce,
    Questions,
    find_features,
    has_hook,
    is_off,
    list_names,
)
from moot.debate.protocol_settings import AgentSettings
from moot.prompts.packs import Pack

_OF_AGENT = frozenset(
    ("role", "model", "style", "persona", "temperature", "top_p", "max_tokens", "effort")
)
"""What an agent can have for itself that belongs to no feature."""


_COMMON = frozenset(AgentSettings.__struct_fields__)
_TABLES = frozenset(("nodes", "cast", *CROWDS))
"""Settings that list tables of settings."""


class DebateSettings:
    """The settings of a debate or of a sub-debate.

    Args:
        flat: the settings by name, as they are recorded; those of features that are off may lack.
        protocol: of the debate; None where it is not known.
        read: returns the settings of a debate within it.

    Attributes:
        flat: as given.
        protocol: as given.
        cast: the settings of single agents.
    """

    def __init__(
        self,
        flat: Mapping[str, Any],
        protocol: Any = None,  # noqa: ANN401 -- a Protocol, which imports this
        read: "Callable[[Mapping[str, Any]], DebateSettings] | None" = None,
    ) -> None:
        self.flat, self.protocol = flat, protocol
        self.cast: list[Mapping[str, Any]] = flat.get("cast") or []
        self._read = read or DebateSettings

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 -- a setting is anything
        """Return a setting, also of a feature that is off."""
        return self.flat[name] if name in self.flat else OFF[name]

    def read_own(self, feature: Feature) -> Any:  # noqa: ANN401 -- of its type of settings
        """Return a feature's settings, of all that are recorded."""
        return read_own(feature, self.flat)

    @cached_property
    def features(self) -> tuple[InForce, ...]:
        """The features in force, in the pinned order, without a state."""
        flat, candidates = self.flat, _list_candidates(self.protocol)
        names = [name for name, usual in candidates if name in flat and flat[name] != usual]
        names += [name for entry in self.cast for name in entry if name not in _OF_AGENT]
        if not names:
            return ()
        found = ((each, read_own(each, flat)) for each in find_features(names))
        return tuple(
            InForce(feature, own)
            for feature, own in found
            if feature.is_on(own) or self._is_seen(feature)
        )

    @cached_property
    def agents(self) -> AgentSettings:
        """The settings of all agents."""
        own = self.own_names
        given = {n: each for n, each in self.flat.items() if n in _COMMON and n not in own}
        return msgspec.convert(given, AgentSettings, strict=False)

    @property
    def is_network(self) -> bool:
        """Whether its debates are nodes of a network."""
        return "nodes" in self.flat

    @property
    def own_names(self) -> Collection[str]:
        """The names of the algorithm's own settings."""
        return () if self.protocol is None else self.protocol.own.__struct_fields__

    def _is_seen(self, feature: Feature) -> bool:
        """Return whether an agent has the feature for itself, or the protocol brings it in."""
        own = any(name in entry for entry in self.cast for name in feature.names)
        return own or any(self.flat.get(name) for name in feature.seen_in)

    @property
    def _within(self) -> WithinSettings:
        return read_settings(self.flat, WithinSettings)

    def walk(self, place: str = "") -> Iterator[tuple[str, "DebateSettings"]]:
        """Yield these settings and those of a network's nodes, each with its place in words."""
        yield place, self
        for node in self._within.nodes:
            yield from self._read(node).walk(f"{place}, node {node['name']!r}")

    @property
    def every(self) -> Iterator["DebateSettings"]:
        """These settings, those of nodes and of a debate behind a gate, at any depth."""
        yield self
        for table in self._within.tables:
            yield from self._read(table).every

    @property
    def features_within(self) -> list[InForce]:
        """The features of the debate, and those that debates within it alone have."""
        if "nodes" not in self.flat and "inner" not in self.flat:
            return list(self.features)
        found = {each.feature: each for debate in self.every for each in debate.features}
        own = {each.feature: each for each in self.features}
        further = find_features({feature.names[0] for feature in found})
        return [own.get(each) or InForce(each, each.Settings()) for each in further]


@cache
def _list_candidates(protocol: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401 -- a Protocol, which imports this
    """Return the settings of features in a protocol's debates, with what they are where it is off.

    Those that a protocol has as its own belong to no feature, but for those that it declares.
    """
    own, usual = set[str](), {**OFF, **ALWAYS}
    if protocol is not None:
        own = {*protocol.own.__struct_fields__} - LOOKED_UP.union(protocol.features)
    return tuple((name, usual.get(name, msgspec.UNSET)) for name in list_names() if name not in own)


def read_own(feature: Feature, flat: Mapping[str, Any]) -> Any:  # noqa: ANN401 -- of its type of settings
    """Return a feature's settings, of all that are recorded."""
    given = {name: flat[name] for name in feature.names if name in flat}
    return msgspec.convert(given, feature.Settings, strict=False)


def check_questions(settings: DebateSettings, questions: Questions, place: str) -> None:
    """Check the features of a debate with what is asked, and with the files that they read.

    Args:
        settings: of the debate.
        questions: of a plan; empty where there are none yet.
        place: of the settings, for errors.

    Raises:
        InputError: they do not fit; the text names the setting.
    """
    for where, whole in settings.walk(place):
        for each in whole.features:
            if each.feature.for_whole and whole is not settings:
                continue
            if each.has("check_questions"):
                each.feature.check_questions(each.own, whole, questions, where)


def list_content(settings: DebateSettings, *key_places: int) -> list[Any]:
    """Return the content of the features of a debate, and of a network's nodes, for a run's key.

    Args:
        settings: of the debate.
        key_places: of which features, in this order; see ``Feature.key_place``. Where none is
            given, all that a debate may have beside its examples.
    """
    return [
        part if key_place < LAST else [each.feature.names[0], part]
        for key_place in key_places or (1, LAST)
        for _, whole in settings.walk()
        for each in whole.features
        if each.feature.key_place == key_place and each.has("content")
        for part in each.feature.content(each.own, whole)
    ]


def list_prompts(settings: DebateSettings, pack: Pack) -> list[str]:
    """Return the digests of the prompts that the features of a debate add, each once."""
    every = [(each, whole) for _, whole in settings.walk() for each in whole.features]
    found: dict[str, None] = {}
    for feature in find_features({each.feature.names[0] for each, _ in every}):
        for each, whole in every:
            if each.feature is feature and each.has("prompts"):
                found |= dict.fromkeys(feature.prompts(each.own, whole, pack))
    return list(found)


def resolve_paths(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return settings of a file with the paths in them relative to the file's folder.

    They may be as the file has them, before anything of them is checked.
    """
    made = dict(settings)
    names = {name for name in settings if not is_off(name, settings[name])}
    for feature in find_features(names):
        if has_hook(feature, "resolve"):
            made |= feature.resolve(made, folder)
    for name in _TABLES & made.keys():
        if isinstance(tables := made[name], list):
            made[name] = [
                resolve_paths(each, folder) if isinstance(each, Mapping) else each
                for each in tables
            ]
    return made


def check_together(every: Iterable[tuple[DebateSettings, str]]) -> None:
    """Check the features that arms of a plan have together.

    Args:
        every: the settings of each arm, and its place in words.

    Raises:
        InputError: they do not fit.
    """
    found: dict[Feature, list[tuple[Any, str]]] = {}
    for settings, place in every:
        for each in settings.features:
            if each.has("check_together"):
                found.setdefault(each.feature, []).append((each.own, place))
    for feature, owns in found.items():
        feature.check_together(owns)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that a user gives for one question, with what they mean beside."""
    made = dict(given)
    for feature in find_features(name for name in given if not is_off(name, given[name])):
        if has_hook(feature, "complete"):
            made = {**feature.complete(given), **made}
    return made
