"""Argued essays: the moves that their protocols share."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from moot import Agent, Debate, InputError, Question, Verdict, View, Views
from moot.essays.persona_lists import Persona, Personas, listed, team_of
from moot.essays.standing import Standing, without_standing


def check_pool(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """The settings, where a pool is large enough for a team; else an ``InputError``."""
    if settings["personas"] and settings["team"] > settings["pool"]:
        raise InputError(
            f"{where}: setting team = {settings['team']}: it is selected from a pool of "
            f"{settings['pool']} personas; set pool = {settings['team']} or more, or a smaller team"
        )
    return settings


TRIES = 3
"""How often a pool is asked for in which fewer personas can be read than a team needs."""


async def recruit_team(debate: Debate, *, stance: str, pool: int, team: int) -> tuple[Persona, ...]:
    """A team of personas, selected from a pool; both are an organiser's (section 2.1).

    A pool with fewer personas than the team needs is asked for again, three times in all (released
    code); the largest counts. The team is filled up from the pool in its order where fewer are
    selected than asked for. It is smaller where the pool is, and nobody where no persona can be
    read: then nothing is selected.
    """
    [organiser] = debate.seat("organiser", remembers=False, debater=False, stance=stance)
    made: list[tuple[View, Personas]] = []
    for _ in range(TRIES):
        said = await debate.ask(organiser, "personas", stance=stance, pool=pool)
        if (told := said.get(Personas)) is not None:
            made.append((said, told))
            if len(told.personas) >= team:
                break
    if not made:
        return ()
    said, best = max(made, key=_personas)
    known = best.personas[:pool]
    size = min(team, len(known))
    candidates = listed(known)
    chosen = await debate.ask(
        organiser,
        "select",
        in_round=1,
        stance=stance,
        team=size,
        reads=(said,),
        candidates=candidates,
    )
    selected = chosen.get(Personas)
    return team_of(known, selected.personas if selected else (), size)


def _personas(made: tuple[View, Personas]) -> int:
    return len(made[1].personas)


def label(place: int) -> str:
    """What a member of the team is called, by its place from 0: ``Agent A``, then ``Agent B``."""
    return f"Agent {ascii_uppercase[place]}"


def introduce_team(team: Sequence[Persona]) -> str:
    """The members of a team by label, a line each; empty where they are nobody in particular.

    A line has who they are, what they claim and, in brackets, why they were chosen.
    """
    lines = []
    for place, each in enumerate(team):
        told = ": ".join(filter(None, (label(place), each.description, claim_beside(each))))
        lines.append(f"{told} (chosen because: {each.reason})" if each.reason else told)
    return "\n".join(lines)


def claim_beside(persona: Persona) -> str:
    """What a persona claims; empty where nothing is, or where its description says so already."""
    return "" if persona.claim in persona.description else persona.claim


def seat_team(debate: Debate, team: Sequence[Persona], size: int, *, stance: str) -> list[Agent]:
    """The members of a team, each with its persona; ``size`` of them where there is none."""
    who = dict(enumerate(team))
    return debate.seat(
        "member",
        len(team) or size,
        remembers=False,
        labels=label,
        stance=stance,
        persona=lambda place: who[place].description if place in who else "",
        claim=lambda place: claim_beside(who[place]) if place in who else "",
        members=introduce_team(team),
    )


def without_stands(discussion: Views) -> Views:
    """What was said in a discussion, without the lines that only say where a speaker stands."""
    return Views(view.worded(without_standing(view.text)) for view in discussion)


def all_settled(views: Views) -> bool:
    """Whether all of them say so: members that they are satisfied, a critic that it is persuaded.

    Who does not say where it stands is not settled yet.
    """
    return all((standing := view.get(Standing)) and standing.settled for view in views)


def essay_verdict(view: View, question: Question) -> Verdict:
    """The essay that an agent has written, without what a model puts around it.

    A question that is no proposition but has an answer of a kind, such as a number, is answered by
    what the essay commits to.
    """
    text = view.answer if question.kind == "text" and view.answer is not None else view.text
    return Verdict(answer=view.answer, text=text, by="essay", turn=view.turn.id)
