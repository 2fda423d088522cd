"""Redaction: a transcript as it may be stored and shown where its question is secret."""

import msgspec

from moot.core.events import (
    Closed,
    Event,
    NodeFinished,
    Noted,
    Opened,
    Searched,
    Transcript,
    Turn,
    Verdict,
)
from moot.core.questions import OPEN, WITHHELD
from moot.core.readings import withhold_texts


def redact(transcript: Transcript) -> Transcript:
    """Return a transcript as it may be stored: of a secret question, without its texts.

    Tokens, cost and time stay, and so do answers and votes if they are no open text.
    """
    question = transcript.question
    if not question.secret:
        return transcript
    is_open = question.kind in OPEN
    return Transcript(tuple(_withhold(each, is_open) for each in transcript.events))


def _withhold(event: Event, open_: bool) -> Event:  # noqa: FBT001 -- one of two kinds of question
    """Return an event without texts that tell the question; ``open_``: nor the answers."""
    replace = msgspec.structs.replace
    if isinstance(event, Opened):
        opening = (WITHHELD,) * len(event.opening) if open_ else event.opening
        return replace(event, question=event.question.redacted, opening=opening)
    if isinstance(event, Turn):
        thought = event.thought and WITHHELD
        text = event.text and WITHHELD
        reading = event.reading and withhold_texts(event.reading)
        answer = _withhold_answer(event.answer, open_)
        return replace(event, text=text, thought=thought, answer=answer, reading=reading)
    if isinstance(event, Noted) and event.reading:
        return replace(event, reading=withhold_texts(event.reading))
    if isinstance(event, Searched):
        about = {"left_out": msgspec.UNSET, "unused": msgspec.UNSET}
        return replace(event, query=WITHHELD, passages=(), unread=(), **about)
    if isinstance(event, NodeFinished | Closed):
        return replace(event, verdict=_withhold_verdict(event.verdict, open_))
    return event


def _withhold_verdict(verdict: Verdict, open_: bool) -> Verdict:  # noqa: FBT001 -- as _withhold
    votes = verdict.votes
    if open_:  # the number of votes stays, without the answers
        votes = {f"{WITHHELD} {place}": count for place, count in enumerate(votes.values(), 1)}
    return msgspec.structs.replace(
        verdict,
        text=verdict.text and WITHHELD,
        answer=_withhold_answer(verdict.answer, open_),
        votes=votes,
    )


def _withhold_answer(answer: str | None, open_: bool) -> str | None:  # noqa: FBT001 -- as _withhold
    return WITHHELD if open_ and answer is not None else answer
