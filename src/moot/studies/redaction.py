"""Transcripts of secret questions: other words where the store has none."""

from msgspec.structs import replace

from moot.core.events import Closed, Event, NodeFinished, Opened, Searched, Transcript, Turn
from moot.core.questions import WITHHELD


def said_otherwise(transcript: Transcript) -> Transcript:
    """A transcript with other words, no two times the same, for all that was withheld."""
    events = enumerate(transcript.events)
    return Transcript(tuple(_spoken(f"something else, {n}", event) for n, event in events))


def _spoken(words: str, event: Event) -> Event:
    if isinstance(event, Opened):
        question = event.question
        choices = tuple(f"{words} {place}" for place, _ in enumerate(question.choices))
        context = question.context and words
        right = question.answer
        if isinstance(right, tuple):
            right = tuple(_otherwise(each, f"{words}, right {n}") for n, each in enumerate(right))
        elif right is not None:
            right = _otherwise(right, f"{words}, right")
        told = replace(question, text=words, context=context, choices=choices, answer=right)
        opening = tuple(_otherwise(each, f"{words}, {n}") for n, each in enumerate(event.opening))
        return replace(event, question=told, opening=opening)
    if isinstance(event, Turn):
        answer = event.answer and _otherwise(event.answer, words)
        thought = event.thought and words
        return replace(event, text=event.text and words, thought=thought, answer=answer)
    if isinstance(event, Searched):
        return replace(event, query=words)
    if isinstance(event, NodeFinished | Closed):
        verdict = event.verdict
        answer = verdict.answer and _otherwise(verdict.answer, words)
        return replace(event, verdict=replace(verdict, text=verdict.text and words, answer=answer))
    return event


def _otherwise(answer: str, words: str) -> str:
    return words if answer == WITHHELD else answer
