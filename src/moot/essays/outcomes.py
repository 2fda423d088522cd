"""Outcomes: what went otherwise on the way to an essay, and what was done about it, in words.

None of these troubles stops an essay, and no call but that for the pool is repeated for one.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from moot.core.essays import Plan
from moot.core.events import Transcript
from moot.essays.reread import listed, newest, pool_in, settled, team_in, told
from moot.parsing.personas import team_of

LEAST = 5
"""How many personas are asked for at least, where the most is not less."""


def outcomes(transcript: Transcript) -> Iterator[str]:
    """A sentence for each stated trouble that happened, in the order of the steps."""
    yield from _of_personas(transcript)
    yield from _of_discussion(transcript)
    if any(not search.passages for search in transcript.searches):
        yield "Nothing was found in the documents: there was no evidence to quote."
    plan = newest(transcript, "plan")
    if plan and told(plan, transcript.question, Plan) is None:
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
    if newest(transcript, "personas") is None:
        return
    times = sum(turn.step == "personas" for turn in transcript.turns)
    if times > 1:
        yield f"The pool was asked for {times} times: it had fewer personas than the team needs."
    if not pool:
        yield "No persona could be read: the team debated without personas."
        return
    most, least = settings["pool"], min(settings["pool"], LEAST)
    if len(pool) < least:
        asked = str(most) if most == least else f"{least} to {most}"
        yield f"Of {asked} personas asked for, {len(pool)} could be read."
    if newest(transcript, "select") is None:
        return
    if len(team) < settings["team"]:
        yield f"The team is smaller than asked for: {len(team)} of {settings['team']}."
    named = _fitting(transcript)
    if not named:
        yield "The choice of the team could not be read: it was filled from the pool in its order."
    elif named < len(team):
        yield (
            f"The choice of the team names {named} of {len(team)}: it was filled up from the pool "
            "in its order."
        )


def _fitting(transcript: Transcript) -> int:
    """How many of the team were named in the choice; the others fill it up."""
    named = [replace(each, reason="named") for each in listed(transcript, "select")]
    team = team_of(pool_in(transcript), named, transcript.opened.settings["team"])
    return sum(each.reason == "named" for each in team)


def _of_discussion(transcript: Transcript) -> Iterator[str]:
    said = [turn for turn in transcript.turns if turn.step in ("discuss", "challenge")]
    if not said:
        return
    stands = [settled(turn, transcript.question) for turn in said]
    if unread := stands.count(None):
        yield (
            f"Whether it is satisfied or persuaded could not be read in {unread} of {len(said)} "
            "turns of the discussion: it counted as not yet."
        )
    last = [
        (turn.role, stand)
        for turn, stand in zip(said, stands, strict=True)
        if turn.round == said[-1].round
    ]
    if newest(transcript, "plan") is None:
        return
    open_ = [role for role, stand in last if not stand]
    most = transcript.opened.settings["rounds"]
    limit = "1 round" if most == 1 else f"{most} rounds"
    if "critic" in open_:
        yield f"The critic was not persuaded: the debate ended at its limit of {limit}."
    elif open_:
        yield f"Not every member was satisfied: the debate ended at its limit of {limit}."
