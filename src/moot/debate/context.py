"""The floor of a debate: everything it stands on but the algorithm."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from moot.core.events import Event
from moot.core.ports import Model
from moot.core.questions import Example
from moot.debate.agents import AgentConfig
from moot.debate.views import Views
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath

Listener = Callable[[Event], None]
Examples = Callable[[Mapping[str, Any]], Sequence[Example]]


def none(settings: Mapping[str, Any]) -> Sequence[Example]:  # noqa: ARG001 -- as every ``Examples``
    """No examples, whatever the settings."""
    return ()


class DebateContext(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What a debate stands on.

    Attributes:
        path: where every call goes.
        model: the model by name.
        voice: who speaks for the agent at a seat, counted from 0, with a role.
        pack: the prompts.
        overlay: the file of prompts that was laid over moot's, for the packs of nodes.
        settings: every setting in force.
        examples: by the settings of a debate, the worked examples that it shows.
        replicate: the study's repetition.
        number: the debate's place in the run: earlier ones are finished first.
        node: the node of a network this is; empty when it is none.
        seat: the number of its first seat.
        turn: the number of its first turn, less one.
        given: verdicts of other nodes that stand in the question.
        opening: the values of which who speaks first is asked whether they are the right answer.
        opened: the roles that are all asked so; empty where only the first seat is.
    """

    path: CallPath
    model: Callable[[str], Model]
    voice: Callable[[int, str], AgentConfig]
    pack: Pack
    overlay: Path | None = None
    settings: Mapping[str, Any]
    examples: Examples = none
    replicate: int = 0
    number: int = 0
    node: str = ""
    seat: int = 0
    turn: int = 0
    given: Views = Views()
    opening: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
