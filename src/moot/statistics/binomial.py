"""The binomial distribution: what exact intervals, tests and power are made of.

Tails are incomplete beta functions, worked out by their continued fraction (DLMF 8.17.4 and
8.17.22) as Lentz does (1976): a few dozen steps where a sum would take as many as there are
questions. Right to about 12 digits for up to a million trials.
"""

from collections.abc import Callable
from itertools import count
from math import exp, lgamma, log, log1p


def chance(k: int, n: int, share: float) -> float:
    """Return the probability of exactly ``k`` of ``n``, each with the probability ``share``."""
    if not 0 <= k <= n:
        return 0.0
    if share in {0.0, 1.0}:
        return float(k == n * share)
    ways = lgamma(n + 1) - (lgamma(k + 1) + lgamma(n - k + 1))
    return exp(ways + k * log(share) + (n - k) * log1p(-share))


def at_least(k: int, n: int, share: float) -> float:
    """Return the probability of ``k`` or more of ``n``, each with the probability ``share``."""
    if k <= 0:
        return 1.0
    if k > n or share <= 0:
        return 0.0
    return 1.0 if share >= 1 else incomplete_beta(share, k, n - k + 1)


def at_most(k: int, n: int, share: float) -> float:
    """Return the probability of ``k`` or fewer of ``n``, each with the probability ``share``."""
    return at_least(n - k, n, 1 - share)


def least_share(holds: Callable[[float], bool], *, within: float = 1e-15) -> float:
    """Return the least number from 0 to 1 from which on ``holds`` is true; 1 if it never is.

    ``holds`` is true of the number returned, which is above the least by no more than ``within``
    of itself.
    """
    low, high = 0.0, 1.0
    while high - low > within * high and low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, for x between 0 and 1."""
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side alone
        return 1 - incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    above, below, value = 1.0, 0.0, 1.0
    for m in count():
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1) * (a + 2 * m + 2))
        for term in (odd, even):
            below = 1 / (1 + term * below)
            above = 1 + term / above
            value *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return min(1.0, front / value)
