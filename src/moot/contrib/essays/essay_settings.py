"""The settings of a debate that writes an essay, as its readers have them."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import msgspec

from moot import Transcript

LEAST_POINTS = 3
"""Main points of a plan that weighs both sides: one for each of them, and a conclusion."""


class EssaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Those of every protocol of essays that are read after they were checked.

    The attributes are the settings of these names; a setting that a protocol does not have, or that
    was not recorded, has the value of a debate without it.
    """

    stance: Literal["oppose", "support", "both", ""] = ""
    team: int = 0
    rounds: int = 0
    pool: int = 0
    points: int = LEAST_POINTS
    dialogue: str = "agents"
    personas: bool = False
    people: tuple[dict[str, str], ...] = ()
    outline: str = ""
    evidence: str = ""
    evidence_for: str = "writer"
    strict: bool = False
    words: int = 0
    audience: str = ""
    tone: str = ""
    language: str = ""
    alternatives: int = 1
    revise: str = ""
    until: str = ""
    draft: dict[str, Any] | None = None
    cast: tuple[dict[str, Any], ...] = ()
    model: str = ""

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        """Return the settings of these names among all that are in force."""
        return msgspec.convert(settings, cls)

    @classmethod
    def of(cls, transcript: Transcript) -> Self:
        """Return the settings of a debate."""
        return cls.read(transcript.opened.settings)

    @property
    def given(self) -> dict[str, Any]:
        """The stages of a draft that have something in them."""
        return {stage: content for stage, content in (self.draft or {}).items() if content}
