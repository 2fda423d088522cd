"""AMERICANO: an argument's parts written apart, each criticised and refined, then composed."""

from typing import Annotated

from msgspec import Meta

from moot import Agent, Debate, Question, Verdict, Views, protocol
from moot.contrib.essays.essay_brief import BriefSettings, check_brief, read_brief
from moot.contrib.essays.essay_length import adjust_length
from moot.contrib.essays.team import ArguedSide, essay_verdict
from moot.extend.protocols import gather_all

ROLES = (
    *("claimant", "claim-critic"),
    *("reasoner", "conceder", "reasoning-critic", "concession-critic"),
    *("writer", "essay-critic"),
)
CRITICS = tuple(role for role in ROLES if role.endswith("-critic"))

Feedback = Annotated[
    int, Meta(ge=0, le=10, description="how often each part is criticised and refined; 0: never")
]


@protocol(
    paper="Debate-to-Write, section 3.2 and appendix A; after AMERICANO (arXiv:2310.20352)",
    calls="4 + 8 * feedback + (1 if words else 0)",
    fewest="4 + 8 * feedback",
    roles=ROLES,
    shared=BriefSettings,
    verify=check_brief,
    group="essays",
)
async def americano(
    debate: Debate, question: Question, *, stance: ArguedSide = "oppose", feedback: Feedback = 1
) -> Verdict:
    """Write claim, reasoning and concession apart, refine each by feedback, and compose the essay.

    Use it when an essay should have claim, reasoning and a concession to the other side; its form
    is fixed, so not for free texts.

    Debate-to-Write, whose baseline this is, says that the writing is decomposed by the structure of
    argumentative discourse; the public abstract of AMERICANO adds that its components come one
    after the other, that the essay is written from them, and that drafts are refined by feedback.
    The rest is our reading: which components there are, an agent for each, a critic for each and
    for the essay, and that reasoning and concession, which both need the claim alone, are written
    at the same time. A refinement that is empty leaves what was to be refined as it is.
    """
    brief = read_brief(debate)
    team = {
        role: debate.seat(
            role,
            debater=False,
            stance=stance,
            brief=brief.writer if role == "writer" else brief.team,
        )
        for role in ROLES
        if feedback or role not in CRITICS
    }
    claimant, reasoner, conceder, writer = (team[role][0] for role in ROLES if role not in CRITICS)
    critics = [critic for role in CRITICS for critic in team.get(role, ())]

    async def refine(
        drafts: Views, by: list[Agent], step: str, claim: Views | None = None
    ) -> Views:
        for _ in range(feedback):
            authors = [draft.agent for draft in drafts]
            of = dict(zip(by, drafts, strict=True)).__getitem__
            remarks = await debate.everyone(by, "criticise", draft=of, claim=claim)
            on = dict(zip(authors, remarks, strict=True)).__getitem__
            newer = await debate.everyone(authors, step, remark=on, length=brief.length)
            pairs = zip(drafts, newer, strict=True)
            drafts = Views(new if new.text.strip() else old for old, new in pairs)
        return drafts

    drafted = Views([await debate.ask(claimant, "claim", stance=stance)])
    claim = await refine(drafted, critics[:1], "refine")
    steps = [(reasoner, "reason"), (conceder, "concede")]
    asked = [debate.ask(agent, step, claim=claim, stance=stance) for agent, step in steps]
    parts = await refine(Views(await gather_all(asked)), critics[1:3], "refine", claim)
    draft = await debate.ask(
        writer, "essay", parts=claim.add(*parts), stance=stance, length=brief.length
    )
    [essay] = await refine(Views([draft]), critics[3:], "revise")
    written = next((each for each in (essay, draft) if each.answer is not None), essay)
    return essay_verdict(await adjust_length(debate, writer, written, question), question)
