"""Views: turns as other agents, protocols, decision rules, gates and stops see them."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

import msgspec

from moot.core.calls import ShownAs
from moot.core.events import Turn
from moot.core.questions import Question
from moot.core.readings import Reading
from moot.debate.agents import Agent
from moot.parsing.extract import states_answer

R = TypeVar("R", bound=Reading)


def name_agent(place: int) -> str:
    """Return an agent's name by its place, from 0: ``Agent 1``, then ``Agent 2``."""
    return f"Agent {place + 1}"


def draw_order(many: int, *key: object) -> list[int]:
    """Return the places from 0 up to ``many`` in an order drawn from a key, always the same."""

    def draw(place: int) -> bytes:
        return blake2b(repr((*key, place)).encode(), digest_size=8).digest()

    return sorted(range(many), key=draw)


class View(msgspec.Struct, frozen=True, eq=False):
    """One turn, as another agent or the protocol sees it.

    Attributes:
        agent: the speaker.
        turn: the recorded turn, or a copy of it with other words.
        part: what of the turn its words are; empty for all of it. ``Turn.parts`` records it.
    """

    agent: Agent
    turn: Turn
    part: str = ""

    @property
    def answer(self) -> str | None:
        """The answer in canonical form; None if the reply commits to none."""
        return self.turn.answer

    @property
    def text(self) -> str:
        """The reply's text."""
        return self.turn.text

    @property
    def shown_as(self) -> ShownAs:
        """How it shows the answer: alone, with the reason for it, or with other words."""
        kind, _, more = self.part.partition(";")
        if more or kind == "echo" or self.turn.about:
            return "words"
        return "reason" if kind in {"", "reason"} or kind.startswith("argument") else "answer"

    @property
    def reason(self) -> str:
        """The reason in the turn's reading; the whole text if its reading has none."""
        reason = getattr(self.turn.reading, "reason", None)
        return reason if isinstance(reason, str) else self.text

    @property
    def confidence(self) -> float | None:
        """How sure the reply says it is, 0 to 1: its reading's field ``confidence``, if any."""
        stated = getattr(self.turn.reading, "confidence", None)
        return stated if isinstance(stated, float | int) else None

    @property
    def is_decided(self) -> bool:
        """Whether a judge gives an answer and does not itself call the debate undecided."""
        undecided = getattr(self.turn.reading, "preference", None) is False
        return self.answer is not None and not undecided

    def get(self, kind: type[R]) -> R | None:
        """Return the turn's reading if it is of this kind; else None."""
        reading: object = self.turn.reading
        return reading if isinstance(reading, kind) else None

    def relabel(self, label: str, answer: str | None, number: int) -> "View":
        """Return the same words under another label, with another answer and round."""
        turn = msgspec.structs.replace(self.turn, answer=answer, round=number)
        return View(Agent(self.agent.seat, label, self.agent.config), turn, self.part)

    def with_text(self, text: str, part: str = "") -> "View":
        """Return the same answer with another text, and without a reading.

        Args:
            text: the other text.
            part: what of the turn it is; empty for all of it in other words.
        """
        turn = msgspec.structs.replace(self.turn, text=text, reading=None)
        return View(self.agent, turn, part or self.part)

    def text_only(self, text: str, part: str = "") -> "View":
        """Return the view with this text alone: it has no answer and no reading."""
        return self.relabel(self.agent.label, None, self.turn.round).with_text(text, part)


class Views(tuple[View, ...]):
    """Several views: of one round by seat, or of several rounds, oldest first.

    A view that was changed (``anonymous``, ``to_answers`` …) is a copy: it has the id of its turn,
    so that ``Turn.reads`` names the turn also where only a part of it was shown.
    """

    __slots__ = ()

    @property
    def answers(self) -> tuple[str | None, ...]:
        """The answer of each view; None where it has none."""
        return tuple([view.answer for view in self])

    @property
    def last(self) -> "Views":
        """The newest view of each speaker, in the order in which speakers first appear."""
        return Views({id(view.agent): view for view in self}.values())

    @property
    def by_seat(self) -> "Views":
        """The same views, those of the lowest seat first."""
        return Views(sorted(self, key=lambda view: view.agent.seat.number))

    def add(self, *more: View) -> "Views":
        """Return these views and later ones."""
        return Views((*self, *more))

    def to_answers(self) -> "Views":
        """Return the views with their answers as their only words; empty where there is none."""
        return Views(view.with_text(view.answer or "", "answer") for view in self)

    def to_reasons(self, question: Question) -> "Views":
        """Return the views without their answers, and without every line that states one.

        Args:
            question: the question, by whose kind answers are recognised.
        """
        return Views(
            view.text_only(strip_answers(view.reason, question), "reason") for view in self
        )

    def named(self, part: str) -> "Views":
        """Return the same views, said to be shown as this part alone, e.g. ``"tally"``."""
        return Views(View(view.agent, view.turn, part) for view in self)

    def anonymous(self) -> "Views":
        """Return the views as those of ``Agent 1``, ``Agent 2`` …, and of no round."""
        return Views(
            view.relabel(name_agent(place), view.answer, 0) for place, view in enumerate(self)
        )

    def relabel(self, label: Callable[[View], str]) -> "Views":
        """Return the views under other labels, which a function of each view gives."""
        return Views(view.relabel(label(view), view.answer, view.turn.round) for view in self)

    def reorder(self, order: Sequence[int]) -> "Views":
        """Return the views in this order of their places, counted from 0."""
        return Views(self[place] for place in order)

    def shuffle(self, *key: object) -> "Views":
        """Return the views in an order drawn from a key: the same key gives the same order.

        A usual key is the question's id, the debate's seed and replicate (``debate.key``), and the
        reader's seat.
        """
        return self.reorder(draw_order(len(self), *key))

    def next_label(self, place: int) -> str:
        """Return the label of an agent that speaks after these, by its place from 0."""
        return name_agent(len(self) + place)

    def without(self, agent: Agent) -> "Views":
        """Return the views of all other speakers."""
        return Views([view for view in self if view.agent is not agent])

    def without_label(self, label: str) -> "Views":
        """Return the views of all speakers with another label."""
        return Views(view for view in self if view.agent.label != label)

    def of(self, agent: Agent) -> View:
        """Return the newest view of one speaker."""
        return next(view for view in reversed(self) if view.agent is agent)

    def newest(self, agents: Iterable[Agent]) -> "Views":
        """Return the newest view of each of these speakers."""
        return Views(self.of(agent) for agent in agents)

    def replace_newest(self, newer: View) -> "Views":
        """Return the views with this one in place of the same speaker's older one."""
        return Views(newer if view.agent is newer.agent else view for view in self)


def compose_view(agent: Agent, text: str, answer: str | None, part: str) -> View:
    """Return what an agent that is not asked seems to have said.

    It is no turn: its id is below 0, and only ``Turn.parts`` of those that are shown it has it.

    Args:
        agent: a seated agent, not of seat 0.
        text: its words.
        answer: that they state.
        part: what they are, for ``Turn.parts``.
    """
    seat = agent.seat
    turn = Turn(
        id=-seat.number,
        agent=seat.agent,
        seat=seat.number,
        role=seat.role,
        step="",
        round=1,
        model=seat.model,
        text=text,
        answer=answer,
        reads=(),
        call="",
    )
    return View(agent, turn, part)


def strip_answers(text: str, question: Question) -> str:
    """Return a text without the lines that commit to an answer by themselves."""
    lines = [line for line in text.splitlines() if not states_answer(line, question)]
    return "\n".join(lines).strip()
