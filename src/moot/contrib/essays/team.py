"""The part that protocols of argued essays share: a team of personas, their stands, the verdict."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot import Agent, Debate, InputError, Question, Verdict, View, Views
from moot.contrib.essays.draft import read_dialogue_given, read_personas_given
from moot.contrib.essays.essay_brief import check_brief
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.own_people import check_people
from moot.contrib.essays.persona_lists import Persona, Personas, show_pool, team_of
from moot.contrib.essays.standing import SpeakerStanding, without_standing
from moot.extend.faults import check_known
from moot.extend.protocols import OMITTED

Stance = Annotated[
    Literal["oppose", "support", "both"],
    Meta(description="which side of the proposition is argued; both: they are weighed"),
]
ArguedSide = Annotated[
    Literal["oppose", "support"], Meta(description="which side of the proposition is argued")
]
EvidenceFor = Annotated[
    Literal["writer", "team"],
    Meta(
        description="who sees the passages: planner and writer, or members and critic, too",
        extra=OMITTED,
    ),
]
Points = Annotated[int, Meta(ge=1, le=20, description="the most main points that a plan has")]


def check_team(settings: dict[str, Any], where: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, with as many members as people are named, or as a draft has.

    Raises:
        InputError: a pool is too small for its team, a team is to see evidence and none is named,
            or what is asked of the essay, or what the draft has, cannot be.
    """
    settings = check_people(check_brief(settings, where), where, given)
    settings = _check_draft(settings, where)
    asked = EssaySettings.read(settings)
    _check_agents(asked, where)
    selects = asked.personas and not asked.people and "selection" not in (asked.draft or {})
    if selects and asked.team > asked.pool:
        raise InputError(
            f"{where}: setting team = {asked.team}: it is selected from a pool of "
            f"{asked.pool} personas; set pool = {asked.team} or more, or a smaller team"
        )
    if asked.evidence_for == "team" and not asked.evidence:
        raise InputError(
            f"{where}: setting evidence_for = 'team': name the folder of documents, evidence = …"
        )
    return settings


