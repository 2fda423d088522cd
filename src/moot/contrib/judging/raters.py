"""Raters, whatever they judge: their names, and how many there may be."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from moot import InputError
from moot.extend.words import on_one_line

LONGEST_NAME = 60
"""Characters of a rater's name."""
MOST_RATERS = 1000
"""Raters that a run may have, so that the store cannot be filled with raters."""


class Rater(Protocol):
    """A person who judges.

    Attributes:
        name: the name that the person gave; unique in the run.
        key: the secret by which the server knows the rater.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 -- see above

    @property
    def key(self) -> str: ...  # noqa: D102 -- see above


R_co = TypeVar("R_co", bound=Rater, covariant=True)


class RaterSession(Protocol[R_co]):
    """The raters of a run while people judge.

    Attributes:
        invited: the raters who were named; empty where everyone may join.
    """

    @property
    def invited(self) -> Sequence[R_co]: ...  # noqa: D102 -- see above

    async def join(self, name: str) -> R_co:
        """Enrol a rater under a new name. Raises ``InputError`` for a name that cannot be."""

    def rater(self, key: str) -> R_co | None:
        """Return the rater with this key; None where no rater has it."""


def check_name(text: str) -> str:
    """Return a rater's name on one line. Raises ``InputError`` where it is none."""
    name = on_one_line(text.strip(), LONGEST_NAME + 1)
    if not name or len(name) > LONGEST_NAME:
        raise InputError(f"a rater's name has 1 to {LONGEST_NAME} characters")
    return name


def require_room(raters: int) -> None:
    """Raise ``InputError`` where a run has as many raters as it may have."""
    if raters >= MOST_RATERS:
        raise InputError(f"there are {MOST_RATERS} raters already, and no room for more")


def refuse_name(name: str) -> InputError:
    """Return the error for a name that another rater has."""
    return InputError(
        f"somebody is called {name!r} already: choose another name, or open the link that "
        "you were given when you began"
    )
