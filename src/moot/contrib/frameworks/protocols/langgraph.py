"""A LangGraph graph of agents over a shared state, with an aggregator (Prejudice and Fidelity)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot import Debate, Question, Verdict, protocol, verdict_from
from moot.contrib.frameworks.framework import registry as frameworks
from moot.contrib.frameworks.framework_settings import (
    EndsAtConsensus,
    Opens,
    SeveralAgents,
    list_opened,
)
from moot.extend.protocols import Rounds

GraphMode = Annotated[
    Literal["simultaneous", "one-by-one"],
    Meta(title="Who speaks when", description="whether agents speak all at once or in turn"),
]


@protocol(
    paper="Prejudice and Fidelity, section 3.2 and table 7; LangGraph 1",
    calls="agents * rounds + 1",
    fewest="agents * (rounds - consensus * (rounds - 1)) + 1",
    roles=("agent", "aggregator"),
    agreement=True,
    opened=list_opened(("agent",)),
    needs="langgraph",
    kind="society",
    closing="aggregate",
    group="networks",
    faithful=("paper",),
)
async def langgraph(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 4,
    mode: GraphMode = "simultaneous",
    consensus: EndsAtConsensus = True,
    opens: Opens = "first",
) -> Verdict:
    """Let a LangGraph graph of agents work on a shared state, round after round, then sum up.

    Use it when you want to know how a LangGraph graph of agents does on your questions; it is no
    method of its own, and needs the library.

    Each agent is a node, and the state is what all have said. A round is one step of the graph, in
    which all agents read the rounds before; ``one-by-one`` it is a chain, in which each reads all
    that was said. The last edge of a round leads to the next, or on to an aggregator.

    Differs:
        - Roles: table 7 sends the agents the task and no role. Here they have none either; a file
          of prompts can give them one (``role.agent``).
        - Opening: table 7 does not say which agents its controlled prompts go to. Appendix A names
          the side that begins, so that ``opens`` is the first agent unless it is set. All at once,
          the others then see the open question.
        - Graph: the paper does not say how it is wired, nor that agreement of all agents ends it:
          ``mode`` and ``consensus`` are moot's.
        - Aggregator: it is asked as in table 7: to summarise; for true or false to analyse and find
          the most consistent and correct answer too; for options to reply with the answer alone.
          For open questions, which the table has not, it summarises.
        - Agreement: it stands in no source. An agent that is told how far to agree has these words
          as its role.
    """
    seats = debate.seat("agent", agents, remembers=False)
    aggregator = debate.seat("aggregator", remembers=False, debater=False)[0]
    view = await frameworks.get("state-graph")(
        debate,
        seats,
        aggregator,
        rounds=rounds,
        at_once=mode == "simultaneous",
        consensus=consensus,
    )
    return verdict_from(view, by="aggregator")
