"""Exchange of thought: Kitty, Peter and Ben over four topologies (Yin et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.answers.same import value
from moot.answers.similar import similarity
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent, Views
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import agreed, majority, says

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
    just said. By ``similarity`` the exchange ends when the words of Kitty and Peter are alike, an
    agent leaves once it repeats itself, and Ben's answer counts. By ``consensus`` it ends when all
    have one answer, and else the majority counts.
    """
    agents = [agent for role in ROLES for agent in debate.seat(role)]
    said: dict[Agent, Views] = dict.fromkeys(agents, Views())

    def others(agent: Agent) -> Views:
        read = READS[topology][agent.seat.role] - {agent.seat.role}
        return Views(said[one][-1] for one in agents if one.seat.role in read and said[one])

    def sure(agent: Agent) -> dict[str, float]:
        return {view.agent.label: _confidence(said[view.agent], question) for view in others(agent)}

    gone: set[Agent] = set()
    kitty, peter, ben = agents
    waves = [[kitty, peter], [ben]] if topology == "debate" else [agents]
    for number in range(1, rounds + 1):
        for wave in waves:
            there = [agent for agent in wave if agent not in gone]
            step = "exchange" if any(others(agent) for agent in there) else "answer"
            views = await debate.everyone(there, step, others=others, sure=sure, round=number)
            said |= {view.agent: Views((*said[view.agent], view)) for view in views}
        last = Views(said[agent][-1] for agent in agents)
        if stop == "consensus" and agreed(last, question):
            break
        if stop == "similarity":
            gone |= {agent for agent in agents if _settled(said[agent])}
            alike = similarity(last.of(kitty).text, last.of(peter).text) > AGREE
            if alike or len(gone) == len(agents):
                break
    return majority(last, question) if stop == "consensus" else says(last.of(ben), by="parent")


def _settled(views: Views) -> bool:
    """Whether an agent has said the same twice."""
    return len(views) > 1 and similarity(views[-1].text, views[-2].text) > SETTLED


def _confidence(views: Views, question: Question) -> float:
    """The share of an agent's answers so far that equal its newest; 0 without an answer."""
    newest = views[-1].answer
    if newest is None:
        return 0.0
    same = value(newest, question.kind)
    given = [view.answer for view in views]
    return sum(one is not None and value(one, question.kind) == same for one in given) / len(given)
