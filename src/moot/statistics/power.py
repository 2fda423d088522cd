"""What a number of questions could have shown: found in 80 % of studies, by a test at 5 %.

These follow from how many questions there were and how often the arms differ, not from the
difference seen: the power at the difference seen is but its p told in other words (Hoenig & Heisey
2001). What was not found may well be there, if it is smaller than this.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, floor, fsum, sqrt
from statistics import NormalDist

from moot.statistics.binomial import at_most, chance, least_share
from moot.statistics.intervals import Cluster

POWER = 0.8
_SIDE = 0.025  # of a two-sided test at 5 %
_Z = 1.959963984540054 + 0.8416212335729143  # the normal quantiles of 1 - _SIDE and of POWER
_FEW = 10  # questions that differ, below which the spread of differences is not known


@lru_cache(maxsize=4096)
def smallest_difference(n: int, differing: float, *, tests: int = 1) -> float | None:
    """Return the smallest paired difference that McNemar's exact test finds with 80 % power at 5 %.

    Worked out over all ways that n questions can come out (Duffy 1984), not approximated. A
    difference is the share of questions that one arm alone has right minus the share that the
    other alone has.

    The assumption: the arms differ on the share ``differing`` of all questions, as they were seen
    to, however large the difference; where even that share, all of one sign, would not be found,
    they differ on just as many as it takes, all of one sign.

    Args:
        n: questions, one debate in each arm.
        differing: the share of them on which exactly one arm is right, 0 to 1.
        tests: how many p are corrected together, of which this is the least.

    Returns:
        Above 0, up to 1; None where not even 1 would be found: for fewer than six questions.
    """

    def finds(gap: float) -> bool:
        return power_of_mcnemar(n, gap, differing, tests=tests) >= POWER

    return least_share(finds, within=1e-4) if finds(1.0) else None


def find_questions(difference: float, differing: float, *, tests: int = 1) -> int:
    """Return how many questions McNemar's exact test takes to find a difference in 80 % of studies.

    Rounded up to two digits, since ``differing`` is but what was seen.

    Args:
        difference: the share that one arm alone has right minus that of the other, above 0, to 1.
        differing: the sum of both shares; taken as ``difference`` where that is greater.
        tests: how many p are corrected together, of which this is the least.
    """
    return round_up(count_questions(difference, differing, tests=tests))


@lru_cache(maxsize=1024)
def count_questions(
    difference: float, differing: float, *, tests: int = 1, power: float = POWER
) -> int:
    """Return how many questions McNemar's exact test takes, to 1 %: see ``find_questions``.

    Args:
        difference: as there.
        differing: as there.
        tests: as there.
        power: the share of studies that find it, above 0, below 1.
    """

    def finds(n: int) -> bool:
        return power_of_mcnemar(n, difference, differing, tests=tests) >= power

    few, many = 1, 8
    while not finds(many):
        few, many = many, 2 * many
    while many - few > max(1, few // 100):
        middle = (few + many) // 2
        few, many = (few, middle) if finds(middle) else (middle, many)
    return many


def round_up(questions: int) -> int:
    """Return a number of questions rounded up to two digits."""
    unit = int(10 ** max(0, len(str(questions)) - 2))
    return -(-questions // unit) * unit


def power_of_mcnemar(n: int, difference: float, differing: float, *, tests: int = 1) -> float:
    """Return how likely McNemar's exact test at 5 % finds a difference, with the right sign.

    Args:
        n: questions.
        difference: the share that one arm alone has right minus that of the other, 0 to 1.
        differing: the sum of both shares; taken as ``difference`` where that is greater.
        tests: how many p are corrected together, of which this is the least.
    """
    differing = max(differing, difference)
    if not differing:
        return 0.0
    worse = (differing - difference) / (2 * differing)
    usual, reach = n * differing, 5 * sqrt(n * differing * (1 - differing))
    first, last = max(0, floor(usual - reach)), min(n, ceil(usual + reach))  # but for 1e-6
    few = _most_against(first, tests)
    tail = at_most(few, first, worse)
    power = chance(first, n, differing) * tail
    for m in range(first + 1, last + 1):
        tail -= worse * chance(few, m - 1, worse)  # the m-th question was one too many
        for more in range(few + 1, _most_against(m, tests) + 1):
            tail += chance(more, m, worse)
        few = _most_against(m, tests)
        power += chance(m, n, differing) * tail
    return power


@lru_cache(maxsize=100_000)
def _most_against(m: int, tests: int) -> int:
    """Return how many of m questions that differ may go the other way in a significant test.

    -1 where the test is significant for no number of them.
    """
    side = _SIDE / tests
    few = max(-1, floor((m - NormalDist().inv_cdf(1 - side) * sqrt(m)) / 2))
    while few >= 0 and at_most(few, m, 0.5) > side:
        few -= 1
    while at_most(few + 1, m, 0.5) <= side:
        few += 1
    return few


def correct_smallest(smallest: float, tests: int) -> float:
    """Return the smallest mean difference that is found where so many p are corrected together.

    By the normal quantiles, as ``smallest_mean_difference``.

    Args:
        smallest: the smallest of one test.
        tests: how many p are corrected together, of which this is the least.
    """
    quantile = NormalDist().inv_cdf
    return smallest * (quantile(1 - _SIDE / tests) + quantile(POWER)) / _Z


def smallest_mean_difference(differences: Iterable[Cluster]) -> float | None:
    """Return the smallest mean difference of replicated questions found with 80 % power.

    2.80 standard errors, 2.80 being the normal quantiles of 97.5 % and 80 %, summed, and the
    standard error sqrt(a / (a - 1) * sum((total - mean * size)²)) / sum(size) over a questions
    (Cochran 1977, section 6.4). It assumes that the spread of the differences does
    not depend on their mean. Normal, hence only where at least ten questions differ.

    Args:
        differences: one cluster for each question: arm minus baseline, summed over replicates.

    Returns:
        Above 0, the same in any order; None where fewer than ten questions differ, or all do by
        the same.
    """
    clusters = list(differences)
    if sum(total != 0 for total, _ in clusters) < _FEW:
        return None
    n, debates = len(clusters), sum(size for _, size in clusters)
    mean = fsum(total for total, _ in clusters) / debates
    spread = fsum((total - mean * size) ** 2 for total, size in clusters)
    return _Z * sqrt(n / (n - 1) * spread) / debates or None
