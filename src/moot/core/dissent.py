"""Dissents: what speaks against a verdict, as answers, pages and endpoints show it."""

import msgspec

SHOWN = 3
"""Dissents that people are shown with an answer; the transcript has them all."""


class Dissent(msgspec.Struct, frozen=True, kw_only=True):
    """A minority of those who vote, or a reply that a protocol says contradicts the others.

    Attributes:
        agents: the names of who dissents; at least one.
        why: what they say against it, in a few words: ``"answers 13"``.
        answer: theirs; None where the dissent is no answer, as in a review.
        words: the reply of the first of them.
        turn: its id.
    """

    agents: tuple[str, ...]
    why: str
    answer: str | None = None
    words: str = ""
    turn: int | None = None
