"""Ballots: how an agent votes over answers that stand under labels."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.json_fields import load_json, object_schema, split_words
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import make_plain

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
    """Return the schema of a ballot with some forms and its labels; any other schema as it is.

    Args:
        schema: of a reply.
        names: the forms that are asked for, and the labels that stand in the prompt.
    """
    if not schema.get("properties", {}).keys() >= {*FORMS}:
        return schema
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


@parser(reading=Ballot, schema=ballot_schema)
def parse_ballot(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a ballot in JSON, or a last line such as "Vote: B".

    A label that did not stand in the prompt does not count. A ranking that names a label twice
    counts the first place. The reply's answer is that of its vote.
    """
    labels = {label: answer for label, answer in (heard or {}).items() if answer is not None}
    known = {_fold(label): answer for label, answer in labels.items()}
    loaded = load_json(text, _OBJECT, finished=finished)
    fields = {}
    if isinstance(loaded, dict):
        fields = {next(iter(split_words(str(key)) & {*FORMS}), ""): loaded[key] for key in loaded}
    vote = known.get(_fold(fields["vote"])) if isinstance(fields.get("vote"), str) else None
    if not fields:
        said = _VOTE.findall(make_plain(text))
        vote = known.get(_fold(said[-1])) if said and finished else None
    ballot = Ballot(
        vote=vote,
        ranking=_list(fields.get("ranking"), known),
        approved=_list(fields.get("approved"), known),
        points={key: int(value) for key, value in _marks(fields.get("points"), known).items()}
        if _is_whole(fields.get("points"))
        else {},
        scores={k: v for k, v in _marks(fields.get("scores"), known).items() if 0 <= v <= TOP},
        labels=labels,
    )
    stated = ballot != Ballot(labels=labels)
    return Parsed(ballot.vote, ballot if stated else None)


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


_OBJECT = re.compile(r"\{")
_VOTE = re.compile(
    r"^[-#>* ]{0,6}(?:my |final |the ){0,2}vote(?: is)?(?: for)?[ :=]{1,3}[\"'(\[]{0,2}"
    r"((?:(?:answer|option|response|agent) )?[\w#]{1,12})\b",
    re.IGNORECASE | re.MULTILINE,
)


def _fold(label: str) -> str:
    """Return a label without case, signs, and the noun before it."""
    words = re.findall(r"\w+", label.casefold())
    return " ".join(words[1:] if len(words) > 1 and words[0] in _NOUNS else words)


_NOUNS = {"answer", "option", "response", "candidate", "solution"}


def _list(value: Any, known: Mapping[str, str]) -> tuple[str, ...]:  # noqa: ANN401 -- JSON is anything
    """Return the answers of a list of labels, each once."""
    if isinstance(value, str):
        value = re.split(r"[,>;]", value)
    listed = value if isinstance(value, list) else []
    labels = [_fold(each) for each in listed if isinstance(each, str)]
    return tuple(dict.fromkeys(known[label] for label in labels if label in known))


def _marks(value: Any, known: Mapping[str, str]) -> dict[str, float]:  # noqa: ANN401 -- as above
    """Return the numbers of an object by the answers of its labels."""
    if not isinstance(value, dict):
        return {}
    found = {_fold(str(label)): number for label, number in value.items()}
    return {
        known[label]: float(number)
        for label, number in found.items()
        if label in known and isinstance(number, int | float) and not isinstance(number, bool)
    }


def _is_whole(points: Any) -> bool:  # noqa: ANN401 -- as above
    """Return whether all points are whole numbers from 0."""
    return isinstance(points, dict) and all(
        isinstance(each, int | float) and each >= 0 and each == int(each)
        for each in points.values()
    )
