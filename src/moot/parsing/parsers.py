"""All parsers: importing this module registers those that moot ships."""

from moot.parsing import (
    ballots,
    confidence,
    evaluation,
    experts,
    extract,
    marked,
    opinion,
    reasoned,
    ruling,
    scored,
)
from moot.parsing.parser import registry

__all__ = [
    "ballots",
    "confidence",
    "evaluation",
    "experts",
    "extract",
    "marked",
    "opinion",
    "reasoned",
    "registry",
    "ruling",
    "scored",
]
