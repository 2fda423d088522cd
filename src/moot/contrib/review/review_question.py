"""A review of a text as a question that ``moot.ask`` takes."""

import re
from typing import TypedDict

from moot.extend.records import Kind
from moot.extend.words import fence_text

PROTOCOL = "panel-review"


class AskedReview(TypedDict):
    """What ``moot.ask`` is given for a review."""

    question: str
    kind: Kind
    context: str
    protocol: str


_DIFF = re.compile(r"^(diff --git |--- |\+\+\+ |@@ )", re.MULTILINE)


def ask_for_review(
    text: str, *, about: str | None = None, decide: str | None = None
) -> AskedReview:
    """Return what ``moot.ask`` needs for the review of a text.

    The text is fenced, by more backquotes than it has in a row, so that it cannot end its fence.

    Args:
        text: a text, or a diff.
        about: what to review, in a sentence.
        decide: a question of yes or no about it, to be decided as well.
    """
    question = "Review this change." if _DIFF.search(text) else "Review this text."
    return {
        "question": decide or about or question,
        "kind": "boolean" if decide else "text",
        "context": fence_text(text),
        "protocol": PROTOCOL,
    }
