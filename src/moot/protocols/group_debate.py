"""Group debate: groups debate apart, and read summaries of all groups between stages."""

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.groups import split_evenly
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.views import Views

Groups = Annotated[
    int,
    Meta(ge=1, le=1000, description="how many groups there are, as even as they can be"),
]
GroupStages = Annotated[
    int, Meta(ge=1, le=100, description="how often the groups debate; summaries stand between")
]
StageRounds = Annotated[Rounds, Meta(description="how many rounds a stage has")]


def _check_groups(
    settings: dict[str, Any], where: str, *, agents: int, groups: int
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` for more groups than agents."""
    if groups > agents:
        raise InputError(f"{where}: groups = {groups}: there are {agents} agents")
    return settings


@protocol(
    paper="arXiv:2409.14051 (GroupDebate), its abstract and outlines by others",
    calls="agents * stages * stage_rounds + groups * (stages - 1)",
    answers="agents * stages * stage_rounds",
    roles=("mind", "summariser"),
    agreement=True,
    voters=("mind",),
    first="mind",
    verify=_check_groups,
    group="networks",
)
async def group_debate(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 6,
    groups: Groups = 2,
    stages: GroupStages = 2,
    stage_rounds: StageRounds = 2,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let groups of agents debate apart, then over summaries of all groups, then all vote.

    Use it when many agents take part: each reads its group and short summaries in place of all
    replies; with fewer than six agents a single group is simpler.

    Agents with neighbouring numbers are a group. Within a group a stage is ``society-of-minds``.
    After each stage but the last a summariser of each group writes down its answers and their
    reasons; the next stage begins with a revision over the summaries of all groups. One group and
    one stage are ``society-of-minds``.

    Differs:
        - Savings: the paper's figures leave open whether a summary is a call. Here it is one.
        - The full text was not to be had: prompts are ours.
    """
    minds = debate.seat("mind", agents)
    between = stages > 1
    scribes = debate.seat("summariser", groups, remembers=False, debater=False) if between else []
    parts = split_evenly(minds, groups)
    group_of = {agent: part for part in parts for agent in part}
    group_of |= dict(zip(scribes, parts, strict=False))

    def list_fellows(said: Views) -> Callable[[Agent], Views]:
        return lambda agent: said.newest(each for each in group_of[agent] if each is not agent)

    views = await debate.everyone(minds, "answer")
    for stage in range(stages):
        if stage:
            told = await debate.everyone(
                scribes, "summarise", in_round=stage * stage_rounds, others=list_fellows(views)
            )
            views = await debate.everyone(
                minds,
                "revise-by-summaries",
                summaries=told,
                alone=lambda agent: len(group_of[agent]) == 1,
            )
        for _ in range(stage_rounds - 1):
            views = await debate.everyone(minds, "revise", others=list_fellows(views))
    return debate.decide(views, decision)
