"""Quotes: what a text presents as another's words or data, and what came of it."""

from typing import Literal

import msgspec

QuoteState = Literal["found", "altered", "missing", "struck", "unshown", "unchecked"]
"""The outcome of a quotation: it stands in the passages; something like it does; nothing does; it
did not stand there and was struck through; it stands in the documents, in a passage that was not
shown; it names no source, or says something that cannot be checked."""
FALSE = frozenset[QuoteState](("altered", "missing"))
"""The states of what a reader would take for another's words or data, and must not."""
QuoteKind = Literal["words", "figure", "statement"]
"""Words between quotation marks, a number, or a sentence that names a source and has neither."""


_ENDS = " .,;:!?…\"'“”‘’"
"""Signs at the ends of words that make no difference to them."""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Words or data that a text presents as another's, and whether they are.

    Attributes:
        text: the words between the quotation marks, or the number with its unit.
        passage: the number that the text gives for it; of several, the one whose passage has it.
            Without one, the passage in which it stands; None where it stands in none.
        found: whether it stands there.
        start: the place of its first character in the text.
        state: found, altered, missing, struck, unshown or unchecked.
        kind: words of another, a figure, or a statement that cannot be checked.
        nearest: the words of the passage where it stands, or that are nearest to it; for a figure
            those around the same number with another sign, unit or direction. Empty where nothing
            is near, and for figures that stand there.
        stands_in: where it stands, or nearly does, in another passage than the text names, that.
        given_to: whom the text names for the words, where their source names another speaker.
        said_by: whom the source names for them; empty where nobody or the same is named.
    """

    text: str
    passage: int | None
    found: bool
    start: int
    state: QuoteState
    kind: QuoteKind = "words"
    nearest: str = ""
    stands_in: int | None = None
    given_to: str = ""
    said_by: str = ""

    @property
    def is_moved(self) -> bool:
        """Whether its very words stand in the documents, in another passage than it names."""
        said, near = (
            " ".join(each.casefold().split()).strip(_ENDS) for each in (self.text, self.nearest)
        )
        return self.state == "altered" and self.stands_in is not None and said == near
