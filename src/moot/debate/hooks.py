"""Hooks: what the features of a running debate add to its exchanges and rounds."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from moot.core.questions import Question
from moot.debate.agents import Agent, AgentConfig
from moot.debate.debate_settings import DebateSettings
from moot.debate.exchange import Exchange, Fetch, fetch
from moot.debate.feature import InForce, find_place
from moot.debate.rounds import Rounds
from moot.prompts.packs import Pack

Line = Callable[[Exchange], str]
Pose = Callable[[Agent | None, Question, Pack], Question]


class Hooks:
    """The hooks of a debate's features, each bound to what its feature keeps for the debate.

    A feature that keeps nothing is given its settings.

    Attributes:
        seated: each returns what an agent's seat records of the feature, by setting.
        poses: each returns the question as an agent is shown it.
        beside: each returns a paragraph that goes with the question.
        lines: each returns a paragraph for the end of a prompt.
        reads_as: each returns the name of another parser for a reply.
        rounds: each changes the rounds of a debate.
        fetch: makes an exchange's call, with what features do around it.
    """

    __slots__ = ("beside", "fetch", "lines", "poses", "reads_as", "rounds", "seated")

    def __init__(self, features: Iterable[InForce]) -> None:
        self.seated: tuple[Callable[[AgentConfig], dict[str, Any]], ...] = bind(features, "seated")
        self.poses: tuple[Pose, ...] = bind(features, "pose")
        self.beside: tuple[Line, ...] = bind(features, "beside")
        self.lines: tuple[Line, ...] = bind(features, "lines")
        self.reads_as: tuple[Line, ...] = bind(features, "reads_as")
        self.rounds: tuple[Callable[[Any, Rounds], None], ...] = bind(features, "rounds")
        self.fetch: Fetch = fetch
        for around in bind(features, "around"):
            self.fetch = partial(around, fetch=self.fetch)

    def describe(self, config: AgentConfig) -> dict[str, Any]:
        """Return what the seat of an agent records of all features, by setting."""
        return {name: each for seated in self.seated for name, each in seated(config).items()}


def bind(features: Iterable[InForce], name: str) -> tuple[Callable[..., Any], ...]:
    """Return a hook of each feature that has it, bound to its state."""
    return tuple(
        partial(getattr(each.feature, name), each.own if each.state is None else each.state)
        for each in features
        if each.has(name)
    )


NO_HOOKS = Hooks(())
"""Those of a debate without features."""


class Inner(NamedTuple):
    """A debate within another one, as a feature's state comes to it.

    Attributes:
        settings: in force there.
        apart: whether it is about another question.
        in_place: whether it goes on in the other's place, and is no sub-debate.
        is_first: whether its first agent is the first of all.
        aside: whether it is a conversation about another question, without debaters.
    """

    settings: DebateSettings
    apart: bool = False
    in_place: bool = False
    is_first: bool = False
    aside: bool = False


def inherit(outer: Iterable[InForce], inner: Inner) -> tuple[InForce, ...]:
    """Return the features of a debate within one that has these."""
    states = {each.feature: each.state for each in outer}
    found = {each.feature: each for each in inner.settings.features_within}
    made = []
    for feature in sorted({*states, *found}, key=find_place):
        each = found.get(feature) or InForce(feature, feature.Settings())
        if each.has("inherit"):
            state = feature.inherit(states.get(feature), inner)
            if state is not None:
                made.append(each._replace(state=state))
        elif feature in found:
            made.append(each)
    return tuple(made)
