"""How many independent votes several voters are worth, whose errors are correlated."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean


def mean_correlation(wrong: Sequence[Sequence[bool]]) -> float | None:
    """Return the mean correlation of the errors of two voters, over all pairs of voters.

    Args:
        wrong: for each question, whether each voter is wrong; all have as many voters.

    Returns:
        From -1 to 1; None where there is no pair of voters that are each wrong on some questions
        and right on others.
    """
    columns = list(zip(*wrong, strict=True))
    n = len(wrong)
    sums = [sum(column) for column in columns]
    kept = [place for place, total in enumerate(sums) if 0 < total < n]
    found = []
    for one, other in combinations(kept, 2):
        both = sum(a and b for a, b in zip(columns[one], columns[other], strict=True))
        a, b = sums[one], sums[other]
        found.append((n * both - a * b) / sqrt(a * (n - a) * b * (n - b)))
    return fmean(found) if found else None


def effective_votes(voters: int, correlation: float | None) -> float | None:
    """Return the number of independent votes that so many correlated ones are worth.

    ``voters / (1 + (voters - 1) * correlation)``, after Kish's effective sample size.

    Args:
        voters: at least 1.
        correlation: the mean over all pairs; None where it is unknown.

    Returns:
        Above 0; None where the correlation is unknown, or so far below 0 that there is no such
        number.
    """
    if correlation is None or (spread := 1 + (voters - 1) * correlation) <= 1e-9:
        return None
    return voters / spread
