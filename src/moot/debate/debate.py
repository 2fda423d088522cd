"""A debate that is running: a conversation that can be decided, and run others within itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from moot.core.errors import InputError
from moot.core.events import NodeFinished, Seat, Seated, Verdict
from moot.core.questions import Question
from moot.debate.agent_config import configure_agents
from moot.debate.agents import Agent
from moot.debate.context import DebateContext, Listener
from moot.debate.decision import find_rule, is_judge
from moot.debate.feature import list_common
from moot.debate.proceedings import Proceedings
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import list_usual
from moot.debate.shown_evidence import EMPTY_EVIDENCE
from moot.debate.stages import count_given_turns
from moot.debate.toolbox import seat_tools
from moot.debate.verdicts import view_verdict
from moot.debate.views import View, Views

SEATS = 1000
"""Seats set aside for a sub-debate, unless its outer debate says otherwise."""
NESTED = 10
"""Sub-debates of usual size that fit into a sub-debate whose own seats are not more than usual."""


@dataclass(slots=True)
class Debate(Proceedings):
    """What a protocol works with: ``seat`` agents, then ``ask`` one or ``everyone``.

    Attributes:
        question: what is debated.
        context: the settings, the prompts and the call path.
        listen: a function that is called with each event as it happens.
        views: all turns so far, in the order in which replies arrived.
    """

    _planned: int = 0
    _within: list[View] = field(default_factory=list)

    def decide(self, views: Views, rule: str) -> Verdict:
        """Return the verdict of a decision rule over the final views of those who vote.

        Args:
            views: one of each agent that votes, by seat.
            rule: the rule's name, or the name with options such as ``"last-k?k=3"``; usually the
                protocol's setting ``decision``.
        """
        chosen, options = find_rule(rule)
        said, judges = views, Views()
        if chosen.options:
            voters = {view.agent.seat.number for view in views}
            spoken = sorted(self.views, key=lambda view: view.turn.id)
            said = Views(view for view in spoken if view.agent.seat.number in voters)
            judges = Views(view for view in spoken if is_judge(view))
        return chosen.apply(views, self.question, said, options, judges)

    def keep(self, agents: Sequence[Agent], why: str, other: View | None = None) -> Views:
        """Record that agents are not asked in this round, and return what stands as their view.

        Args:
            agents: who they are; nothing is recorded where there are none.
            why: the reason in a few words, e.g. ``"with the majority"``.
            other: another agent's view that they take over; None where they keep their own.
        """
        if agents:
            self.leave_out(agents, why, other)
        if other is None:
            return Views(self.views).newest(agents)
        taken = Views(View(agent, other.turn) for agent in agents)
        self.views += taken
        return taken

    def enter(self, protocol: Protocol, settings: Mapping[str, Any]) -> "Debate":
        """Return a debate by another protocol in this one's place: its seats, turns and views.

        What is said in it stands in the transcript as this debate's own, and not as that of a
        sub-debate. Agents keep the models and settings that they have. Those that sit here already
        take no part; the others sit behind them, with the draws that they have without them.

        Args:
            protocol: one that this debate's protocol declares in ``runs``.
            settings: every setting in force, as ``Protocol.check`` gives them.
        """
        context = msgspec.structs.replace(
            self.context,
            pack=protocol.pack(self.context.overlay),
            settings=settings,
            opening_roles=protocol.roles_of_opening(settings),
            runs=protocol.subdebate_protocols(settings),
        )
        if not self._agents:
            return Debate(self.bare, context, self.record, self.views, _within=self._within)
        behind = msgspec.structs.replace(
            context, seat=self._first + len(self._agents), turn=self._turns, opening=()
        )
        return Debate(
            self.bare,
            behind,
            self.record,
            self.views,
            draws_from=self._first,
            gone=self.gone,
            _within=self._within,
        )

    async def run(
        self,
        protocol: str,
        question: Question | None = None,
        *,
        name: str = "",
        given: Views = Views(),  # noqa: B008 -- it is empty and cannot change
        seats: int | None = None,
        **settings: Any,  # noqa: ANN401 -- a setting is anything
    ) -> "SubDebate":
        """Run another protocol as a debate of its own within this one, and return its outcome.

        It has its own agents, on seats and turns of their own, whose names begin with its name.
        The first sub-debate of a protocol that has seated no agent yet has the seats from 0, and
        shares its draws with the same protocol outside of any debate.

        Args:
            protocol: the name of any registered protocol.
            question: what it debates; by default the question of this debate.
            name: of the sub-debate, by default the protocol's, with a number from the second on.
            given: views that its debaters are shown beside the question.
            seats: the most seats that it may take, those of its own sub-debates included; by
                default 1000, and within a sub-debate of 1000 seats or fewer a tenth of them.
            settings: of its protocol. Settings of agents, such as the model and the temperature,
                are those of this debate where they are not given.

        Raises:
            InputError: a setting that the protocol does not take, or a protocol that this one does
                not declare in ``runs``.
        """
        chosen = registry.get(protocol)
        if chosen.name not in self.context.runs:
            raise InputError(
                f"sub-debate {protocol}: its protocol does not declare it; its prompts belong to a "
                f"run's key: @protocol(…, runs=({protocol!r},))"
            )
        number = self._planned + 1
        planned = self.plan(
            chosen,
            chosen.check(
                self._pass_on(chosen) | settings,
                where=f"sub-debate {protocol}",
                overlay=self.context.overlay,
            ),
            name=name or (f"{protocol}-{number}" if number > 1 else protocol),
            question=question,
            seats=seats,
        )
        return await planned.run(given)

    def plan(
        self,
        protocol: Protocol,
        settings: Mapping[str, Any],
        *,
        name: str,
        question: Question | None = None,
        seats: int | None = None,
        layer: int = 1,
        sweep: int = 1,
    ) -> "PlannedDebate":
        """Set seats and turns aside for a sub-debate, and return it; it can be run later.

        Sub-debates that run at the same time are planned first, one after the other: then their
        seats and turns do not depend on which of them is faster.

        Args:
            protocol: of the sub-debate.
            settings: every setting in force, as ``Protocol.check`` gives them.
            name: of the sub-debate.
            question: what it debates; by default the question of this debate.
            seats: the most seats that it may take; None as for ``run``.
            layer: the longest way to it in a network, from 1.
            sweep: how often a sub-debate of this name has been planned, this one included.
        """
        context = self.context
        seats = self._usual_seats() if seats is None else seats
        own = name if sweep == 1 else f"{name}.{sweep}"
        turns = protocol.count(settings)[1] + count_given_turns(settings)
        first = self._first + len(self._agents)
        inner = msgspec.structs.replace(
            context,
            config_of=configure_agents(settings, context.model),
            pack=protocol.pack(context.overlay),
            settings=settings,
            node=f"{context.node}/{own}" if context.node else own,
            seat=first,
            turn=self._turns,
            seats=seats,
            turns=turns,
            steering=None,
            given=Views(),
            opening=context.opening if first == context.seat else (),
            opening_roles=protocol.roles_of_opening(settings),
            runs=protocol.subdebate_protocols(settings),
            evidence=EMPTY_EVIDENCE if question or protocol.looks_up else context.evidence,
        )
        planned = PlannedDebate(
            protocol=protocol,
            question=question or self.bare,
            context=inner,
            listen=self.record,
            within=self._within,
            name=name,
            place=self._planned,
            layer=layer,
            sweep=sweep,
        )
        self._first += seats
        self._turns += turns
        self._planned += 1
        self.context.check_room(self._turns, self._first + len(self._agents))
        return planned

    def _usual_seats(self) -> int:
        """Return the seats of a sub-debate for which none are stated."""
        context = self.context
        is_inner = context.turns is not None and context.seats <= SEATS
        return max(1, context.seats // NESTED) if is_inner else SEATS

    def _pass_on(self, protocol: Protocol) -> dict[str, Any]:
        """Return the settings of this debate's agents that a sub-debate's protocol takes.

        Those that are not set are left out: the protocol may have another default.
        """
        settings, usual = self.context.settings, list_usual()
        names = {*list_common(), "agreement"} & settings.keys() & {*protocol.setting_names}
        passed = {name: settings[name] for name in names if settings[name] != usual.get(name)}
        cast = [one for one in passed.pop("cast", ()) if one.get("role") in protocol.roles]
        return passed | ({"cast": cast} if cast else {})


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
        for seat in seat_tools(context.settings, context.seat, context.node):
            self.listen(Seated(seat=seat))
        inner = Debate(self.question, context, self.listen)
        verdict = await self.protocol.run(inner, context.settings)
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
        said = Views((*inner.views, *inner._within))  # noqa: SLF001 -- of its own class
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
