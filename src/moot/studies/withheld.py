"""Transcripts of secret questions: other words where the store has none."""

from msgspec.structs import replace

from moot.core.events import Closed, Concluded, Event, Opened, Searched, Transcript, Turn


def said_otherwise(transcript: Transcript) -> Transcript:
    """A transcript with other words, no two times the same, for all that was withheld."""
    events = enumerate(transcript.events)
    return Transcript(tuple(_spoken(f"something else, {n}", event) for n, event in events))


def _spoken(words: str, event: Event) -> Event:
    if isinstance(event, Opened):
        question = event.question
        choices = tuple(f"{words} {place}" for place, _ in enumerate(question.choices))
        context = question.context and words
        return replace(
            event, question=replace(question, text=words, context=context, choices=choices)
        )
    if isinstance(event, Turn):
        return replace(event, text=words)
    if isinstance(event, Searched):
        return replace(event, query=words)
    if isinstance(event, Concluded | Closed):
        return replace(event, verdict=replace(event.verdict, text=event.verdict.text and words))
    return event
