"""Tests between two arms on the same questions, and their correction where there are many."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, lgamma, log

from moot.statistics.intervals import SEED, Cluster

_DRAWS = 9_999  # so that the least p of a drawn test is 1 / 10,000
_CELLS = 250_000  # drawn at once: 2 MB
_WORKED_OUT = 50_000  # greatest sum of differences whose distribution is worked out, in 1 s


def mcnemar(better: int, worse: int) -> float:
    """McNemar's exact test: how likely a split at least this uneven is if both are as likely.

    The two-sided binomial test of ``better`` in ``better + worse`` at 1/2, worked out in whole
    numbers (McNemar 1947). From 0, not included, to 1; 1 where the arms never differ.
    """
    n, few = better + worse, min(better, worse)
    term = tail = 1
    for k in range(few):
        term = term * (n - k) // (k + 1)
        tail += term
    return float(min(1.0, 2 * tail / 2**n))


def sign_flip(differences: Iterable[Cluster], *, seed: int = SEED) -> float:
    """Return the paired permutation test of the mean difference, for replicated questions.

    If the arms are alike, every question's differences could as well have come with the other
    sign, all its replicates together; p is the share of all such changes of sign in which the
    mean is at least as far from 0 as it was (Fisher 1935, section 21; Good 2005, section 3.2.1).
    Unlike ``mcnemar`` it weighs by how much a question's replicates differ. With one replicate
    each and right or wrong, it is McNemar's exact test.

    Whole differences, as of right and wrong, are worked out exactly. Others, and those whose
    sizes sum to more than 50,000, are drawn 9,999 times, and what was observed counts as one
    draw (Phipson & Smyth 2010).

    Args:
        differences: one cluster for each question: arm minus baseline, summed over replicates.
        seed: of the draws.

    Returns:
        From 0 to 1; 1 where the arms never differ. The same if the arms are exchanged.
    """
    totals = [total for total, _ in differences if total]
    kinds = sorted(Counter(map(abs, totals)).items())
    if len(kinds) <= 1:
        better = sum(total > 0 for total in totals)
        return mcnemar(better, len(totals) - better)
    seen = abs(fsum(totals))
    reach = sum(size * times for size, times in kinds)
    if reach <= _WORKED_OUT and all(size.is_integer() for size, _ in kinds):
        return _exact_sign_flip(
            [(int(size), times) for size, times in kinds], int(reach), int(seen)
        )
    return _sample_sign_flip(kinds, reach, seen, seed)


def _exact_sign_flip(kinds: list[tuple[int, int]], reach: int, seen: int) -> float:
    """Return how likely the sum is at most as low as minus ``seen``, twice.

    For each size of difference, the number of questions with a plus sign is binomial; the sum of
    all that bear a plus sign has the convolution of these.
    """
    import numpy as np

    chances = np.ones(1)
    for size, times in kinds:
        ways = np.array([lgamma(k + 1) + lgamma(times - k + 1) for k in range(times + 1)])
        spaced = np.zeros(size * times + 1)
        spaced[::size] = np.exp(lgamma(times + 1) - times * log(2) - ways)
        chances = np.convolve(chances, spaced)
    return min(1.0, 2 * float(chances[: (reach - seen) // 2 + 1].sum()))


def _sample_sign_flip(
    kinds: list[tuple[float, int]], reach: float, seen: float, seed: int
) -> float:
    import numpy as np

    sizes, times = (np.array(column) for column in zip(*kinds, strict=True))
    draw = np.random.default_rng(seed)
    step = max(1, _CELLS // len(kinds))
    as_far = seen - 1e-9 * reach  # one sum in another order is the same sum
    extreme = 0
    for start in range(0, _DRAWS, step):
        shape = (min(step, _DRAWS - start), len(kinds))
        sums = (2 * draw.binomial(times, 0.5, size=shape) - times) @ sizes
        extreme += int((np.abs(sums) >= as_far).sum())
    return (extreme + 1) / (_DRAWS + 1)


def holm(values: Sequence[float]) -> list[float]:
    """Correct the p of many comparisons by Holm: a false discovery among them is then rare.

    The k-th least of m is multiplied by m - k + 1, and is no less than the one before it (Holm
    1979). If all up to 0.05 are called significant, the chance that any of them is false is at
    most 5 %, also where the comparisons depend on each other, as with a common baseline.

    Args:
        values: the p of each comparison of one family, in any order.

    Returns:
        The adjusted p, from 0 to 1, in the order given; equal ones stay equal.
    """
    adjusted = [0.0] * len(values)
    least = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1.0, (len(values) - place) * values[index]))
        adjusted[index] = least
    return adjusted
