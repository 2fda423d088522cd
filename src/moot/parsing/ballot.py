"""A ballot: how an agent votes over answers that stand under labels, and its schemas."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from moot.core.questions import Question
from moot.core.readings import Reading, readings
from moot.parsing.parser import object_schema

N = TypeVar("N", int, float)


class Ballot(Reading, frozen=True, kw_only=True):
    """A vote in several forms. What a reply does not say is empty.

    Attributes:
        vote: the one answer that it is for; None without one.
        ranking: answers, the best first.
        approved: the answers that are good enough.
        points: points by answer, each a whole number from 0.
        scores: marks by answer, each from 0 to 10.
        labels: the answer that stood under each label.

    A ballot that is for whole replies has the names of their agents in place of answers: no two
    replies are then taken for one.
    """

    vote: str | None = None
    ranking: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    points: dict[str, int] = msgspec.field(default_factory=dict)
    scores: dict[str, float] = msgspec.field(default_factory=dict)
    labels: dict[str, str] = msgspec.field(default_factory=dict)


readings.add("ballot", Ballot)

FORMS = ("vote", "ranking", "approved", "points", "scores")
"""The keys of a ballot."""
TOP = 10
"""The highest mark of a score."""


def ballot_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a ballot with all forms."""
    several = {"type": "array", "items": {"type": "string"}}
    return object_schema(
        {
            "vote": {"type": "string"},
            "ranking": several,
            "approved": several,
            "points": {"type": "object", "additionalProperties": {"type": "integer"}},
            "scores": {"type": "object", "additionalProperties": {"type": "number"}},
        }
    )


def name_labels(schema: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a ballot with some forms and its labels.

    Args:
        schema: of a ballot with all forms.
        names: the forms that are asked for, and the labels that stand in the prompt.
    """
    labels = [name for name in names if name not in FORMS]
    label = {"type": "string", "enum": labels}
    several = {"type": "array", "items": label}
    forms = {
        "vote": label,
        "ranking": several,
        "approved": several,
        "points": object_schema({each: {"type": "integer"} for each in labels}),
        "scores": object_schema({each: {"type": "number"} for each in labels}),
    }
    return object_schema({form: forms[form] for form in FORMS if form in names})


def replace_agents(ballot: Ballot, answers: Mapping[str, str | None]) -> Ballot:
    """Return a ballot that is for agents, as in a council, as one for the answers that they gave.

    An agent without an answer is left out. Of several with one answer the first in a ranking counts
    and of marks and points the highest.

    Args:
        ballot: one for answers is returned as it is.
        answers: by agent.
    """
    if not answers.keys() & {*ballot.labels.values()}:
        return ballot

    def list_answers(agents: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(answer for each in agents if (answer := answers.get(each)) is not None)
        )

    def keep_highest(marks: Mapping[str, N]) -> dict[str, N]:
        kept: dict[str, N] = {}
        for agent, mark in marks.items():
            if (answer := answers.get(agent)) is not None:
                kept[answer] = max(mark, kept.get(answer, mark))
        return kept

    return Ballot(
        vote=answers.get(ballot.vote) if ballot.vote is not None else None,
        ranking=list_answers(ballot.ranking),
        approved=list_answers(ballot.approved),
        points=keep_highest(ballot.points),
        scores=keep_highest(ballot.scores),
        labels={
            label: answer
            for label, agent in ballot.labels.items()
            if (answer := answers.get(agent)) is not None
        },
    )
