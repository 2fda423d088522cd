"""Transcripts of format 1, as today's code reads them: the seats that do not debate are marked."""

import msgspec

from moot.core.events import Seated, Transcript

ROLES = frozenset(
    (
        *("judge", "summariser", "moderator", "aggregator", "evaluator", "role-assigner"),
        *("organiser", "planner", "writer"),
        *("claimant", "conceder", "claim-critic", "reasoning-critic", "concession-critic"),
        "essay-critic",
    )
)
"""The roles that did not debate when format 1 was written."""

STEPS = frozenset({("reasoner", "reason"), ("reasoner", "refine")})
"""A role that debated, unless it was asked one of these steps: it reasoned for an essay's claim."""


def upgrade_transcript(transcript: Transcript) -> Transcript:
    """Return a transcript of format 1 with ``Seat.debater`` set; one of a newer format as it is.

    Its readings stay None: ``moot.parsing.parser.get_reading`` parses such a turn again.
    """
    if transcript.opened.format > 1:
        return transcript
    silent = {
        turn.seat
        for turn in transcript.turns
        if turn.role in ROLES or (turn.role, turn.step) in STEPS
    }
    if not silent:
        return transcript
    replace = msgspec.structs.replace
    events = tuple(
        replace(each, seat=replace(each.seat, debater=False))
        if isinstance(each, Seated) and each.seat.number in silent
        else each
        for each in transcript.events
    )
    return Transcript(events)
