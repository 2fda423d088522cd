"""Exchange of thought: Kitty, Peter and Ben over four topologies (Yin et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.answers.similar import alike
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent, Views
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import agreed, confidence, majority, says

AGREE = 0.85
"""Similarity of the leaves above which the exchange ends."""
SETTLED = 0.9
"""Similarity of an agent's replies in two rounds above which it leaves."""

ROLES = ("kitty", "peter", "ben")
"""Two leaves and the parent, in the settings paper."""
READS: dict[str, dict[str, set[str]]] = {
    "debate": {"kitty": {"peter"}, "peter": {"kitty"}, "ben": {"kitty", "peter"}},
    "memory": {role: set(ROLES) for role in ROLES},
    "report": {"kitty": {"ben"}, "peter": {"ben"}, "ben": {"kitty", "peter"}},
    "relay": {"kitty": {"ben"}, "peter": {"kitty"}, "ben": {"peter"}},
}

Topology = Annotated[
    Literal["debate", "memory", "report", "relay"],
    Meta(description="who reads whom: a pair and one that sees both; all; a centre; a ring"),
]
Stop = Annotated[
    Literal["similarity", "consensus"],
    Meta(description="ends when the leaves' words are alike, or when all have one answer"),
]


@protocol(
    paper="arXiv:2312.01823; Detailed Settings for Different Multi-Agent Debate Framework, EoT",
    calls="3 * rounds",
    fewest="3",
    roles=ROLES,
    agreement=True,
)
async def exchange_of_thought(
    debate: Debate,
    question: Question,
    *,
    topology: Topology = "debate",
    stop: Stop = "similarity",
    rounds: Rounds = 3,
) -> Verdict:
    """Let three agents exchange thoughts along a topology; from round 2 with their confidence.

    In every round all read the round before; but in ``debate`` Ben reads what the two others have
    just said. By ``similarity`` the exchange ends when the words of Kitty and Peter are alike, once
    Ben has read somebody; an agent leaves when it repeats itself; Ben's answer counts. By
    ``consensus`` it ends when all have one answer, and else the majority counts.
    """
    agents = {role: agent for role in ROLES for agent in debate.seat(role)}
    kitty, peter, ben = agents.values()
    said: dict[Agent, Views] = dict.fromkeys(agents.values(), Views())

    def others(agent: Agent) -> Views:
        read = READS[topology][agent.seat.role] - {agent.seat.role}
        return Views(said[one][-1] for role, one in agents.items() if role in read and said[one])

    def sure(agent: Agent) -> dict[str, float]:
        return {view.agent.label: confidence(said[view.agent], question) for view in others(agent)}

    def newest() -> Views:
        return Views(said[agent][-1] for agent in agents.values())

    gone: set[Agent] = set()
    for wave in _waves(topology, stop, rounds):
        number = {agents[role]: at for role, at in wave.items() if 0 < at <= rounds}
        there = [agent for agent in number if agent not in gone]
        if not there:
            break
        step = "exchange" if any(others(agent) for agent in there) else "answer"
        views = await debate.everyone(
            there, step, others=others, sure=sure, round=number.__getitem__
        )
        said |= {view.agent: Views((*said[view.agent], view)) for view in views}
        if stop == "consensus" and ben in number and agreed(newest(), question):
            break
        if stop == "similarity":
            gone |= {agent for agent in there if _settled(said[agent])}
            leaves = (said[leaf][-1].text for leaf in (kitty, peter))
            heard = topology == "debate" or ben.turns > 1  # before that Ben has read nobody
            if heard and there != [ben] and alike(*leaves, above=AGREE):
                rounds = number[kitty]  # Ben may still have this round before him
    if stop == "consensus":
        return majority(newest(), question)
    return says(said[ben][-1], by="ben")


def _waves(topology: str, stop: str, rounds: int) -> list[dict[str, int]]:
    """Who speaks at the same time, and in which round of theirs, if it is 1 to ``rounds``.

    In ``debate`` Ben speaks after the two others. They wait for him where his answer may end the
    exchange, and else go on meanwhile, since they do not read him.
    """
    numbers = range(1, rounds + 1)
    if topology != "debate":
        return [dict.fromkeys(ROLES, number) for number in numbers]
    if stop == "consensus":
        return [dict.fromkeys(who, number) for number in numbers for who in (ROLES[:2], ROLES[2:])]
    return [{"ben": ahead - 1} | dict.fromkeys(ROLES[:2], ahead) for ahead in range(1, rounds + 2)]


def _settled(views: Views) -> bool:
    """Whether an agent has said the same twice."""
    return len(views) > 1 and alike(views[-1].text, views[-2].text, above=SETTLED)
