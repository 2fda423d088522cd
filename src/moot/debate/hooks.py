"""Hooks: what the features of a running debate add to its exchanges and rounds."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from moot.debate.exchange import Exchange, Fetch, fetch
from moot.debate.feature import Feature, InForce
from moot.debate.rounds import Rounds

Line = Callable[[Exchange], str]


class Hooks:
    """The hooks of a debate's features, each bound to what its feature keeps for the debate.

    A feature that keeps nothing is given its settings.

    Attributes:
        lines: each returns a paragraph for the end of a prompt.
        reads_as: each returns the name of another parser for a reply.
        rounds: each changes the rounds of a debate.
        fetch: makes an exchange's call, with what features do around it.
    """

    __slots__ = ("fetch", "lines", "reads_as", "rounds")

    def __init__(self, features: Iterable[InForce]) -> None:
        self.lines: tuple[Line, ...] = bind(features, "lines")
        self.reads_as: tuple[Line, ...] = bind(features, "reads_as")
        self.rounds: tuple[Callable[[Any, Rounds], None], ...] = bind(features, "rounds")
        self.fetch: Fetch = fetch
        for around in bind(features, "around"):
            self.fetch = partial(around, fetch=self.fetch)


def bind(features: Iterable[InForce], name: str) -> tuple[Callable[..., Any], ...]:
    """Return a hook of each feature that has it, bound to its state."""
    return tuple(
        partial(getattr(each.feature, name), each.own if each.state is None else each.state)
        for each in features
        if each.has(name)
    )


async def begin(debate: Any) -> None:  # noqa: ANN401 -- a Debate, which stands above
    """Let the features of a debate begin."""
    for each in debate.context.features:
        if each.has("begin"):
            await each.feature.begin(debate, each.state)


class Inner(NamedTuple):
    """A debate within another one, as a feature's state comes to it.

    Attributes:
        settings: in force there.
        apart: whether it is about another question.
        in_place: whether it goes on in the other's place, and is no sub-debate.
    """

    settings: Mapping[str, Any]
    apart: bool = False
    in_place: bool = False


_BUILT_IN = {
    "stop": "stops:STOPS",
    "confidence": "confidence:CONFIDENCE",
    "steering": "steering:STEERING",
    "tools": "tools:TOOLS",
}
"""moot's own features, by the setting without which each is off, in the order of their hooks."""


def find_in_force(settings: Mapping[str, Any], **states: object) -> tuple[InForce, ...]:
    """Return the features that are in force with these settings, or in a node of them.

    Args:
        settings: of a debate.
        states: what features keep for it, by the name of a setting.
    """
    within = list(list_within(settings))
    return tuple(
        InForce(feature := _import(place), _read_own(feature, settings), states.get(name))
        for name, place in _BUILT_IN.items()
        if states.get(name) is not None or any(each.get(name) for each in within)
    )


def inherit(outer: Iterable[InForce], inner: Inner) -> tuple[InForce, ...]:
    """Return the features of a debate within one that has these."""
    known = {each.feature: each for each in outer}
    found = {each.feature: each for each in find_in_force(inner.settings)}
    made = []
    for feature in known | found:
        each = found.get(feature) or InForce(feature, _read_own(feature, inner.settings))
        if each.has("inherit"):
            before = known[feature].state if feature in known else None
            each = each._replace(state=feature.inherit(before, inner))
        if feature in found or each.state is not None:
            made.append(each)
    return tuple(made)


def list_within(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield these settings, those of a network's nodes and of a debate behind a gate."""
    yield settings
    inner = settings.get("inner")
    for within in (*settings.get("nodes", ()), *([inner] if isinstance(inner, Mapping) else ())):
        yield from list_within(within)


def _import(place: str) -> Feature:
    module, _, name = place.partition(":")
    feature: Feature = getattr(import_module(f"moot.debate.features.{module}"), name)
    return feature


def _read_own(feature: Feature, settings: Mapping[str, Any]) -> msgspec.Struct:
    return feature.Settings(**{name: settings[name] for name in feature.names if name in settings})
