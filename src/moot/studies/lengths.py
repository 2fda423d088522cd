"""How long replies are: measured on the embedded model, by what a reply is read as.

Replies are of two sorts. Most end by themselves; their lengths are taken to have a gamma
distribution of shape 2. Some repeat themselves until they are cut off: the share of these is what
the cost of a small model without ``max_tokens`` is made of. ``python bench/estimates.py --embedded
--lengths`` measures both again.
"""

from math import exp
from typing import NamedTuple

from moot.parsing.parsers import registry as parsers


class Length(NamedTuple):
    """How long replies of one kind are.

    Attributes:
        typical: mean tokens of those that end by themselves.
        endless: the share of those that do not, 0 to 1.
        even: whether those that end are all about as long.
    """

    typical: float
    endless: float = 0.0
    even: bool = False

    def mean(self, most: int | None) -> float:
        """The mean length of replies that are cut off after ``most`` tokens.

        Where nothing cuts them off, endless ones are taken for typical ones.
        """
        if most is None:
            return self.typical
        ended = min(self.typical, most) if self.even else shorten(self.typical, most)
        return (1 - self.endless) * ended + self.endless * most


ALONE = {"simple": Length(21), "few-shot": Length(21), "explained": Length(25)}
"""Of an agent that has read no other, by style."""
OTHERWISE = Length(85, 0.02)
"""The same in all other styles."""
READING = {"explained": Length(60, 0.6)}
"""Of an agent that has read others and answers in its own words, by style."""
HAVING_READ = Length(60, 0.03)
"""The same in all other styles."""
FORMS = {
    "conclusion": Length(60, 0.15, even=True),
    "evaluation": Length(30, even=True),
    "opinion": Length(75, 0.08, even=True),
    "reasoned": Length(32, even=True),
    "ruling": Length(50, 0.25, even=True),
}
"""Of a reply that is held to a JSON schema, by what it is read as."""
FORM = Length(55, 0.05, even=True)
"""The same of all others that are."""


def length_of(style: str, reads_as: str, *, reads: bool) -> Length:
    """Return how long a reply is.

    Args:
        style: in which the agent answers.
        reads_as: what the reply is read as, the name of a parser.
        reads: whether the agent has read others.
    """
    if parsers.get(reads_as).schema is not None:
        return FORMS.get(reads_as, FORM)
    if reads:
        return READING.get(style, HAVING_READ)
    return ALONE.get(style, OTHERWISE)


def shorten(typical: float, most: int) -> float:
    """The mean length of replies that are cut off after so many tokens.

    Their lengths are taken to have a gamma distribution of shape 2: few are very short, some are
    more than twice as long as the typical one.
    """
    scale = typical / 2
    return scale * (2 - exp(-most / scale) * (2 + most / scale))