def _check_draft(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the settings; a pool and a team that are given have as many as they have.

    Raises:
        InputError: what is given cannot be, or it is to end after a stage that it does not have.
    """
    asked = EssaySettings.read(settings)
    given, until = asked.given, asked.until
    pool = read_personas_given(given.get("personas"), f"{where}: draft: personas")
    team = read_personas_given(given.get("selection"), f"{where}: draft: selection")
    if not asked.personas and (pool or team or until in {"personas", "selection"}):
        raise InputError(f"{where}: personas = false: there is neither a pool nor a team of them")
    if asked.people and (pool or team or until == "personas"):
        raise InputError(f"{where}: people: they are the team, and there is no pool; keep one")
    own = {name: len(each) for name, each in (("pool", pool), ("team", team)) if each}
    speakers = [label(place) for place in range(own.get("team", asked.team))]
    speakers = ["Moderator"] if asked.dialogue == "single" else [*speakers, "Critic"]
    said = read_dialogue_given(given.get("debate"), f"{where}: draft: debate")
    for place, each in enumerate(said, 1):
        at = f"{where}: draft: debate[{place}]"
        check_known("speaker", [each.speaker], speakers, where=at)
    return {**settings, **own}


def _check_agents(asked: EssaySettings, where: str) -> None:
    """Raise ``InputError`` for an agent's own persona where members have others already."""
    cast = asked.cast
    roles = {each["role"] for each in cast if "role" in each}
    alone = [each for each in cast if "role" not in each]
    first = int(asked.personas and not asked.people and "organiser" not in roles)
    seated = [] if "member" in roles else alone[first : first + asked.team]
    members = [each for each in cast if each.get("role") == "member"] + seated
    own = [each["persona"] for each in members if "persona" in each]
    if own and asked.personas:
        raise InputError(
            f"{where}: agent with persona {own[0]!r}: members have those of the pool; name a team "
            "of your own with people"
        )
    if len(own) > 1 and not seated:
        raise InputError(
            f"{where}: {len(own)} personas for role member, and all members would have the last; "
            "name a team of your own with people"
        )


TRIES = 3
"""How often a pool is asked for, until as many personas can be read as the team needs."""


async def recruit_team(
    debate: Debate, *, stance: str, pool: int, team: int, brief: str = ""
) -> tuple[Persona, ...]:
    """Have an organiser make a pool of personas and select a team from it (section 2.1).

    A pool with fewer personas than the team needs is asked for again, three times in all (released
    code); the largest counts. Where fewer are selected than asked for, the team is filled up from
    the pool in its order.

    Returns:
        The team; smaller where the pool is, and empty where no persona can be read. Then nothing
        is selected.
    """
    [organiser] = debate.seat(
        "organiser", remembers=False, debater=False, stance=stance, brief=brief
    )
    view, known = await _find_pool(debate, organiser, stance=stance, pool=pool, team=team)
    debate.end_stage("personas")
    given = read_personas_given(debate.get_given("selection"), "selection")
    if given or (known and debate.asks("selection")):
        size = min(team, len(known) or team)
        chosen = await debate.ask(
            organiser,
            "select",
            in_round=1,
            given=show_pool(given) or None,
            stance=stance,
            team=size,
            reads=(view,) if view else (),
            candidates=show_pool(known),
        )
        selected = chosen.get(Personas)
        given = given or team_of(known, selected.personas if selected else (), size)
    return given


async def _find_pool(
    debate: Debate, organiser: Agent, *, stance: str, pool: int, team: int
) -> tuple[View | None, tuple[Persona, ...]]:
    """Return the pool that is given, or asked for; with the reply that it comes from."""
    if given := read_personas_given(debate.get_given("personas"), "personas"):
        shown = show_pool(given)
        return await debate.ask(organiser, "personas", given=shown, stance=stance, pool=pool), given
    pools: list[tuple[View, Personas]] = []
    for _ in range(TRIES if debate.asks("personas") else 0):
        view = await debate.ask(organiser, "personas", stance=stance, pool=pool)
        if (read := view.get(Personas)) is not None:
            pools.append((view, read))
            if len(read.personas) >= team:
                break
    if not pools:
        return None, ()
    view, best = max(pools, key=lambda each: len(each[1].personas))
    return view, best.personas[:pool]


def label(place: int) -> str:
    """Return the label of a member of the team, by its place from 0: ``Agent A``, ``Agent B``."""
    return f"Agent {ascii_uppercase[place]}"


def introduce_team(team: Sequence[Persona]) -> str:
    """Return a line for each member of a team; empty where members have no personas.

    A line has the label, the description, the claim and, in brackets, why it was chosen.
    """
    lines = []
    for place, each in enumerate(team):
        text = ": ".join(filter(None, (label(place), each.description, claim_beside(each))))
        lines.append(f"{text} (chosen because: {each.reason})" if each.reason else text)
    return "\n".join(lines)


def claim_beside(persona: Persona) -> str:
    """Return a persona's claim; empty without one, or where its description has it already."""
    return "" if persona.claim in persona.description else persona.claim


def seat_team(
    debate: Debate,
    team: Sequence[Persona],
    size: int,
    *,
    stance: str,
    outline: str = "",
    brief: str = "",
) -> list[Agent]:
    """Seat the members of a team, each with its persona; without personas, ``size`` members."""
    who = dict(enumerate(team))
    return debate.seat(
        "member",
        len(team) or size,
        remembers=False,
        labels=label,
        stance=stance,
        outline=outline,
        brief=brief,
        persona=lambda place: who[place].description if place in who else "",
        claim=lambda place: claim_beside(who[place]) if place in who else "",
        members=introduce_team(team),
    )


async def repeat_discussion(debate: Debate, agents: Sequence[Agent], **slots: Any) -> Views:  # noqa: ANN401 -- those of the prompts
    """Return the discussion that is given, as turns of these agents; nothing is asked."""
    named = {agent.label: agent for agent in agents}
    discussion = Views()
    for each in read_dialogue_given(debate.get_given("debate"), "debate"):
        agent = named[each.speaker]
        step = "challenge" if agent.seat.role == "critic" else "discuss"
        said = await debate.ask(agent, step, given=each.text, history=discussion, **slots)
        discussion = discussion.add(said)
    return discussion


def without_stands(discussion: Views) -> Views:
    """Return a discussion without the lines that only say whether a speaker is settled."""
    return Views(view.with_text(without_standing(view.text)) for view in discussion)


def all_settled(views: Views) -> bool:
    """Return whether all members say that they are satisfied, and the critic that it is persuaded.

    A speaker that does not say so is not settled.
    """
    return all((standing := view.get(SpeakerStanding)) and standing.settled for view in views)


def essay_verdict(view: View, question: Question) -> Verdict:
    """Return the verdict of an essay: its text, without what a model puts around it.

    One of a draft is taken as it is.

    Where the question is no proposition but asks for, say, a number, the answer is the value that
    the essay commits to.
    """
    answer, text = view.answer, view.text
    if question.kind == "text" and answer is not None:
        answer = text = text.strip() if view.turn.is_given else answer
    return Verdict(answer=answer, text=text, by="essay", turn=view.turn.id)
