"""What the turns of an essay's debate say beside their answers."""

from collections.abc import Sequence
from typing import TypeVar

from moot.core.essays import Passage, Persona
from moot.core.events import Searched, Transcript, Turn
from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.parser import recorded_reading
from moot.parsing.personas import Personas, team_of
from moot.parsing.standing import Standing

S = TypeVar("S", bound=Reading)

READ_AS = {
    "personas": "personas",
    "select": "selection",
    "discuss": "discussion",
    "challenge": "challenge",
    "plan": "plan",
}
"""The parsers of these prompts' replies, for transcripts that record no readings."""


def told(turn: Turn, question: Question, kind: type[S]) -> S | None:
    """What a turn says of this kind beside its answer; None where nothing can be read."""
    return recorded_reading(turn, question, kind, READ_AS[turn.step])


def newest(transcript: Transcript, step: str) -> Turn | None:
    """The last turn that was put this prompt."""
    return next((turn for turn in reversed(transcript.turns) if turn.step == step), None)


def searched(transcript: Transcript) -> tuple[Passage, ...]:
    """The passages of the user's documents that were found."""
    found = [event.passages for event in transcript.events if isinstance(event, Searched)]
    return found[-1] if found else ()


def pool_in(transcript: Transcript) -> tuple[Persona, ...]:
    """The personas that were found; none where none were asked for, or none can be read."""
    return listed(transcript, "personas")[: transcript.opened.settings.get("pool")]


def team_in(transcript: Transcript) -> tuple[Persona, ...]:
    """The personas of the team, each with why it was chosen; none before the choice is made."""
    pool = pool_in(transcript)
    if newest(transcript, "select") is None:
        return ()
    return team_of(pool, listed(transcript, "select"), transcript.opened.settings["team"])


def settled(turn: Turn, question: Question) -> bool | None:
    """Whether a member is satisfied, or the critic persuaded; None where that cannot be read."""
    if turn.step not in ("discuss", "challenge"):
        return None
    standing = told(turn, question, Standing)
    return standing.settled if standing else None


def persona_of(turn: Turn, team: Sequence[Persona]) -> str:
    """The persona of a member of the team, in the words of the pool; empty for anybody else."""
    if turn.role != "member":
        return ""
    number = turn.agent.rpartition("-")[2]
    place = int(number) - 1 if number.isdecimal() else 0  # a team of one has no numbers
    return team[place].description if place < len(team) else ""


def listed(transcript: Transcript, step: str) -> tuple[Persona, ...]:
    """The personas that a reply to this prompt names, of several that with most; else none."""
    turns = [turn for turn in transcript.turns if turn.step == step]
    said = [told(turn, transcript.question, Personas) for turn in turns]
    return max((each.personas for each in said if each), key=len, default=())
