"""Shown evidence: passages of documents that stand in the question that agents are asked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot import InputError, Question
from moot.contrib.documents.settings import DOCUMENTS, SEARCH_BY, SearchBy, SearchMethod
from moot.extend.protocols import OMITTED, Pack
from moot.extend.records import Passage
from moot.extend.words import break_control_words, fence_text, on_one_line

LONGEST_SOURCE = 200
"""Characters of a passage's source that a prompt shows."""


class EvidenceSource(NamedTuple):
    """The documents that an agent reads from.

    Attributes:
        folder: where they are, or ``question`` for the documents of the question itself.
        passages: the most that are shown.
        search_by: how they are searched.
    """

    folder: str
    passages: int
    search_by: SearchMethod


class DocumentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of documents; a protocol that looks them up itself has them as its own."""

    evidence: Annotated[
        str, Meta(description=f"{DOCUMENTS}, read before the question", extra=OMITTED)
    ] = ""
    passages: Annotated[
        int, Meta(ge=1, le=100, description="the most passages shown of them", extra=OMITTED)
    ] = 5
    search_by: SearchBy = SEARCH_BY

    @property
    def source(self) -> EvidenceSource | None:
        """The documents that are named; None where none are."""
        found = EvidenceSource(self.evidence, self.passages, self.search_by)
        return found if self.evidence else None


FoundEvidence = Mapping[EvidenceSource, tuple[Passage, ...]]
"""The passages that were found for a question, by the source of the agents that read them."""


def forbid_evidence(cast: Sequence[Mapping[str, Any]], protocol: str, *, where: str) -> None:
    """Raise ``InputError`` where agents have documents of their own."""
    for number, entry in enumerate(cast, 1):
        if "evidence" in entry:
            raise InputError(
                f"{where}: agents[{number}]: evidence: agents of {protocol} cannot read from "
                "sources of their own; set evidence for all"
            )


def pose_with_passages(question: Question, passages: Sequence[Passage], pack: Pack) -> Question:
    """Return a question with passages of documents before it; as it is where there are none."""
    if not passages:
        return question
    context = pack.word(
        "evidence", "shown", context=question.context, passages=fence_passages(passages)
    )
    return msgspec.structs.replace(question, context=context)


class FoundPassages(tuple[Passage, ...]):
    """Passages that were looked up."""

    __slots__ = ()

    @property
    def fenced(self) -> str:
        """The passages as a prompt shows them; see ``fence_passages``."""
        return fence_passages(self)


def fence_passages(passages: Iterable[Passage]) -> str:
    """Passages as a prompt shows them: number and source in a line, the words fenced below it."""
    return "\n\n".join(
        f"[{each.number}] {break_control_words(on_one_line(each.source, LONGEST_SOURCE))}\n"
        f"{fence_text(each.text, as_data=True)}"
        for each in passages
    )
