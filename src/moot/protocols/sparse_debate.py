"""Sparse debate: every agent reads its neighbours on a ring alone (Li et al. 2024)."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule, Rounds, SeveralAgents
from moot.debate.stop_rule import Stopping

Degree = Annotated[
    int,
    Meta(
        ge=1,
        le=999,
        description="how many others each agent reads: an even number, half of them on either "
        "side; all others where there are no more",
    ),
]
Hub = Annotated[
    Annotated[int, Meta(ge=1, le=1000)] | None,
    Meta(description="the number of an agent that reads all and is read by all; none: no one is"),
]


def _check_ring(
    settings: dict[str, Any], where: str, *, agents: int, degree: int, hub: bool
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` for a ring that cannot be."""
    if degree % 2 and degree < agents - 1:
        raise InputError(
            f"{where}: degree = {degree}: it is an even number, or {agents - 1} or more for all "
            "others"
        )
    if hub is not None and hub > agents:
        raise InputError(f"{where}: hub = {hub}: there are {agents} agents")
    return settings


@protocol(
    paper="arXiv:2406.11776; the ring after debate-or-vote",
    calls="agents * rounds",
    answers="agents * rounds",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    first="mind",
    shared=Stopping,
    steered=True,
    verify=_check_ring,
)
async def sparse_debate(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 6,
    rounds: Rounds = 3,
    degree: Degree = 2,
    hub: Hub = None,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let every agent revise its answer over those of its neighbours on a ring, then vote.

    Use it when many agents take part and prompts get long: what is read grows with the neighbours
    and not with the agents; with few agents it saves little.

    Agents sit in a ring by their numbers. With ``degree = 2`` each reads the one before and the one
    after it; when each reads all others, it is ``society-of-minds``. What an agent says takes more
    rounds to come round the ring. With ``hub`` one agent, such as one with a stronger model, reads
    all and is read by all.

    Differs:
        - Graph: the paper compares several of one density. Here it is the ring, so that all agents
          are read equally often.
    """
    minds = debate.seat("mind", agents)
    read = {mind: _list_neighbours(minds, place, degree, hub) for place, mind in enumerate(minds)}
    views = await debate.everyone(minds, "answer")
    for _ in debate.until_stop(range(rounds - 1)):
        said = {mind: views.newest(read[mind]) for mind in minds}
        views = await debate.everyone(minds, "revise", others=said.__getitem__)
    return debate.decide(views, decision)


def _list_neighbours(
    minds: Sequence[Agent], place: int, degree: int, hub: int | None
) -> list[Agent]:
    """Return those that the agent at a place reads, by seat."""
    many = len(minds)
    steps = range(1, degree // 2 + 1)
    near = {(place + step) % many for step in steps} | {(place - step) % many for step in steps}
    center = None if hub is None else hub - 1
    if degree >= many - 1 or place == center:
        near = {*range(many)}
    elif center is not None:
        near.add(center)
    return [minds[each] for each in sorted(near - {place})]
