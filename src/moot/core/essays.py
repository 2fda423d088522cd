"""What argued essays are made of: personas, plans, passages of evidence, quotations."""

import msgspec

from moot.core.readings import Reading


class Persona(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who argues from a standpoint of their own.

    Attributes:
        number: the place in the pool, from 1, as it is written in the reply; None where none is.
        description: who this is, in one line.
        claim: what this persona holds of the proposition; empty where nothing is said.
        reason: why it was chosen for the team; empty in a pool.
    """

    number: int | None = None
    description: str
    claim: str = ""
    reason: str = ""


class Point(msgspec.Struct, frozen=True):
    """A main point of a plan, with the sub-points that support it, in order."""

    text: str
    supports: tuple[str, ...] = ()


class Plan(Reading, frozen=True, kw_only=False):
    """What an essay is to say.

    Attributes:
        acknowledgment: what is granted to the other side; None where nothing is.
        points: the main points, in the order in which the essay makes them.
    """

    acknowledgment: str | None = None
    points: tuple[Point, ...] = ()


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
