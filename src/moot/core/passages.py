"""Passages of a user's documents."""

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
