"""Agreement gate: agents debate only where too few of them give one answer."""

from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.inner import (
    STOPS,
    VOTER,
    FittedOn,
    InnerDebate,
    Threshold,
    enter_inner,
    resolve_inner,
)
from moot.debate.protocol import list_inner_protocols, protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.stops import accept_above, accept_agreement, measure_agreement
from moot.debate.verdicts import all_agree

Agreeing = Annotated[
    Annotated[int, Meta(ge=1, le=1000)] | None,
    Meta(
        description="how many have to give one answer; none: all; more than there are: always "
        "debates"
    ),
]
EndsAt = Annotated[
    str,
    Meta(description="the checks after each round of the debate, any of which ends it"),
]
Voters = Annotated[
    int,
    Meta(
        ge=0,
        le=1000,
        description="how many more answer alone and vote where the debate ends without agreement",
    ),
]


def _check_gate(
    settings: dict[str, Any], where: str, *, need: int | None, threshold: float | None
) -> dict[str, Any]:
    """The settings with those of the debate, and one of ``need`` and ``threshold`` at most."""
    if need is not None and threshold is not None:
        raise InputError(f"{where}: need and threshold: they say the same; keep one of them")
    return resolve_inner(settings, where)


@protocol(
    paper="arXiv:2604.09679 (HCP-MAD)",
    calls="inner + voters",
    fewest="agents",
    answers="inner + voters",
    verify=_check_gate,
    runs=list_inner_protocols,
    signal="agreement",
)
async def agreement_gate(
    debate: Debate,
    question: Question,
    *,
    inner: InnerDebate = "society-of-minds",
    agents: Agents = 3,
    rounds: Rounds = 2,
    need: Agreeing = None,
    threshold: Threshold = None,
    fitted: FittedOn = "",
    stop: EndsAt = STOPS,
    voters: Voters = 0,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let agents answer alone, and debate only where too few of them give one answer.

    Use it when different models sit at the table, or one model at a temperature above 0, and most
    questions are easy: agents that agree at once are not asked again.

    Where the debate takes place, the answers are its first round: no agent is asked for it again.
    It may be any protocol that begins with agents that each answer alone. It ends when all agree,
    when two agents have swapped answers, when no answer changed in a round, or after ``rounds``.
    Where it ends without agreement, fresh agents (``voters``) answer alone and vote with the
    others.

    Differs:
        - The source's limits of rounds were not to be had; here they are settings.
        - Agents that agree may all be wrong: on such questions it never debates.
    """
    protocol, inside = enter_inner(debate)
    first = await inside.begin(protocol.first_role, agents)
    gate = accept_agreement((need or agents) / agents)
    if threshold is not None:
        gate = accept_above(measure_agreement, threshold, signal="agreement", fitted_on=fitted)
    if inside.accepts(gate, first):
        return inside.decide(first, decision)
    verdict = await protocol.run(inside)
    last = inside.newest
    if not voters or all_agree(last, question):
        return verdict
    number = max(view.turn.round for view in last)
    fresh = inside.seat(VOTER, voters, after=0)
    escalated = await inside.everyone(fresh, "answer", in_round=number)
    return inside.decide(last.add(*escalated), decision)
