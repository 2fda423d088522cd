"""Features: what any protocol can have, each in a room of its own."""

# ruff: noqa: ANN401 -- a debate, an exchange and an agent stand above; a state is of any type

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import msgspec

from moot.core.questions import Question


class Feature:
    """Something that any protocol can have.

    A subclass is one feature. It has those of the methods below that it needs; others are not
    called.

    Attributes:
        names: its settings, which are the fields of ``Settings``.
        Settings: a frozen struct; its defaults stand for a feature that is off.
    """

    names: ClassVar[tuple[str, ...]] = ()
    Settings: ClassVar[type[msgspec.Struct]] = msgspec.Struct

    def is_on(self, own: Any) -> bool:
        """Return whether the feature is in force with these settings of a debate."""
        return bool(own != self.Settings())

    async def begin(self, debate: Any, state: Any) -> None:
        """Begin a debate that is open, and record what is found."""
        raise NotImplementedError

    def inherit(self, state: Any, inner: Any) -> Any:
        """Return the state in a debate within the debate."""
        raise NotImplementedError

    def pose(self, state: Any, agent: Any, question: Question) -> Question:
        """Return the question as an agent is shown it."""
        raise NotImplementedError

    def lines(self, state: Any, exchange: Any) -> str:
        """Return a paragraph for the end of a prompt; empty for none."""
        raise NotImplementedError

    def reads_as(self, state: Any, exchange: Any) -> str:
        """Return the name of another parser for a reply; empty for none."""
        raise NotImplementedError

    async def around(self, state: Any, exchange: Any, fetch: Any) -> Any:
        """Return an exchange with its reply; ``fetch`` makes a call and records nothing."""
        raise NotImplementedError

    def rounds(self, state: Any, debate: Any, rounds: Any) -> None:
        """Change the rounds of a debate, see ``Rounds``."""
        raise NotImplementedError


class InForce(NamedTuple):
    """A feature of one debate.

    Attributes:
        feature: the feature.
        own: its settings.
        state: what ``open`` and ``inherit`` return; None where the feature has neither.
    """

    feature: Feature
    own: Any
    state: Any = None

    def has(self, hook: str) -> bool:
        """Return whether the feature has a hook."""
        return has_hook(self.feature, hook)


def has_hook(feature: Feature, name: str) -> bool:
    """Return whether a feature has a method of its own of this name."""
    return getattr(type(feature), name) is not getattr(Feature, name)


def find_state(features: Iterable[InForce], name: str) -> Any:
    """Return the state of the feature that has a setting of this name; None where it is off."""
    return next((each.state for each in features if name in each.feature.names), None)
