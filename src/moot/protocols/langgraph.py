"""A LangGraph graph of agents over a shared state, with an aggregator (Prejudice and Fidelity)."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import says

Several = Annotated[int, Meta(ge=2, le=1000, description="how many agents take part")]
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
    consensus: Consensus = True,
) -> Verdict:
    """Let a LangGraph graph of agents pass a shared state on, round after round, then sum up.

    Each agent is a node; the messages of the state are what all have said, in turn. The last edge
    of a round leads on to an aggregator, or back to the first agent.
    """
    from moot.society.graph import converse  # the library is there: ``check`` has looked

    seats = debate.seat("agent", agents, remembers=False)
    aggregator = debate.seat("aggregator", remembers=False)[0]
    view = await converse(debate, seats, aggregator, rounds=rounds, consensus=consensus)
    return says(view, by="aggregator")
