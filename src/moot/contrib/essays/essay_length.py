"""Essay length: how far an essay is from the words asked for, and the call that brings it there."""

from moot import Agent, Debate, Question, View
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.team import essay_verdict
from moot.contrib.essays.text_measures import is_spaceless, words

TOLERANCE = 15
"""The percentage by which an essay may be longer or shorter than it is asked to be."""


def length_error(essay: str, asked: int) -> float:
    """Return by which share an essay is longer (above 0) or shorter than the words asked for."""
    return words(essay) / asked - 1


def is_off(essay: str, asked: int) -> bool:
    """Return whether an essay is more than 15 % longer or shorter than asked for."""
    return 100 * abs(words(essay) - asked) > TOLERANCE * asked


def length_unit(essay: str) -> str:
    """Return the name of what is counted in an essay: words, or characters of its script."""
    return "character" if is_spaceless(essay) else "word"


async def adjust_length(
    debate: Debate, writer: Agent, essay: View, question: Question, *, passages: str = ""
) -> View:
    """Return the essay, or one that its writer has brought nearer to the length asked for.

    A writer is asked once, where the essay is more than 15 % off, is there at all, was not cut off,
    and is not a user's own. The nearer of the two essays counts.

    Args:
        debate: in which the essay was written; its setting ``words`` is the length asked for.
        writer: who wrote it.
        essay: its turn.
        question: the proposition.
        passages: those that the writer was shown, as prompts show them.
    """
    asked = EssaySettings.read(debate.context.settings).words
    text = essay_verdict(essay, question).text or ""
    kept = essay.turn.finish == "length" or essay.turn.is_given
    if kept or not (asked and words(text) and is_off(text, asked)):
        return essay
    changed = await debate.ask(
        writer,
        "fit",
        essay=essay,
        counted=words(text),
        unit=length_unit(text),
        words=asked,
        passages=passages,
    )
    newer = essay_verdict(changed, question).text or ""
    nearer = abs(length_error(newer, asked)) < abs(length_error(text, asked))
    return changed if words(newer) and nearer else essay
