"""The parsers of replies on the way to an essay, by the names that prompts have in ``reads_as``."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from moot import Parsed, Question, Reading, extract, parser
from moot.contrib.essays.essay_text import read_essay
from moot.contrib.essays.persona_lists import (
    Personas,
    personas_schema,
    read_personas,
    read_selection,
    selection_schema,
)
from moot.contrib.essays.plan_outline import EssayPlan, read_plan
from moot.contrib.essays.standing import SpeakerStanding, read_persuaded, read_satisfied

HeardAnswers: TypeAlias = Mapping[str, str | None] | None
"""The answers of the others, by the label under which the agent read them."""


def _without_answer(read: Callable[[str, bool], Reading | None]) -> Callable[..., Parsed]:
    """Return the function of a parser that finds a reading and no answer."""
    return lambda text, _question, finished, _heard: Parsed(None, read(text, finished))


personas = parser(name="personas", reading=Personas, schema=personas_schema)(
    _without_answer(read_personas)
)
selection = parser(name="selection", reading=Personas, schema=selection_schema)(
    _without_answer(read_selection)
)
discussion = parser(name="discussion", reading=SpeakerStanding)(
    _without_answer(lambda text, _: read_satisfied(text))
)
challenge = parser(name="challenge", reading=SpeakerStanding)(
    _without_answer(lambda text, _: read_persuaded(text))
)
dialogue = parser(name="dialogue")(_without_answer(lambda *_: None))
plan = parser(name="plan", reading=EssayPlan)(_without_answer(read_plan))


@parser()
def essay(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:  # noqa: FBT001 -- as every parser
    """Read an essay; where the question is no proposition, the answer that it commits to."""
    if question.kind == "text":
        return Parsed(read_essay(text))
    return Parsed(extract(text, question, finished, heard))
