"""Debate-to-Write: a team of personas and a critic debate a plan, by which an essay is written."""

from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot import Debate, Question, Verdict, Views, protocol
from moot.contrib.documents.evidence import consult
from moot.contrib.essays.essay_brief import OwnOutline, own_points, read_brief
from moot.contrib.essays.essay_writing import ESSAY_CALLS, WritingSettings, finish_essay
from moot.contrib.essays.own_people import People, list_people
from moot.contrib.essays.point_evidence import (
    PointPassages,
    list_played_critic,
    search_by_points,
)
from moot.contrib.essays.quotation_mending import Strict
from moot.contrib.essays.sources import Evidence, Passages, SearchBy
from moot.contrib.essays.team import (
    EvidenceFor,
    Points,
    Stance,
    all_settled,
    check_team,
    introduce_team,
    recruit_team,
    repeat_discussion,
    seat_team,
    without_stands,
)
from moot.contrib.essays.unshown_passages import list_unfound
from moot.extend.protocols import Rounds

Team = Annotated[int, Meta(ge=1, le=10, description="how many members the team has")]
Pool = Annotated[
    int, Meta(ge=1, le=10, description="the most personas to select from; above 5, 5 or more")
]
Dialogue = Annotated[
    Literal["agents", "single"],
    Meta(description="whether agents hold the discussion or one reply plays it (authors' code)"),
]
WithPersonas = Annotated[bool, Meta(description="whether members argue as personas")]


@protocol(
    paper="Debate-to-Write, section 2, appendix A.2 and figures 8 to 10",
    calls="(0 if people else 4 * personas) + rounds * (team + 1) + 1 + alternatives + "
    "(1 if revise else 0) + strict + (0 if revise else 1 if words else 0)",
    fewest="(0 if people else 2 * personas) + 2 + alternatives + (1 if revise else 0)",
    roles=("organiser", "member", "critic", "moderator", "planner", "writer"),
    agreement=True,
    stages={
        "personas": ("0 if people else personas", "0 if people else 3 * personas"),
        "selection": ("0 if people else personas", "0 if people else personas"),
        "debate": ("1", "rounds * (team + 1)"),
        "plan": ("1", "1"),
        "essay": ESSAY_CALLS,
    },
    shared=WritingSettings,
    verify=check_team,
    group="essays",
    faithful=("paper", "code"),
)
async def debate_to_write(
    debate: Debate,
    question: Question,
    *,
    stance: Stance = "oppose",
    team: Team = 3,
    rounds: Rounds = 3,
    pool: Pool = 10,
    points: Points = 4,
    dialogue: Dialogue = "agents",
    personas: WithPersonas = True,
    people: People = (),
    outline: OwnOutline = "",
    evidence: Evidence = "",
    passages: Passages = 5,
    search_by: SearchBy = "words",
    evidence_for: EvidenceFor = "writer",
    point_passages: PointPassages = 0,
    strict: Strict = False,
) -> Verdict:
    """Let a team of personas debate a plan with a critic, then write an essay by that plan.

    Use it when an essay should rest on a plan that several points of view have disputed; it makes
    the most calls of the essay protocols.

    The members speak in turn, then the critic, each over all that was said, until every member is
    satisfied with the plan and the critic persuaded; a statement that cannot be read is a no, and a
    critic that never yields ends the debate at the last round. With ``dialogue = single`` one reply
    plays the whole discussion, as in the authors' code.

    A pool with fewer personas than the team has members is asked for again, three times in all, as
    in the authors' code; then it makes a smaller team, and one without any a team without personas.
    A selection that cannot be read, or is short, is filled up from the
    pool in its order. The essay is written from the words of the plan as they are, whether it can
    be read as one or not. An empty reply is no essay: the verdict then has no answer.

    Differs:
        - Roles: the paper gives one background to all, here each role has a system message.
        - Standing: each contribution ends with a line that says whether its speaker is satisfied or
          persuaded. All agents read these lines of the others, the planner does not.
        - Contribution: an agent is asked for one paragraph. The paper names no length.
        - Reasons: why a member was chosen is told to all. The paper is silent; the code does so.
        - Plan: the paper says "several main points", the code at most three; here at most
          ``points``, 4 by default. That it keeps to the team's ideas alone is the code's.
        - Personas: JSON objects stand in one list and are numbered from 1; the paper has one in
          each line, numbered from 0.
        - Rounds: the paper goes on until all agree; here at most ``rounds``.
        - Temperature: 1.0 in the paper and in the study ``essays``; else that of the settings.

    With ``evidence`` the planner and the writer are shown what is found in that folder by the words
    of the proposition and of each persona's claim, to be quoted by number. It is looked up once,
    before the debate; with ``evidence_for = team`` the members and the critic are shown the same
    passages by the same numbers, which the paper has not. With ``strict`` the
    writer is asked once to mend quotations and figures that do not stand there; what remains is
    struck through.
    """
    brief = read_brief(debate)
    told: dict[str, Any] = {"stance": stance, "outline": outline}
    named = list_people(people)
    if personas and not named:
        named = await recruit_team(debate, stance=stance, pool=pool, team=team, brief=brief.team)
    debate.end_stage("selection")
    introduced = introduce_team(named)
    claims = (each.claim for each in named if each.claim)
    planned = partial(list_unfound, debate.get_given("plan") or "")
    found = await consult(debate, question.text, *own_points(outline), *claims, further=planned)
    shown = found.fenced
    debated = shown if evidence_for == "team" else ""
    discussion, played = Views(), None
    if dialogue == "single":
        [moderator] = debate.seat("moderator", remembers=False, debater=False, brief=brief.team)
        said = debate.get_given("debate")
        if said or debate.asks("debate"):
            played = await debate.ask(
                moderator,
                "dialogue",
                given=said and said[0]["text"],
                team=len(named) or team,
                members=introduced,
                passages=debated,
                **told,
            )
    else:
        members = seat_team(debate, named, team, brief=brief.team, **told)
        critics = debate.seat(
            "critic", remembers=False, members=introduced, brief=brief.team, **told
        )
        slots: dict[str, Any] = {"stance": stance, "passages": debated}
        alone = len(members) == 1
        discussion = await repeat_discussion(debate, [*members, *critics], alone=alone, **slots)
        for _ in range(rounds if debate.asks("debate") else 0):
            discussion = await debate.in_turn(members, "discuss", discussion, alone=alone, **slots)
            discussion = await debate.in_turn(critics, "challenge", discussion, **slots)
            if all_settled(discussion.newest([*members, *critics])):
                break
    debate.end_stage("debate")
    told |= {"length": brief.length, "passages": shown}
    [planner] = debate.seat("planner", remembers=False, debater=False, brief=brief.planner)
    [writer] = debate.seat(
        "writer", remembers=False, debater=False, stance=stance, brief=brief.writer
    )
    plan = await debate.ask(
        planner,
        "plan",
        given=debate.get_given("plan"),
        discussion=without_stands(discussion),
        played=played,
        members=introduced,
        points=points,
        **told,
    )
    debate.end_stage("plan")
    critic = [view.text for view in discussion if view.agent.seat.role == "critic"]
    critic += list_played_critic(played.text) if played else []
    found = await search_by_points(debate, plan.turn, critic, found, point_passages)
    told |= {"passages": found.fenced}
    return await finish_essay(debate, writer, question, found, plan=plan, **told)
