"""The settings of a debate and of the debates within it, with the features that are in force."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any

import msgspec

from moot.core.errors import InputError
from moot.core.recorded_settings import read_settings
from moot.core.stored import Arm
from moot.debate.feature import (
    ALWAYS,
    CROWDS,
    LAST,
    LOOKED_UP,
    OFF,
    STYLED,
    Feature,
    InForce,
    Questions,
    find_features,
    has_hook,
    list_names,
)
from moot.debate.protocol_settings import AgentSettings, list_struct_fields
from moot.prompts.packs import Pack
from moot.prompts.source_file import OURS

_OF_AGENT = frozenset(
    ("role", "model", "style", "persona", "temperature", "top_p", "max_tokens", "effort")
)
"""What an agent can have for itself that belongs to no feature."""
_USUAL = {**OFF, **ALWAYS}
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
        self.cast: list[dict[str, Any]] = flat.get("cast") or []
        self._read = read or DebateSettings

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 -- a setting is anything
        """Return a setting, also of a feature that is off."""
        return self.flat[name] if name in self.flat else _USUAL[name]

    def pick(self, names: Iterable[str]) -> dict[str, Any]:
        """Return those of these settings that there are."""
        return {name: self.flat[name] for name in names if name in self.flat}

    def read_own(self, feature: Feature) -> Any:  # noqa: ANN401 -- of its type of settings
        """Return a feature's settings, of all that are recorded."""
        return read_own(feature, self.flat)

    @cached_property
    def features(self) -> tuple[InForce, ...]:
        """The features in force, in the pinned order, without a state."""
        flat, candidates = self.flat, _list_candidates(self.protocol)
        names = [name for name, usual in candidates if name in flat and flat[name] != usual]
        names += [name for entry in self.cast for name in entry if name not in _OF_AGENT]
        styles = self.styles
        styled = {n for s, n in STYLED.items() if any(each.startswith(s) for each in styles)}
        if not names and not styled:
            return ()
        found = ((each, read_own(each, flat)) for each in find_features([*names, *styled]))
        return tuple(
            InForce(feature, own)
            for feature, own in found
            if feature.is_on(own) or feature.names[0] in styled or self._is_seen(feature)
        )

    @cached_property
    def agents(self) -> AgentSettings:
        """The settings of all agents."""
        own = () if self.protocol is None else self.protocol.own.__struct_fields__
        return read_settings(self.pick(_COMMON.difference(own)), AgentSettings)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The names of all models that speak, those of nodes included, each once."""
        named = [self.agents.model, *(each["model"] for each in self.cast if "model" in each)]
        return tuple(dict.fromkeys(chain(named, *(node.models for node in self.nodes))))

    @cached_property
    def styles(self) -> set[str]:
        """The prompt styles of its own agents, without those of nodes."""
        return {self.agents.style, *(each["style"] for each in self.cast if "style" in each)}

    @property
    def reply_limits(self) -> Iterator[int | None]:
        """The ``max_tokens`` of all agents; None where one has none."""
        yield self.agents.max_tokens
        yield from (each["max_tokens"] for each in self.cast if "max_tokens" in each)
        for node in self.nodes:
            yield from node.reply_limits

    @property
    def key_settings(self) -> list[str]:
        """The settings that are on and show agents what depends on the right answer."""
        if self.protocol is None:
            return []
        own = [name for name in self.protocol.studied_settings if self.flat.get(name)]
        return list(dict.fromkeys(chain(own, *(each.key_settings for each in self.within))))

    def find_void(self, kinds: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield settings that are set and act on no question of these kinds: name and meaning."""
        for name, kind, usual in list_struct_fields(self.protocol.own):
            for meta in getattr(kind, "__metadata__", ()):
                cases = (getattr(meta, "extra", None) or {}).get("acts_where")
                if cases and self.flat.get(name, usual) != usual:
                    asked = ({**self.protocol.omitted, **self.flat, "kind": each} for each in kinds)
                    if not any(a.items() >= case.items() for a, case in product(asked, cases)):
                        yield name, meta.description

    @property
    def debates(self) -> Iterator["DebateSettings"]:
        """These settings, and those of all sub-debates; of one that it runs, its protocol's own."""
        yield self
        for node in self.nodes:
            yield from node.debates
        for name in self.protocol.list_runs(self.flat):
            yield from self._read({"protocol": name}).debates

    def pack(self, overlay: Path | None = None) -> Pack:
        """Return the prompts of the debate, with the user's laid over."""
        told = (each for each in self.features if each.has("find_source"))
        source = next((each.feature.find_source(each.own) for each in told), OURS)
        pack: Pack = self.protocol.pack(overlay, source)
        return pack

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The names of the protocols that the debate may run as sub-debates."""
        nodes = (node.flat["protocol"] for node in self.nodes)
        return tuple(dict.fromkeys((*self.protocol.list_runs(self.flat), *nodes)))

    @property
    def is_network(self) -> bool:
        """Whether its debates are nodes of a network."""
        return "nodes" in self.flat

    def _is_seen(self, feature: Feature) -> bool:
        """Return whether an agent has the feature for itself, or the protocol brings it in."""
        own = any(name in entry for entry in self.cast for name in feature.names)
        return own or any(self.flat.get(name) for name in feature.seen_in)

    @cached_property
    def nodes(self) -> "tuple[DebateSettings, ...]":
        """The settings of a network's nodes, in their order."""
        return tuple(map(self._read, self.flat.get("nodes") or ()))

    @cached_property
    def within(self) -> "tuple[DebateSettings, ...]":
        """Those of a network's nodes, or of the debate behind a gate; none where it is named."""
        inner = self.flat.get("inner")
        return (*self.nodes, *([self._read(inner)] if isinstance(inner, dict) else ()))

    def walk(self, place: str = "") -> Iterator[tuple[str, "DebateSettings"]]:
        """Yield these settings and those of a network's nodes, each with its place in words."""
        yield place, self
        for node in self.nodes:
            yield from node.walk(f"{place}, node {node.flat['name']!r}")

    @property
    def every(self) -> Iterator["DebateSettings"]:
        """These settings, those of nodes and of a debate behind a gate, at any depth."""
        yield self
        for each in self.within:
            yield from each.every

    def list_loaders(self) -> list[Feature]:
        """Return the features, those of debates within included, for which something is loaded."""
        return [each.feature for each in self.features_within if each.has("loader")]

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
    own = set[str]() if protocol is None else find_own_names(protocol)
    names = (name for name in list_names() if name not in own)
    return tuple((name, _USUAL.get(name, msgspec.UNSET)) for name in names)


