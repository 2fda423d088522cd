"""A LangGraph graph of agents over a shared state, with an aggregator (Prejudice and Fidelity)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import says

Several = Annotated[int, Meta(ge=2, le=1000, description="how many agents take part")]
Mode = Annotated[
    Literal["simultaneous", "one-by-one"],
    Meta(description="whether agents speak all at once or in turn"),
]
Consensus = Annotated[bool, Meta(description="whether a round ends it in which all agree")]


@protocol(
    paper="Prejudice and Fidelity, section 3.2 and table 7; LangGraph 1",
    calls="agents * rounds + 1",
    fewest="agents * (rounds - consensus * (rounds - 1)) + 1",
    roles=("agent", "aggregator"),
    agreement=True,
    needs="langgraph",
)
async def langgraph(
    debate: Debate,
    question: Question,
    *,
    agents: Several = 3,
    rounds: Rounds = 4,
    mode: Mode = "simultaneous",
    consensus: Consensus = True,
) -> Verdict:
    """Let a LangGraph graph of agents work on a shared state, round after round, then sum up.

    Each agent is a node, and the state is what all have said. A round is one step of the graph, in
    which all agents read the rounds before; ``one-by-one`` it is a chain, in which each reads all
    that was said. The last edge of a round leads to the next, or on to an aggregator.
    """
    from moot.society.graph import converse  # the library is there: ``check`` has looked

    seats = debate.seat("agent", agents, remembers=False)
    aggregator = debate.seat("aggregator", remembers=False)[0]
    view = await converse(
        debate,
        seats,
        aggregator,
        rounds=rounds,
        at_once=mode == "simultaneous",
        consensus=consensus,
    )
    return says(view, by="aggregator")
