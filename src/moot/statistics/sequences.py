"""Confidence sequences: intervals of a mean difference that hold at every look together.

Tests by betting (Waudby-Smith & Ramdas 2024, arXiv 2010.09686). A candidate mean is left out as
soon as somebody who bets against it has multiplied their capital by 2 / (1 - level), on the mean
being higher or on its being lower. If the candidate is true, no such bets get that far, ever, but
in a share 1 - level of sequences, whenever one looks and for whatever reason one stops.
"""

from math import exp, log
from typing import Protocol

from moot.core.worth import VerdictClass

STAKES = tuple(0.8 / 2**k for k in range(10))
"""Shares of the capital that may be lost on one value. Each bettor keeps to one of them: great
ones settle great differences early, small ones small differences late."""
_FAVOURED = 4  # of them; those after are for sequences of many thousands of values
_PARTS = tuple(4.0 ** min(0, _FAVOURED - 1 - k) for k in range(len(STAKES)))
START = tuple(log(part / sum(_PARTS)) for part in _PARTS)  # of each bettor at first, in logs
_STEPS = 120  # lattice points between 0 and 1: halves, thirds, quarters, … sixths, eighths, tenths
_LEAST = 1e-9  # an end that nothing has moved yet
_NEAR = 1e-9  # of the logarithm of the capital, at an end


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


def open_sequence(level: float = 0.95) -> ConfidenceSequence:
    """Return an empty sequence of the kind that moot's verdicts rest on.

    Args:
        level: above 0, below 1; over k methods together, 1 - (1 - level) / k.

    Raises:
        ValueError: for a level outside this range.
    """
    return BettingSequence(level)


class BettingSequence:
    """A confidence sequence by hedged bets on a geometric grid of stakes.

    The values may be any numbers between -1 and 1: outcomes of a paired comparison (-1, 0, 1), or
    means over the replicates of a question. They are taken as draws with one mean, each
    independent of those before; nothing else is assumed about them.

    The interval is that of all looks so far together, thus it never widens. Its ends are exact to
    1e-9 for multiples of 1/120, and for others too wide by some 1e-5; on whichever machine. If the
    values drift so far that no mean fits all looks, the last interval stays.

    One value costs the same at any n: some 40 µs, or up to 1 ms after more than 100 distinct ones.

    Attributes:
        n: values by now.
        mean: of these; None without any.
        low: -1 to 1; never falls.
        high: never rises.
        level: the share of sequences that hold the mean at all times, 0 to 1.
    """

    def __init__(self, level: float = 0.95) -> None:
        """Open a sequence without values.

        Args:
            level: above 0, below 1.

        Raises:
            ValueError: for a level outside this range.
        """
        if not 0 < level < 1:
            raise ValueError(f"the level of a sequence is above 0 and below 1, not {level}")
        self.n = 0
        self.mean: float | None = None
        self.low, self.high = -1.0, 1.0
        self.level = level
        self._sum = 0.0
        self._below, self._above = _End(level), _End(level)

    def add(self, value: float) -> None:
        """Take in the next value.

        Args:
            value: -1 to 1.

        Raises:
            ValueError: for a value outside this range.
        """
        if not -1 <= value <= 1:
            raise ValueError(f"a value of a sequence is between -1 and 1, not {value}")
        self.n += 1
        self._sum += value
        self.mean = self._sum / self.n
        low, high = self._below.add(1 + value) - 1, 1 - self._above.add(1 - value)
        low, high = max(low, self.low), min(high, self.high)
        if low <= high:
            self.low, self.high = low, high


class _End:
    """The low end of an interval for the mean of values between 0 and 2, over all looks."""

    def __init__(self, level: float) -> None:
        self._goal = log(2 / (1 - level))
        self._counts = dict[float, float]()
        self._at = _LEAST

    def add(self, value: float) -> float:
        """Take in a value, and return the end."""
        point = round(value * _STEPS) / _STEPS
        if abs(value - point) < 1e-12:
            self._count(point, 1.0)
        else:  # between two points of the lattice: never more capital, as logarithms are concave
            under = int(value * _STEPS)
            share = value * _STEPS - under
            self._count(under / _STEPS, 1 - share)
            self._count((under + 1) / _STEPS, share)
        if value > self._at:  # else the bets are lost, and the end stays
            self._rise()
        return self._at if self._at > _LEAST else 0.0

    def _count(self, point: float, weight: float) -> None:
        self._counts[point] = self._counts.get(point, 0.0) + weight

    def _rise(self) -> None:
        """Move the end to where the capital is at its goal.

        By Newton's steps in the logarithm of the candidate: there the capital's logarithm falls,
        ever less steeply, so that a step never goes beyond.
        """
        capital, slope = self._bet(self._at)
        while capital > self._goal + _NEAR:
            self._at *= exp((self._goal - capital) / slope)
            capital, slope = self._bet(self._at)

    def _bet(self, candidate: float) -> tuple[float, float]:
        """Return the logarithm of all bettors' capital, and its slope in the candidate's."""
        ways = [(value / candidate - 1, count) for value, count in self._counts.items()]
        logs, slopes = list[float](), list[float]()
        for stake, capital in zip(STAKES, START, strict=True):
            gained = slope = 0.0
            for gain, count in ways:
                factor = 1 + stake * gain
                gained += count * log(factor)
                slope -= count * stake * (gain + 1) / factor
            logs.append(capital + gained)
            slopes.append(slope)
        most = max(logs)
        shares = [exp(each - most) for each in logs]
        whole = sum(shares)
        slope = sum(share * each for share, each in zip(shares, slopes, strict=True)) / whole
        return most + log(whole), slope


def classify(low: float, high: float, margin: float) -> VerdictClass:
    """Return the class of a difference by its interval and the margin that counts as equal."""
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "equal" if -margin <= low and high <= margin else "open"
