"""What is settled between the turns of a debate, without a call, and which rounds it has."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.core.events import Noted, NoteKind
from moot.core.readings import Reading
from moot.debate.agents import Agent
from moot.debate.conversation import Conversation
from moot.debate.stages import StageReached
from moot.debate.steering import Way, count_further, make_note
from moot.debate.stop_rule import find_stops
from moot.debate.stops import COMPARED, Ending, Gate, Stop
from moot.debate.views import View, Views


@dataclass(slots=True)
class Proceedings(Conversation):
    """A conversation that records what is settled between its turns.

    Attributes:
        gone: the agents that were dismissed.
    """

    gone: set[Agent] = field(default_factory=set)

    def leave_out(self, agents: Sequence[Agent], why: str, other: View | None = None) -> None:
        """Record that agents are not asked.

        Args:
            agents: who they are; empty where all are asked, though there is a reason not to.
            why: the reason in a few words.
            other: another agent's view that they take over.
        """
        names = tuple(agent.seat.agent for agent in agents)
        self._note("kept", why, agents=names, turn=other and other.turn.id)

    def dismiss(self, agents: Sequence[Agent], why: str) -> None:
        """Record that agents take no further part: they have no vote, and nothing asks them again.

        Args:
            agents: who they are; nothing is recorded where there are none.
            why: the reason in a few words.
        """
        names = tuple(agent.seat.agent for agent in agents)
        if names:
            self.gone.update(agents)
            self._note("dismissed", why, agents=names)

    def accepts(self, gate: Gate, views: Views) -> bool:
        """Return whether a gate accepts the first round, and record what it says."""
        return self._settle("gate", gate(views, self.question))

    def ends(self, stop: Stop, views: Views) -> bool:
        """Return whether a stop ends the debate after these views, and record what it says."""
        return self._settle("stop", stop(views, self.question))

    def record_count(self, counted: Reading, why: str) -> None:
        """Record what ballots, marks or weights add up to.

        Args:
            counted: the figures.
            why: how they were counted, in a few words.
        """
        self._note("count", why, reading=counted)

    def record_dissent(
        self, view: View, why: str, *, signal: float | None = None, threshold: float | None = None
    ) -> None:
        """Record that a reply contradicts the others; the debate's answer shows it to people.

        Args:
            view: the reply.
            why: what it contradicts, in a few words.
            signal: the number by which it does; None where there is none.
            threshold: what that was compared with.
        """
        who, turn = (view.agent.seat.agent,), view.turn.id
        self._note("dissent", why, agents=who, turn=turn, signal=signal, threshold=threshold)

    def get_given(self, stage: str) -> Any:  # noqa: ANN401 -- each stage has a content of its own
        """Return what is given of a stage; None where nothing is, asked or not."""
        return (self.context.settings.get("draft") or {}).get(stage)

    def asks(self, stage: str) -> bool:
        """Return whether a stage is asked: neither it is given nor a stage after it."""
        return stage not in (self.context.settings.get("draft") or {})

    def end_stage(self, stage: str) -> None:
        """End the debate here, without a verdict, where its setting ``until`` names this stage."""
        if self.context.settings.get("until") == stage:
            raise StageReached

    def until_stop(self, rounds: Iterable[int], stop: Stop | None = None) -> Iterator[int]:
        """Yield each round, until one is the last: by a stop, or by what a person asks.

        What stops and people say is recorded. Without the setting ``stop``, and while nothing was
        said yet, every round is yielded. A person who follows the debate may ask for one more round
        than there are, if ``rounds`` is a range, or for none after this one.

        Args:
            rounds: the numbers of the rounds.
            stop: the protocol's own, beside those of the setting; it sees the newest views.
        """
        history: list[Views] = []
        planned, further, extra = iter(rounds), count_further(rounds), 0
        while True:
            asked = self._take_steps()
            if "decide" in asked:
                return
            extra += asked.count("extend")
            number = next(planned, None)
            if number is None or self._is_stopped(history, stop):
                if extra and number is None:
                    number = next(further, None)
                if not extra or number is None:
                    return
                extra -= 1
            yield number

    def _is_stopped(self, history: list[Views], own: Stop | None) -> bool:
        """Return whether a stop ends the debate after the newest views, and record what it says.

        Args:
            history: the views of each round so far, to which the newest are added.
            own: the protocol's own stop.
        """
        if not self.views:
            return False
        ends = own is not None and self.ends(own, self.newest)
        if stops := find_stops(self.context.settings.get("stop", "")):
            history.append(self.newest)
            settings, question = self.context.settings, self.question
            said = [each.apply(history, question, settings) for each in stops]
            ends = bool(sum(self._settle("stop", ending) for ending in said)) or ends
        return ends

    def _take_steps(self) -> list[Way]:
        """Record what a person asked for until the end of this round, and return it."""
        if (steering := self.context.steering) is None:
            return []
        taken = steering.take(self.newest_turn)
        for step in taken:
            self.record(make_note(step, after=self.newest_turn, node=self.context.node))
        return [step.way for step in taken]

    @property
    def newest(self) -> Views:
        """The newest view of each debater that votes, by seat."""
        voting = (
            view
            for view in self.views
            if view.turn.votes and view.agent.seat.debater and view.agent not in self.gone
        )
        return Views(sorted(Views(voting).last, key=lambda view: view.agent.seat.number))

    def _settle(self, what: NoteKind, ending: Ending | None) -> bool:
        if ending is None:
            return False
        self._note(what, ending.why, **{name: getattr(ending, name) for name in COMPARED})
        return ending.ends

    def _note(self, what: NoteKind, why: str, **more: Any) -> None:  # noqa: ANN401 -- the fields of ``Noted``
        after, node = self.newest_turn, self.context.node
        self.record(Noted(what=what, why=why, after=after, node=node, **more))
