"""Free-MAD: no consensus is wanted, and the way of all answers decides."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.stop_rule import Stopping


@protocol(
    paper="arXiv:2509.11035",
    calls="agents * rounds",
    answers="agents * rounds",
    roles=("mind",),
    voters=("mind",),
    first="mind",
    shared=Stopping,
)
async def free_mad(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    decision: DecisionRule = "trajectory",
) -> Verdict:
    """Let agents look for errors in the replies, keep their answer unless shown wrong, and score.

    Use it when a majority is often wrong and you do not want agents to give in to it; where the
    majority is mostly right, a plain vote is cheaper.

    The verdict is the answer with the highest score over all rounds (``trajectory``). An answer
    gains points when an agent gives it first, keeps it or changes to it, and loses points when an
    agent leaves it. Later rounds count less.

    Differs:
        - The paper's prompts were not to be had: its points are, in our words.
        - The others' replies are shown without names; an agent's own stands in its chat.
        - An unparsed answer changes no score: the next answer is compared with the last parsed one.
    """
    minds = debate.seat("mind", agents)
    views = await debate.everyone(minds, "answer")
    for _ in debate.until_stop(range(rounds - 1)):
        views = await debate.everyone(minds, "scrutinise", others=views.without)
    return debate.decide(views, decision)
