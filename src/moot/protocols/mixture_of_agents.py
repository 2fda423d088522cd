"""Mixture of agents: layers of agents that each work the answers before them into one."""

from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.groups import split_evenly
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents
from moot.debate.verdicts import verdict_from
from moot.debate.views import Views

Layers = Annotated[
    int, Meta(ge=2, le=100, description="how many layers there are, the aggregator's included")
]
AggregatorSteps = Annotated[
    int,
    Meta(
        ge=1,
        le=1000,
        description="in how many steps the aggregator reads the last answers; above 1 each step "
        "reads its own last answer and some more (Self-MoA-Seq), with layers = 2",
    ),
]


def _check_steps(
    settings: dict[str, Any], where: str, *, agents: int, layers: int, steps: int
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` for steps that would have nothing to read."""
    if steps > 1 and layers != 2:
        raise InputError(f"{where}: steps = {steps} needs layers = 2, not {layers}")
    if steps > agents:
        raise InputError(f"{where}: steps = {steps}: there are {agents} answers to read")
    return settings


@protocol(
    paper="arXiv:2406.04692 (MoA) and its code; arXiv:2502.00674 (Self-MoA)",
    calls="agents * (layers - 1) + steps",
    answers="agents * (layers - 1)",
    roles=("proposer", "aggregator"),
    voters=("proposer",),
    first="proposer",
    closing="aggregate",
    verify=_check_steps,
    group="councils",
)
async def mixture_of_agents(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 6,
    layers: Layers = 3,
    steps: AggregatorSteps = 1,
) -> Verdict:
    """Let layers of proposers work each other's answers into better ones, and an aggregator decide.

    Use it when an open question deserves one answer that keeps the best of several models; with one
    model for all seats (Self-MoA) two layers are enough, and a vote is cheaper for short answers.

    The proposers of the first layer answer alone, those of each further layer over all answers of
    the layer before, their own among them, without names. The aggregator, alone in the last layer,
    reads the answers of the layer before in the same way, and its answer is the verdict. With
    ``steps`` above 1 it reads them in that many parts, as even as they can be: first a part, then
    its own last answer and the next part.

    Differs:
        - System message: in the code the answers stand in a system message and the question in the
          user's. Here both are in one message.
        - Windows: Self-MoA-Seq states how many answers fit into a window; here it is in how many
          steps all are read.
        - Rounds: the code's ``rounds`` counts the layers of proposers, so one less than ``layers``.
    """
    proposers = debate.seat("proposer", agents, remembers=False)
    [aggregator] = debate.seat("aggregator", remembers=False, debater=False)
    views = await debate.everyone(proposers, "answer")
    for _ in range(layers - 2):
        views = await debate.everyone(proposers, "synthesise", answers=views)
    held = Views()
    *parts, last = split_evenly(views, steps)
    for part in parts:
        shown = Views((*held, *part)).anonymous()
        told = await debate.ask(aggregator, "synthesise", in_round=layers, answers=shown)
        held = Views([told])
    shown = Views((*held, *last)).anonymous()
    final = await debate.ask(aggregator, "aggregate", in_round=layers, answers=shown)
    return verdict_from(final, by="aggregator")
