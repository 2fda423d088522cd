"""Self-correction: agents look again at their own answers, and never at one another's."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Remembered
from moot.debate.stop_rule import Stopping

SeveralRounds = Annotated[
    int, Meta(ge=2, le=1000, description="the rounds, the first answer counted")
]
Critique = Annotated[
    bool,
    Meta(description="whether an agent first looks for faults in its answer, in a call of its own"),
]


@protocol(
    paper="arXiv:2605.00914; critique: arXiv:2310.01798",
    calls="agents * (rounds + critique * (rounds - 1))",
    answers="agents * rounds",
    roles=("mind",),
    voters=("mind",),
    first="mind",
    shared=Stopping,
    kind="control",
)
async def self_correction(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: SeveralRounds = 2,
    critique: Critique = False,
    memory: Remembered = "chat",
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let every agent check its own answer again and again, then vote.

    Use it when you want to know what looking again is worth without others; it is the baseline of a
    debate with as many calls.

    It makes as many calls as ``society-of-minds`` and no agent reads another: the difference of the
    two is what reading is worth. Without a critique it is ``exposure`` with ``shows=nothing``, call
    for call.

    Differs:
        - The paper's prompt was not to be had: it is the one that ``society-of-minds`` has for an
          agent alone.
        - The paper has ten agents and three rounds after the first: ``agents=10``, ``rounds=4``.
          The defaults are those of ``society-of-minds``.
    """
    minds = debate.seat("mind", agents, memory=memory)
    views = await debate.everyone(minds, "answer")
    for number in debate.until_stop(range(2, rounds + 1)):
        if critique:
            found = await debate.everyone(minds, "review", in_round=number, votes=False)
            views = await debate.everyone(minds, "improve", in_round=number, critique=found.of)
        else:
            views = await debate.everyone(minds, "again")
    return debate.decide(views, decision)
