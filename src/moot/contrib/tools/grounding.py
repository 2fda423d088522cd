"""Grounding: how much of an answer its passages support, and how well it meets the question."""

import re
from collections.abc import Mapping
from typing import Any

from moot import Parsed, Question, Reading, parser
from moot.extend.protocols import load_json, object_schema, split_words

Heard = Mapping[str, str | None] | None
"""Answers of the others, by the label under which the agent read them."""
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
_OBJECT = re.compile(r"\{")


@parser(reading=Grounding, schema=grounding_schema)
def parse_grounding(
    text: str, question: Question, finished: bool, heard: Mapping[str, str | None] | None
) -> Parsed:
    """Read ``{"claims": 4, "supported": 3, "relevance": 0.9}``.

    Figures that are missing, negative or above their bound are no reading: such an answer has not
    passed.
    """
    try:
        said = _read_figures(load_json(text, _OBJECT, finished=finished))
        claims, supported, relevance = (said[name] for name, _ in _FIELDS)
    except (KeyError, ValueError):
        return Parsed(None)
    whole = claims.is_integer() and supported.is_integer()
    if not (whole and 0 <= supported <= claims <= MOST_CLAIMS and 0 <= relevance <= 1):
        return Parsed(None)
    return Parsed(
        None, Grounding(claims=int(claims), supported=int(supported), relevance=relevance)
    )


def _read_figures(loaded: Any) -> dict[str, float]:  # noqa: ANN401 -- JSON is anything
    """Return the figures of an object, or of the last one of a list. Raises ``ValueError``."""
    if isinstance(loaded, list):
        loaded = next((each for each in reversed(loaded) if isinstance(each, dict)), None)
    found: dict[str, float] = {}
    for key, value in loaded.items() if isinstance(loaded, dict) else ():
        said = split_words(str(key))
        name = next((name for name, among in _FIELDS if said & among), None)
        if name and name not in found and isinstance(value, str | int | float):
            found[name] = float("nan" if isinstance(value, bool) else value)
    return found
