"""The context of a debate: everything it needs but the algorithm."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from moot.core.events import Event
from moot.core.ports import Model
from moot.core.questions import Example, Question
from moot.debate.agents import AgentConfig
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import InForce
from moot.debate.sent_prompts import SentPrompts
from moot.debate.views import Views
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath

Listener = Callable[[Event], None]
Neighbour = Callable[[], Question | None]


def no_neighbour() -> Question | None:
    """Return None: a question that is asked alone has no neighbour."""
    return None


class DebateContext(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What a debate needs.

    Attributes:
        path: the call path of every call.
        model: returns a model by its name.
        config_of: returns the model and settings of the agent on a seat, counted from 0, by its
            role.
        pack: the prompts.
        overlay: the user's file of prompts that ``pack`` was laid over with, for sub-debates.
        whole: every setting in force.
        replicate: the study's repetition, from 0.
        number: the debate's place in the run: earlier ones are finished first.
        node: the sub-debate's name; empty for a debate of its own.
        seat: the number of its first seat.
        turn: the number of its first turn, less one.
        seats: the most seats that it may take; counts only where ``turns`` does.
        turns: the most turns that it may take; None for a debate of its own.
        given: verdicts of other nodes that stand in the question.
        sent: the prompts that it has sent, and those of its sub-debates.
        features: those of the debate, with their states.
        neighbour: returns the question that follows in the run's order, cyclic, of the same
            dataset; None where there is no other one of its kind, or it is secret.
    """

    path: CallPath
    model: Callable[[str], Model]
    config_of: Callable[[int, str], AgentConfig]
    pack: Pack
    overlay: Path | None = None
    whole: DebateSettings
    replicate: int = 0
    number: int = 0
    node: str = ""
    seat: int = 0
    turn: int = 0
    seats: int = 0
    turns: int | None = None
    given: Views = Views()
    sent: SentPrompts = msgspec.field(default_factory=SentPrompts)
    neighbour: Neighbour = no_neighbour
    features: tuple[InForce, ...] = ()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Every setting in force, by name."""
        return self.whole.flat

    @property
    def examples(self) -> list[Example]:
        """The worked examples that its agents are shown, or tried on."""
        return [
            example
            for each in self.features
            if each.has("examples")
            for example in each.feature.examples(each.state, self.whole)
        ]

    def check_room(self, turns: int, seats: int) -> None:
        """Raise ``RuntimeError`` where a sub-debate takes more seats or turns than set aside.

        Args:
            turns: the number of its newest turn.
            seats: the number after that of its last seat.
        """
        if self.turns is None:
            return
        if turns > self.turn + self.turns:
            raise RuntimeError(
                f"sub-debate {self.node}: more than {self.turns} turns, the most that its "
                "protocol's formula of calls gives"
            )
        if seats > self.seat + self.seats:
            raise RuntimeError(
                f"sub-debate {self.node}: more than {self.seats} seats; run it with seats=…"
            )
