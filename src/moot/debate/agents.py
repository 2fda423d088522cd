"""Agents, what they say, and what the others make of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import msgspec

from moot.core.calls import Message, Sampling
from moot.core.events import Seat, Turn
from moot.core.ports import Model
from moot.parsing.evaluation import Evaluation
from moot.parsing.opinion import Opinion
from moot.parsing.readers import Said
from moot.parsing.reasoned import Reasoned
from moot.parsing.ruling import Ruling

S = TypeVar("S", bound=Said)
Memory = Literal["chat", "last"]
"""What an agent has before it of its own conversation: all of it, or its last answer alone."""
Heard = tuple[int, str | None]
"""A turn that an agent has in front of it, and the answer it commits to."""


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Who speaks for an agent, and how.

    Attributes:
        model: who speaks.
        style: the prompt style in which the agent answers alone.
        sampling: how its replies are drawn.
        window: tokens that prompt and reply may have together; None leaves it to the model.
        persona: who the agent is told to be; empty for nobody else.
        tempered: whether the temperature is the agent's own, not the debate's.
    """

    model: Model
    style: str
    sampling: Sampling
    window: int | None = None
    persona: str = ""
    tempered: bool = False


class Exchange(msgspec.Struct, frozen=True, eq=False):
    """One prompt an agent was put and what it replied.

    Attributes:
        prompt: what was sent: worked examples as messages, if there are such, and the prompt, or
            what is kept of it.
        reply: what came back.
        shown: the turns that the prompt showed.
        own: its reply's.
    """

    prompt: tuple[Message, ...]
    reply: Message
    shown: tuple[Heard, ...]
    own: Heard


@dataclass(slots=True, eq=False)
class Agent:
    """A participant: a seat and what it has in front of it.

    Attributes:
        seat: its number, name, role and model.
        label: what the other agents call it in their prompts.
        voice: who speaks for it, and how.
        system: the message it keeps throughout, if there is one.
        history: the conversation that the question goes on with, sent before all else.
        given: what the question itself has shown it: verdicts of earlier nodes.
        remembers: False for an agent whose every prompt holds all it needs.
        memory: what of its conversation an agent that remembers has before it.
        past: its conversation so far.
        turns: the round of its newest turn: how often it has spoken, unless its protocol says.
        answer: its newest; None when it has none.
        modulated: whether its system message tells it how far to agree.
    """

    seat: Seat
    label: str
    voice: AgentConfig
    system: Message | None = None
    history: tuple[Message, ...] = ()
    given: tuple[Heard, ...] = ()
    remembers: bool = True
    memory: Memory = "chat"
    past: list[Exchange] = field(default_factory=list)
    turns: int = 0
    answer: str | None = None
    modulated: bool = False

    def forget(self) -> None:
        """Drop the newest prompt and its reply: later prompts do not show them."""
        self.past.pop()


def numbered(place: int) -> str:
    """What an agent is called by its place from 0: ``Agent 1``, then ``Agent 2``."""
    return f"Agent {place + 1}"


class View(msgspec.Struct, frozen=True, eq=False):
    """What one agent said in one turn, as another agent or the protocol sees it.

    Attributes:
        agent: who said it.
        turn: the record of it, with the answer it commits to.
        beside: what else it says: a judge's ruling, scores … by what the reply was read as.
    """

    agent: Agent
    turn: Turn
    beside: Said | None = None

    @property
    def answer(self) -> str | None:
        """What it commits to, in canonical form; None when to nothing."""
        return self.turn.answer

    @property
    def text(self) -> str:
        """Its words."""
        return self.turn.text

    @property
    def reason(self) -> str:
        """Why it answers so: what stands as the reason in a reply's JSON, else all its words."""
        said = self.beside
        if isinstance(said, Evaluation):
            return said.response or self.text
        return said.reason if isinstance(said, Reasoned | Ruling | Opinion) else self.text

    @property
    def decided(self) -> bool:
        """Whether a judge has come to an answer and does not itself call it open."""
        ruling = self.get(Ruling)
        return self.answer is not None and not (ruling and ruling.preference is False)

    def get(self, kind: type[S]) -> S | None:
        """What it says beside its answer, where it says anything of this kind."""
        return self.beside if isinstance(self.beside, kind) else None

    def called(self, label: str, answer: str | None, number: int) -> "View":
        """The same words under another name, answer and round, as a node's verdict goes on."""
        agent = Agent(self.agent.seat, label, self.agent.voice)
        turn = msgspec.structs.replace(self.turn, answer=answer, round=number)
        return View(agent, turn, self.beside)

    def worded(self, text: str) -> "View":
        """The same answer in other words, and nothing beside it."""
        return View(self.agent, msgspec.structs.replace(self.turn, text=text))

    def only(self, text: str) -> "View":
        """Return the view of which a reader sees these words alone, and so no answer."""
        return self.called(self.agent.label, None, self.turn.round).worded(text)


class Views(tuple[View, ...]):
    """What several agents said, in one round by seat, or over several rounds in order."""

    __slots__ = ()

    def then(self, *more: View) -> "Views":
        """With views that came later."""
        return Views((*self, *more))

    def anonymous(self) -> "Views":
        """The same by numbered labels, and as of no round: who reads them is told no source."""
        return Views(
            view.called(numbered(place), view.answer, 0) for place, view in enumerate(self)
        )

    def next_label(self, place: int) -> str:
        """What an agent is called that speaks after these, by its place among such from 0."""
        return numbered(len(self) + place)

    def without(self, agent: Agent) -> "Views":
        """The views of everyone else."""
        return Views(view for view in self if view.agent is not agent)

    def besides(self, label: str) -> "Views":
        """The views of all that are not called so."""
        return Views(view for view in self if view.agent.label != label)

    def of(self, agent: Agent) -> View:
        """The newest view of one agent."""
        return next(view for view in reversed(self) if view.agent is agent)

    def newest(self, agents: Iterable[Agent]) -> "Views":
        """The newest view of each of these agents."""
        return Views(self.of(agent) for agent in agents)

    def renewed(self, newer: View) -> "Views":
        """With this view in place of the older one of the same agent."""
        return Views(newer if view.agent is newer.agent else view for view in self)
