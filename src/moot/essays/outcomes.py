"""Outcomes: troubles on the way to an essay and what was done about each, in sentences.

None of these troubles stops an essay, and only the call for the pool is repeated for one.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from moot import Transcript
from moot.essays.essay_turns import (
    is_settled,
    last_turn,
    personas_in,
    pool_in,
    reading_of,
    team_in,
    turns_of,
)
from moot.essays.persona_lists import team_of
from moot.essays.plan_outline import EssayPlan

LEAST_POOL = 5
"""Personas that are asked for at least, unless the pool is smaller."""


def list_outcomes(transcript: Transcript) -> Iterator[str]:
    """Yield a sentence for each trouble that happened, in the order of the steps."""
    yield from _of_personas(transcript)
    yield from _of_discussion(transcript)
    if any(not search.passages for search in transcript.searches):
        yield "Nothing was found in the documents: there was no evidence to quote."
    plan = last_turn(transcript, "plan")
    if plan and reading_of(plan, transcript.question, EssayPlan) is None:
        yield (
            "The plan could not be read as one: the essay was to be written from its words as "
            "they are."
        )
    verdict = transcript.verdict
    if verdict and verdict.answer is None:
        yield "The reply that was to be the essay is empty: there is no essay."
    cut = dict.fromkeys(turn.step for turn in transcript.turns if turn.finish == "length")
    if cut:
        yield f"Cut off at the longest reply there may be (max_tokens): {', '.join(cut)}."


def _of_personas(transcript: Transcript) -> Iterator[str]:
    settings, pool, team = transcript.opened.settings, pool_in(transcript), team_in(transcript)
    if last_turn(transcript, "personas") is None:
        return
    times = len(turns_of(transcript, "personas"))
    if times > 1:
        yield f"The pool was asked for {times} times: it had fewer personas than the team needs."
    if not pool:
        yield "No persona could be read: the team debated without personas."
        return
    most, least = settings["pool"], min(settings["pool"], LEAST_POOL)
    if len(pool) < least:
        asked = str(most) if most == least else f"{least} to {most}"
        yield f"Of {asked} personas asked for, {len(pool)} could be read."
    if last_turn(transcript, "select") is None:
        return
    if len(team) < settings["team"]:
        yield f"The team is smaller than asked for: {len(team)} of {settings['team']}."
    named = _count_chosen(transcript)
    if not named:
        yield "The choice of the team could not be read: it was filled from the pool in its order."
    elif named < len(team):
        yield (
            f"The choice of the team names {named} of {len(team)}: it was filled up from the pool "
            "in its order."
        )


def _count_chosen(transcript: Transcript) -> int:
    """Return how many of the team were named in the choice; the others fill it up."""
    named = [replace(each, reason="named") for each in personas_in(transcript, "select")]
    team = team_of(pool_in(transcript), named, transcript.opened.settings["team"])
    return sum(each.reason == "named" for each in team)


def _of_discussion(transcript: Transcript) -> Iterator[str]:
    turns = turns_of(transcript, "discuss", "challenge")
    if not turns:
        return
    stands = [is_settled(turn, transcript.question) for turn in turns]
    if unread := stands.count(None):
        yield (
            f"Whether it is satisfied or persuaded could not be read in {unread} of {len(turns)} "
            "turns of the discussion: it counted as not yet."
        )
    last = [
        (turn.role, stand)
        for turn, stand in zip(turns, stands, strict=True)
        if turn.round == turns[-1].round
    ]
    if last_turn(transcript, "plan") is None:
        return
    open_ = [role for role, stand in last if not stand]
    most = transcript.opened.settings["rounds"]
    limit = "1 round" if most == 1 else f"{most} rounds"
    if "critic" in open_:
        yield f"The critic was not persuaded: the debate ended at its limit of {limit}."
    elif open_:
        yield f"Not every member was satisfied: the debate ended at its limit of {limit}."
