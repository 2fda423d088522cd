"""Agents: their seats, their models and settings, and the conversation that each has had."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from moot.core.calls import Message, Sampling
from moot.core.errors import InputError
from moot.core.events import Seat
from moot.core.ports import Model

AgentMemory = Literal["chat", "last"]
"""How much of its own conversation an agent is shown: all of it, or its last reply alone."""
ReadTurn = tuple[int, str | None]
"""The id of a turn that an agent was shown, and the answer of that turn."""


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The model of an agent, and the settings it is called with.

    Attributes:
        model: the model that writes the agent's replies.
        style: the prompt style of the step ``"answer"``.
        sampling: the sampling settings of every call.
        window: tokens that prompt and reply may have together; None for the model's own limit.
        persona: a text about the agent in its system message; empty for none.
        has_own_temperature: whether the temperature was set for this agent alone.
        own: what was set for this agent alone, by name; features find theirs here.
    """

    model: Model
    style: str
    sampling: Sampling
    window: int | None = None
    persona: str = ""
    has_own_temperature: bool = False
    own: Mapping[str, Any] = {}


class Remembered(msgspec.Struct, frozen=True, eq=False):
    """One prompt that an agent was sent, and its reply, as its later prompts show them.

    Attributes:
        prompt: the messages that were sent, or the part of them that the agent is shown again:
            few-shot examples, if there are any, then the prompt.
        reply: the reply.
        shown: the turns that the prompt showed.
        own: the turn of the reply.
    """

    prompt: tuple[Message, ...]
    reply: Message
    shown: tuple[ReadTurn, ...]
    own: ReadTurn


@dataclass(slots=True, eq=False)
class Agent:
    """An agent of a debate.

    Attributes:
        seat: its number, name, role and model.
        label: its name in other agents' prompts.
        config: its model and settings.
        system: its system message; None for none.
        history: the user's conversation before the question; it is sent before all else.
        given: the verdicts of other nodes that its question shows.
        remembers: False for an agent whose prompts do not repeat its conversation.
        memory: how much of its conversation an agent that remembers is shown.
        past: its conversation so far.
        round: the round of its newest turn. It is the number of its turns, unless the protocol
            says otherwise.
        answer: the answer of its newest turn; None if it has none.
        is_modulated: whether its system message says how far to agree.
    """

    seat: Seat
    label: str
    config: AgentConfig
    system: Message | None = None
    history: tuple[Message, ...] = ()
    given: tuple[ReadTurn, ...] = ()
    remembers: bool = True
    memory: AgentMemory = "chat"
    past: list[Remembered] = field(default_factory=list)
    round: int = 0
    answer: str | None = None
    is_modulated: bool = False

    def need_logprobs(self, setting: str, instead: str) -> None:
        """Raise ``InputError`` where its model is known to give no probabilities of tokens.

        Args:
            setting: that needs them, with its value.
            instead: what to do.
        """
        model = self.config.model
        if getattr(model, "gives_logprobs", None) is False:
            raise InputError(
                f"setting {setting}: {model.name} gives no probabilities of tokens; {instead}"
            )

    def forget(self) -> None:
        """Drop the newest prompt and its reply: later prompts do not show them."""
        self.past.pop()
