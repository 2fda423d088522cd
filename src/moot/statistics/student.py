"""Student's distribution: how far a mean may be from the truth where its error is estimated."""

from collections.abc import Sequence
from math import sqrt
from statistics import stdev

from moot.statistics.binomial import incomplete_beta, least_share
from moot.statistics.intervals import LEVEL


def measure_tails(t: float, freedom: int) -> float:
    """Return the probability of a value at least so far from 0, to either side.

    Args:
        t: the value.
        freedom: degrees of freedom, 1 or more.
    """
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 1 / 2) if t else 1.0


def find_critical_t(tails: float, freedom: int) -> float:
    """Return the value beyond which, to both sides, lies this probability, above 0 and below 1."""
    x = least_share(lambda x: incomplete_beta(x, freedom / 2, 1 / 2) >= tails)
    return sqrt(freedom * (1 - x) / x)


def reach_of_mean(values: Sequence[float]) -> float | None:
    """Return how far the mean of independent values may be from the truth, at 95 %.

    None for fewer than two values, and where all are the same, which shows no spread.
    """
    if len({*values}) < 2:
        return None
    freedom = len(values) - 1
    return find_critical_t(1 - LEVEL, freedom) * stdev(values) / sqrt(len(values))
