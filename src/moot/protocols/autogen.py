"""An AutoGen group chat of agents, with an aggregator (Prejudice and Fidelity)."""

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
    paper="Prejudice and Fidelity, section 3.2 and table 7; AutoGen AgentChat 0.7",
    calls="agents * rounds + 1",
    fewest="agents * (rounds - consensus * (rounds - 1)) + 1",
    roles=("agent", "aggregator"),
    agreement=True,
    needs="autogen_agentchat",
)
async def autogen(
    debate: Debate,
    question: Question,
    *,
    agents: Several = 3,
    rounds: Rounds = 4,
    consensus: Consensus = True,
) -> Verdict:
    """Let an AutoGen group chat of agents take turns, round after round, then sum up.

    The chat is a round robin: each agent has its own context of messages and is sent what every
    other says. One more agent is given the whole chat, and settles on an answer.
    """
    from moot.society.chat import converse  # the library is there: ``check`` has looked

    seats = debate.seat("agent", agents, remembers=False)
    aggregator = debate.seat("aggregator", remembers=False)[0]
    view = await converse(debate, seats, aggregator, rounds=rounds, consensus=consensus)
    return says(view, by="aggregator")
