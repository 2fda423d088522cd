"""Passages of a user's documents, and quotations of them."""

import msgspec


class Passage(msgspec.Struct, frozen=True):
    """A piece of a user's document that may be quoted.

    Attributes:
        number: from 1; a quotation names it in square brackets.
        source: where it stands: the path within the user's folder, with the line.
        text: its words.
    """

    number: int
    source: str
    text: str


class Quote(msgspec.Struct, frozen=True):
    """A quotation in an essay, and whether it is one.

    Attributes:
        text: the words between the quotation marks.
        passage: the number that the essay gives for it; of several, the one whose passage has it.
        found: whether the words stand in that passage, case, space and kind of marks apart.
    """

    text: str
    passage: int
    found: bool
