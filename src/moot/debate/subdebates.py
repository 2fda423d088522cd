"""Sub-debates: other protocols that run as debates of their own within a debate."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from moot.core.errors import InputError
from moot.core.events import NodeFinished, Seat, Verdict
from moot.core.questions import Question
from moot.debate.agent_config import configure_agents
from moot.debate.agents import Agent
from moot.debate.context import DebateContext, Listener
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import DECLARED, list_common
from moot.debate.hooks import Inner, inherit
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import list_usual
from moot.debate.verdicts import view_verdict
from moot.debate.views import View, Views

SEATS = 1000
"""Seats set aside for a sub-debate, unless its outer debate says otherwise."""
NESTED = 10
"""Sub-debates of usual size that fit into a sub-debate whose own seats are not more than usual."""


class SubDebate(msgspec.Struct, frozen=True, eq=False):
    """The outcome of a sub-debate.

    Attributes:
        name: of the sub-debate.
        verdict: what it decided.
        view: the verdict as a view, by the sub-debate's name; other agents can be shown it.
        views: all its turns, those of its own sub-debates last.
    """

    name: str
    verdict: Verdict
    view: View
    views: Views

    @property
    def answer(self) -> str | None:
        """The verdict's answer; None where it has none."""
        return self.verdict.answer

    @property
    def decided(self) -> View:
        """The view with the verdict's answer: none where its judge alone gave one."""
        return self.view.relabel(self.name, self.answer, self.view.turn.round)


class PlannedDebate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A sub-debate for which seats and turns are set aside.

    Attributes:
        begin: makes the debate of a question, a context and a listener.
        protocol: by which it debates.
        question: what it debates.
        context: of its own.
        listen: of the outer debate.
        within: the outer debate's list of views of its sub-debates; it takes those of this one.
        name: as results call it.
        place: among all sub-debates of the outer debate, from 0.
        layer: the longest way to it in a network, from 1.
        sweep: from 1; above 1 where nodes debate again.
    """

    begin: Callable[[Question, DebateContext, Listener], Any]
    protocol: Protocol
    question: Question
    context: DebateContext
    listen: Listener
    within: list[View]
    name: str
    place: int
    layer: int
    sweep: int

    async def run(self, given: Views = Views()) -> SubDebate:  # noqa: B008 -- it is empty and cannot change
        """Run it, record its verdict, and return its outcome.

        Args:
            given: views of other sub-debates. A protocol takes them as replies of its own debate
                (``Debate.take_given``), else its debaters are shown them beside the question.
        """
        context = msgspec.structs.replace(self.context, given=given)
        inner = self.begin(self.question, context, self.listen)
        await inner.open()
        verdict = await self.protocol.run(inner)
        self.listen(
            NodeFinished(
                node=self._path,
                protocol=self.protocol.name,
                pack=context.pack.digest,
                layer=self.layer,
                verdict=verdict,
                place=self.place,
                sweep=self.sweep,
                reads=tuple(_name_given(view) for view in given),
            )
        )
        said = Views((*inner.views, *inner.within))
        self.within.extend(said)
        if not said:
            raise RuntimeError(f"sub-debate {context.node}: no agent spoke in it")
        view = view_verdict(verdict, said, self.question)
        turn = view.turn
        seat = Seat(
            number=turn.seat, agent=context.node, role="node", model=turn.model, node=context.node
        )
        agent = Agent(seat, self.name, context.config_of(0, "node"))
        named = View(agent, msgspec.structs.replace(turn, round=self.sweep))
        return SubDebate(self.name, verdict, named, said)

    @property
    def _path(self) -> str:
        """The name as the transcript has it: those of outer sub-debates first; no sweep."""
        outer, separator, _ = self.context.node.rpartition("/")
        return f"{outer}{separator}{self.name}"


def _name_given(view: View) -> str:
    """Return the name of an agent, or the path of a sub-debate as the transcript has it."""
    seat, label = view.agent.seat, view.agent.label
    outer, slash, _ = seat.agent.rpartition("/")
    return f"{outer}{slash}{label}" if seat.role == "node" else seat.agent


def find_protocol(name: str, runs: Sequence[str]) -> Protocol:
    """Return the protocol of a sub-debate.

    Raises:
        InputError: the outer debate's protocol does not declare it in ``runs``.
    """
    found = registry.get(name)
    if found.name not in runs:
        raise InputError(
            f"sub-debate {name}: its protocol does not declare it; its prompts belong to a "
            f"run's key: @protocol(…, runs=({name!r},))"
        )
    return found


def plan_context(
    outer: DebateContext,
    whole: DebateSettings,
    *,
    node: str,
    seat: int,
    turn: int,
    seats: int | None,
    apart: bool,
) -> DebateContext:
    """Return the context of a sub-debate.

    Args:
        outer: that of its outer debate.
        whole: every setting in force in the sub-debate.
        node: its name, with the number of a further sweep.
        seat: the number of its first seat.
        turn: the number of its first turn, less one.
        seats: the most seats that it may take; None for the usual number.
        apart: whether it is about another question.
    """
    if seats is None:
        is_inner = outer.turns is not None and outer.seats <= SEATS
        seats = max(1, outer.seats // NESTED) if is_inner else SEATS
    calls = whole.protocol.count_all(whole)
    return msgspec.structs.replace(
        outer,
        config_of=configure_agents(whole.agents, whole.cast, outer.model),
        pack=whole.pack(outer.overlay),
        whole=whole,
        node=f"{outer.node}/{node}" if outer.node else node,
        seat=seat,
        turn=turn,
        seats=seats,
        turns=calls.most + calls.given,
        given=Views(),
        features=inherit(outer.features, Inner(whole, apart, is_first=seat == outer.seat)),
    )


def pass_on(settings: Mapping[str, Any], protocol: Protocol) -> dict[str, Any]:
    """Return the settings of a debate's agents that a sub-debate's protocol takes.

    Those that are not set are left out: the protocol may have another default.
    """
    usual = list_usual()
    names = {*list_common(), *DECLARED} & settings.keys() & {*protocol.setting_names}
    passed = {name: settings[name] for name in names if settings[name] != usual.get(name)}
    cast = [one for one in passed.pop("cast", ()) if one.get("role") in protocol.roles]
    return passed | ({"cast": cast} if cast else {})
