"""Agents, what they say, and what the others make of it."""

from dataclasses import dataclass, field

from moot.core.calls import Message
from moot.core.events import Seat, Turn
from moot.core.ports import Model


@dataclass(slots=True, eq=False)
class Agent:
    """A participant: a seat and what it has in front of it.

    Attributes:
        seat: its number, name, role and model.
        label: what the other agents call it in their prompts.
        model: who speaks for it.
        memory: its conversation so far.
        read: ids of the turns in that conversation, its own included.
        heard: the answers in that conversation, its own included.
        turns: how often it has spoken.
    """

    seat: Seat
    label: str
    model: Model
    memory: list[Message] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    heard: list[str | None] = field(default_factory=list)
    turns: int = 0


@dataclass(slots=True, frozen=True, eq=False)
class View:
    """What one agent said in one turn, as another agent or the protocol sees it.

    Attributes:
        agent: who said it.
        turn: the record of it, with the answer it commits to.
        preference: for a judge's ruling: whether it prefers a side at all; else None.
    """

    agent: Agent
    turn: Turn
    preference: bool | None = None

    @property
    def answer(self) -> str | None:
        """What it commits to, in canonical form; None when to nothing."""
        return self.turn.answer

    @property
    def decided(self) -> bool:
        """Whether a judge has come to an answer and does not itself call it open."""
        return self.turn.answer is not None and self.preference is not False


class Views(tuple[View, ...]):
    """What several agents said in one round, by seat."""

    __slots__ = ()

    def without(self, agent: Agent) -> "Views":
        """The views of everyone else."""
        return Views(view for view in self if view.agent is not agent)

    def of(self, agent: Agent) -> View:
        """The view of one agent."""
        return next(view for view in self if view.agent is agent)
