"""Rulings that approve or reject, as the chair of a council gives them."""

import re
from typing import Any

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.confidence import read_unit
from moot.parsing.json_fields import REASONS, read_fields, split_words
from moot.parsing.parser import HeardAnswers, Parsed, object_schema, parser


class ApprovalRuling(Reading, frozen=True, kw_only=True):
    """A ruling on a proposal.

    Attributes:
        approved: whether it is approved; None where the reply says neither.
        confidence: how sure the reply says it is, 0 to 1; None where it states none.
        reason: why.
        deadlock_resolution: how a tie between the two best answers was broken; empty without one.
    """

    approved: bool | None = None
    confidence: float | None = None
    reason: str = ""
    deadlock_resolution: str = ""


APPROVED, REJECTED = "approved", "rejected"
_YES = {APPROVED, "approve", "accept", "accepted", "yes"}
_NO = {REJECTED, "reject", "veto", "vetoed", "no"}
_FIELDS = (
    ("deadlock_resolution", {"deadlock"}),
    ("verdict", {"verdict", "ruling", "decision"}),
    ("confidence", {"confidence"}),
    ("reason", REASONS),
)


_VOTE = re.compile(
    r"^[\W_]*(?:my |the |final )*(?:vote|verdict|ruling|decision)\b(?: is)?[\W_]*(.{1,40})$",
    re.IGNORECASE | re.MULTILINE,
)


def _read_line(text: str) -> dict[str, str] | None:
    """Return the verdict of a reply without JSON; None without one."""
    found = [match[1] for match in _VOTE.finditer(text)]
    return {"verdict": found[-1], "reason": text.strip()} if found else None


def approval_schema(_: Question) -> dict[str, Any]:
    """Return the JSON schema of a ruling."""
    return object_schema(
        {
            "verdict": {"type": "string", "enum": [APPROVED, REJECTED]},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "rationale": {"type": "string"},
            "deadlock_resolution": {"type": "string"},
        }
    )


@parser(
    reading=ApprovalRuling,
    schema=approval_schema,
    gives="ruling",
    counts=lambda ruling, _: ruling.approved is not None,
)
def parse_approval_ruling(
    text: str, question: Question, finished: bool, heard: HeardAnswers
) -> Parsed:
    """Read JSON with a verdict, "approved" or "rejected", a confidence from 0 to 1 and a reason.

    In a reply without JSON the last line such as "FINAL VOTE: VETO" is the verdict.

    The answer to a question of yes or no is true or false, to an open one the word itself. Any
    other question has none: the ruling is on an answer that was given before.
    """
    said = read_fields(text, _FIELDS, finished=finished) or _read_line(text)
    if said is None:
        return Parsed(None)
    words = split_words(said.get("verdict", ""))
    yes, no = bool(words & _YES), bool(words & _NO)
    approved = None if yes == no else yes != ("not" in words)
    ruling = ApprovalRuling(
        approved=approved,
        confidence=read_unit(said.get("confidence", "")),
        reason=said.get("reason", ""),
        deadlock_resolution=said.get("deadlock_resolution", ""),
    )
    answer = None
    if approved is not None and question.kind in {"boolean", "text"}:
        words_for = ("true", "false") if question.kind == "boolean" else (APPROVED, REJECTED)
        answer = words_for[not approved]
    return Parsed(answer, None if ruling == ApprovalRuling() else ruling)