def find_own_names(protocol: Any) -> set[str]:  # noqa: ANN401 -- as above
    """Return a protocol's own settings: a feature's of the same name is another."""
    return {*protocol.own.__struct_fields__} - LOOKED_UP.union(protocol.features)


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


def hash_packs(
    settings: DebateSettings, overlay: Path | None, kinds: Collection[str] = ()
) -> Iterator[str]:
    """Yield the content hashes of all prompts that a debate may use, those of nodes included.

    Args:
        settings: of the debate.
        overlay: the user's file of prompts.
        kinds: of the questions.
    """
    pack = settings.pack(overlay)
    own = pack.kind_digests if kinds else {}
    yield from (digest for kind, digest in own.items() if kind in kinds)
    for debate in settings.debates:
        yield debate.pack(overlay).digest
    every = [(each, whole) for _, whole in settings.walk() for each in whole.features]
    found: dict[str, None] = {}
    for feature in find_features({each.feature.names[0] for each, _ in every}):
        for each, whole in every:
            if each.feature is feature and each.has("prompts"):
                found |= dict.fromkeys(feature.prompts(each.own, whole, pack))
    yield from found


def resolve_paths(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return settings of a file with the paths in them relative to the file's folder.

    They may be as the file has them, before anything of them is checked.
    """
    made = dict(settings)
    for feature in find_given(settings):
        if has_hook(feature, "resolve"):
            made |= feature.resolve(made, folder)
    for name in _TABLES & made.keys():
        if isinstance(tables := made[name], list):
            made[name] = [
                resolve_paths(each, folder) if isinstance(each, Mapping) else each
                for each in tables
            ]
    return made


def find_given(given: Mapping[str, Any]) -> list[Feature]:
    """Return the features of which a setting is given, and not as it is where they are off."""
    names = [
        name
        for name in list_names()
        if name in given and not (name in _USUAL and given[name] == _USUAL[name])
    ]
    lists = any(isinstance(given.get(name), list | tuple | str) for name in CROWDS)
    return find_features([*names, *["cast"] * lists])


def describe_features(arms: Sequence[Arm]) -> list[str]:
    """Return sentences on the features of arms, for wherever the arms are shown.

    Of an arm with a feature that cannot be loaded there are none.
    """
    found: dict[Feature, None] = {}
    for arm in arms:
        with suppress(InputError):
            found |= dict.fromkeys(find_given(arm.settings))
    return [told for each in found if has_hook(each, "describe") for told in each.describe(arms)]


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
    for feature in find_given(given):
        if has_hook(feature, "complete"):
            made = {**feature.complete(given), **made}
    return made
