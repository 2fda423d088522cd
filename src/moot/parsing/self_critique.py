"""Self-critique: an answer, the strongest case against it, and the answer after that."""

from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading, readings
from moot.parsing.confidence import parse_confidence, read_unit
from moot.parsing.json_fields import REASONS, answer_schema, read_answer_field, read_fields
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser


class SelfCritique(Reading, frozen=True, kw_only=True, tag="critique"):
    """What an agent thinks of its own answer.

    Attributes:
        draft: the answer before the case against it; None where none can be read.
        chance: how likely the reply says that the draft is right, 0 to 1; None as above.
        objection: the case against the draft.
        confidence: how sure it says it is of its final answer, 0 to 1; None as above.
        reason: the reasons for the draft.
    """

    draft: str | None = None
    chance: float | None = None
    objection: str = ""
    confidence: float | None = None
    reason: str = ""


class ReplyFeatures(Reading, frozen=True, kw_only=True, tag="features"):
    """The features of a self-critique that a classifier weighs, as a debate records them.

    Attributes:
        values: by their names.
    """

    values: dict[str, float]


readings.add("features", ReplyFeatures)


_FIELDS = (
    ("draft", {"draft"}),
    ("chance", {"chance"}),
    ("objection", {"objection", "against"}),
    ("answer", {"answer", "choice", "option"}),
    ("confidence", {"confidence", "confident"}),
    ("reason", REASONS),
)


def self_critique_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a self-critique."""
    share = {"type": "number", "minimum": 0, "maximum": 1}
    return object_schema(
        {
            "reasoning": {"type": "string"},
            "draft": answer_schema(question),
            "chance": share,
            "objection": {"type": "string"},
            "answer": answer_schema(question),
            "confidence": share,
        }
    )


@parser(reading=SelfCritique, schema=self_critique_schema)
def parse_self_critique(
    text: str, question: Question, finished: bool, heard: HeardAnswers
) -> Parsed:
    """Read JSON with a draft, its chance, an objection, a final answer and a confidence (iMAD).

    A reply without JSON is read as any other, with "Confidence: 0.8" beside its answer.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is None:
        plain = parse_confidence(text, question, finished, heard)
        sure = getattr(plain.reading, "confidence", None)
        return plain._replace(reading=None if sure is None else SelfCritique(confidence=sure))
    critique = SelfCritique(
        draft=read_answer_field(said.get("draft", ""), question, heard),
        chance=read_unit(said.get("chance", "")),
        objection=said.get("objection", ""),
        confidence=read_unit(said.get("confidence", "")),
        reason=said.get("reason", ""),
    )
    answer = read_answer_field(said.get("answer", ""), question, heard)
    return Parsed(answer, None if critique == SelfCritique() else critique)
