"""Hooks: what the features of a running debate add to its exchanges and rounds."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate_settings import DebateSettings, read_own
from moot.debate.exchange import Exchange, Fetch, fetch
from moot.debate.feature import Feature, InForce, has_hook
from moot.debate.protocol import Protocol
from moot.debate.rounds import Rounds
from moot.prompts.packs import Pack

Line = Callable[[Exchange], str]
Pose = Callable[[Agent | None, Question, Pack], Question]


class Hooks:
    """The hooks of a debate's features, each bound to what its feature keeps for the debate.

    A feature that keeps nothing is given its settings.

    Attributes:
        poses: each returns the question as an agent is shown it.
        lines: each returns a paragraph for the end of a prompt.
        reads_as: each returns the name of another parser for a reply.
        rounds: each changes the rounds of a debate.
        fetch: makes an exchange's call, with what features do around it.
    """

    __slots__ = ("fetch", "lines", "poses", "reads_as", "rounds")

    def __init__(self, features: Iterable[InForce]) -> None:
        self.poses: tuple[Pose, ...] = bind(features, "pose")
        last = sorted(features, key=lambda each: each.feature.line_place)
        self.lines: tuple[Line, ...] = bind(last, "lines")
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


class Inner(NamedTuple):
    """A debate within another one, as a feature's state comes to it.

    Attributes:
        features: what its own settings bring into force.
        protocol: by which it debates; None where it has none of its own.
        apart: whether it is about another question.
        in_place: whether it goes on in the other's place, and is no sub-debate.
    """

    features: Sequence[InForce]
    protocol: Protocol | None = None
    apart: bool = False
    in_place: bool = False

    def own(self, feature: Feature) -> Any:  # noqa: ANN401 -- of type ``Settings``
        """Return a feature's settings there."""
        own = (each.own for each in self.features if each.feature is feature)
        return next(own, None) or feature.Settings()


def inherit(outer: Iterable[InForce], inner: Inner) -> tuple[InForce, ...]:
    """Return the features of a debate within one that has these."""
    states = {each.feature: each.state for each in outer}
    found = [each.feature for each in inner.features]
    made = []
    for feature in dict.fromkeys((*states, *found)):
        if has_hook(feature, "inherit"):
            state = feature.inherit(states.get(feature), inner)
            if state is not None:
                made.append(InForce(feature, inner.own(feature), state))
        elif feature in found:
            made.append(InForce(feature, inner.own(feature)))
    return tuple(made)


_FURTHER = {"stop": "stops", "confidence": "confidence"}
"""The features whose settings are no feature's yet, by the setting without which each is off."""


def find_in_force(settings: DebateSettings) -> tuple[InForce, ...]:
    """Return the features that settings bring into force, or those of a debate within."""
    return (*find_further(settings), *settings.features_within)


def find_further(settings: DebateSettings, steering: object = None) -> list[InForce]:
    """Return those of the features whose settings are no feature's yet, and steering."""
    flats = [each.flat for each in settings.every]
    further = [
        InForce(feature, read_own(feature, settings.flat))
        for name, module in _FURTHER.items()
        if any(flat.get(name) for flat in flats)
        for feature in [_import(module)]
    ]
    return further if steering is None else [*further, InForce(_import("steering"), None, steering)]


def _import(module: str) -> Feature:
    found: Feature = import_module(f"moot.debate.features.{module}").FEATURE
    return found
