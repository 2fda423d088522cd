"""Majority lock: those who are with the majority keep their answer, and the others revise."""

from hashlib import blake2b
from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.stop_rule import Stopping
from moot.debate.views import View, Views
from moot.parsing.same import is_same, majority

Lock = Annotated[
    Literal["conformist", "follower"],
    Meta(
        description="who is not asked. conformist: agents with the most frequent answer, which "
        "keep it; follower: some agents by chance, which take it over"
    ),
]
Probability = Annotated[
    float,
    Meta(
        ge=0,
        le=1,
        title="How often a follower takes over the frequent answer",
        description="how often a follower takes over the frequent answer",
    ),
]


@protocol(
    paper="arXiv:2508.17536",
    calls="agents * rounds",
    fewest="agents",
    answers="agents * rounds",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    first="mind",
    shared=Stopping,
)
async def majority_lock(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 5,
    rounds: Rounds = 6,
    lock: Lock = "conformist",
    p: Probability = 0.3,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let agents revise, but for those that already are with the majority, then vote.

    Use it when you want a debate that does not lose what its first vote had right, and saves the
    calls of those who agree; it cannot help where most are wrong at first.

    As a ``conformist`` an agent with the most frequent answer of the round before keeps its reply.
    As a ``follower`` each agent takes that answer over with probability ``p``, without a call. Of
    equally frequent answers the one of the lowest seat counts, so where all differ a single agent
    is the majority. The debate ends when no agent would be asked.

    Differs:
        - The code of both is not public. Here the coin of a follower is thrown before its call; it
          comes from the question, the seed, the replicate, the round and the seat.
    """
    minds = debate.seat("mind", agents)
    views = await debate.everyone(minds, "answer")
    for number in debate.until_stop(range(2, rounds + 1)):
        leading = _find_leading(views, question)
        locked = [
            view.agent
            for view in views
            if leading and _is_locked(debate, view, leading, number, lock, p)
        ]
        asked = [mind for mind in minds if mind not in locked]
        if lock == "conformist":
            kept = debate.keep(locked, "with the majority")
        else:
            kept = debate.keep(locked, "follow the majority", leading)
        revised = await debate.everyone(asked, "revise", others=views.without, in_round=number)
        views = Views(kept.add(*revised).of(mind) for mind in minds)
        if not asked:
            break
    return debate.decide(views, decision)


def _find_leading(views: Views, question: Question) -> View | None:
    """Return the first view with the most frequent answer; None without any answer."""
    leading, _ = majority(views.answers, question.kind)
    return next((view for view in views if view.answer and view.answer == leading), None)


def _is_locked(debate: Debate, view: View, leading: View, number: int, lock: str, p: float) -> bool:
    """Return whether an agent is not asked in a round."""
    if lock == "conformist":
        return is_same(view.answer, leading.answer, debate.question.kind)
    return _throw_coin(debate, number, view.agent) < p


def _throw_coin(debate: Debate, number: int, agent: Agent) -> float:
    """Return a number from 0 to 1, always the same for an agent in a round."""
    key = (debate.question.id, *debate.key, number, agent.seat.number)
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest()) / 2**64
