"""Confidence sequences: intervals of a mean difference that hold at every look together."""

from typing import Protocol

from moot.core.worth import VerdictClass


class ConfidenceSequence(Protocol):
    """An interval of the mean of values between -1 and 1, valid after every one of them.

    Attributes:
        n: values by now.
        mean: of these; None without any.
        low: -1 to 1; never falls.
        high: never rises.
        level: the share of sequences that hold the mean at all times, 0 to 1.
    """

    n: int
    mean: float | None
    low: float
    high: float
    level: float

    def add(self, value: float) -> None:
        """Take in the next value, -1 to 1."""
        ...


def classify(low: float, high: float, margin: float) -> VerdictClass:
    """Return what an interval of a difference shows, beside a margin that counts as equal."""
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "equal" if -margin <= low and high <= margin else "open"
