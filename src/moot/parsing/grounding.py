"""Grounding: how much of an answer its passages support, and how well it meets the question."""

from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.json_fields import read_fields
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser

MOST_CLAIMS = 1000
"""The most claims that an answer is said to make."""


class Grounding(Reading, frozen=True, kw_only=True):
    """A scorer's figures for one answer.

    Attributes:
        claims: how many claims the answer makes.
        supported: how many of them the passages support, at most all.
        relevance: how well the answer meets the question, from 0 to 1.
    """

    claims: int
    supported: int
    relevance: float

    @property
    def faithfulness(self) -> float:
        """The share of the claims that the passages support; 0 without a claim."""
        return self.supported / self.claims if self.claims else 0.0


def grounding_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of the figures, for models that follow one."""
    count = {"type": "integer", "minimum": 0, "maximum": MOST_CLAIMS}
    relevance = {"type": "number", "minimum": 0, "maximum": 1}
    return object_schema({"claims": count, "supported": count, "relevance": relevance})


_FIELDS = (
    ("claims", {"claims"}),
    ("supported", {"supported", "support"}),
    ("relevance", {"relevance", "relevant"}),
)


@parser(reading=Grounding, schema=grounding_schema)
def parse_grounding(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read ``{"claims": 4, "supported": 3, "relevance": 0.9}``.

    Figures that are missing, negative or above their bound are no reading: such an answer has not
    passed.
    """
    said = read_fields(text, _FIELDS, finished=finished) or {}
    try:
        claims, supported = (float(said[name]) for name in ("claims", "supported"))
        relevance = float(said["relevance"])
    except (KeyError, ValueError):
        return Parsed(None)
    whole = claims.is_integer() and supported.is_integer()
    if not (whole and 0 <= supported <= claims <= MOST_CLAIMS and 0 <= relevance <= 1):
        return Parsed(None)
    return Parsed(
        None, Grounding(claims=int(claims), supported=int(supported), relevance=relevance)
    )
