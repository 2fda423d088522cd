"""The turns of an essay's debate: what each says beside its answer, and who says it."""

from collections.abc import Sequence
from typing import TypeVar

from moot import Question, Reading, Transcript, Turn
from moot.essays.persona_lists import Persona, Personas, team_of
from moot.essays.standing import SpeakerStanding
from moot.parsing.parser import get_reading

R = TypeVar("R", bound=Reading)

_PARSERS = {
    "personas": "personas",
    "select": "selection",
    "discuss": "discussion",
    "challenge": "challenge",
    "plan": "plan",
}
"""The parser of the replies to each prompt, for transcripts that record no readings."""


def reading_of(turn: Turn, question: Question, kind: type[R]) -> R | None:
    """Return the reading of this kind in a turn, beside its answer; None if it has none."""
    return get_reading(turn, question, kind, _PARSERS[turn.step])


def turns_of(transcript: Transcript, *steps: str) -> list[Turn]:
    """Return the turns that reply to these prompts, in order."""
    return [turn for turn in transcript.turns if turn.step in steps]


def last_turn(transcript: Transcript, step: str) -> Turn | None:
    """Return the last turn that replies to this prompt; None without one."""
    return next(reversed(turns_of(transcript, step)), None)


def personas_in(transcript: Transcript, step: str) -> tuple[Persona, ...]:
    """Return the personas that a reply to this prompt names, of several replies the most."""
    read = (reading_of(turn, transcript.question, Personas) for turn in turns_of(transcript, step))
    return max((each.personas for each in read if each), key=len, default=())


def pool_in(transcript: Transcript) -> tuple[Persona, ...]:
    """Return the pool of personas; empty where none is asked for, or none can be read."""
    return personas_in(transcript, "personas")[: transcript.opened.settings.get("pool")]


def team_in(transcript: Transcript) -> tuple[Persona, ...]:
    """Return the personas of the team, each with why it was chosen; empty before the choice."""
    if not turns_of(transcript, "select"):
        return ()
    size = transcript.opened.settings["team"]
    return team_of(pool_in(transcript), personas_in(transcript, "select"), size)


def is_settled(turn: Turn, question: Question) -> bool | None:
    """Return whether a member is satisfied, or the critic persuaded; None where it does not say."""
    if turn.step not in ("discuss", "challenge"):
        return None
    standing = reading_of(turn, question, SpeakerStanding)
    return standing.settled if standing else None


def persona_of(turn: Turn, team: Sequence[Persona]) -> str:
    """Return the description of a member's persona; empty for other agents."""
    if turn.role != "member":
        return ""
    place = member_place(turn.agent)
    return team[place].description if place < len(team) else ""


def member_place(agent: str) -> int:
    """Return the place of a member in its team, from 0; a team of one has no numbers."""
    number = agent.rpartition("-")[2]
    return int(number) - 1 if number.isdecimal() else 0
