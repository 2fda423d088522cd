"""What replicates tell: how much of the spread is the questions' and how much is chance."""

from collections.abc import Iterable
from math import fsum, sqrt
from typing import NamedTuple


class Split(NamedTuple):
    """The variance of one debate's value, in two parts.

    Attributes:
        question: between questions, of the expected means of their replicates.
        seed: between the replicates of one question. Both are 0 or more.
    """

    question: float
    seed: float

    @property
    def share(self) -> float | None:
        """The questions' part of the whole, 0 to 1 (the intraclass correlation); None of 0."""
        whole = self.question + self.seed
        return self.question / whole if whole else None

    def error(self, questions: int, replicates: int) -> float:
        """Return the standard error of a mean over so many questions with so many replicates each.

        sqrt(question / questions + seed / (questions * replicates)): more replicates shrink the
        second term alone, more questions both.
        """
        return sqrt((self.question + self.seed / replicates) / questions)


def split(values: Iterable[Iterable[float]]) -> Split | None:
    """Split the variance of replicated values into question and seed.

    The analysis-of-variance estimator of a random one-way layout (Searle, Casella & McCulloch
    1992, section 3.6): with N values, n of them on a question, and a questions, seed = SSW /
    (N - a) and question = (SSB / (a - 1) - seed) / n0, where n0 = (N - sum(n²) / N) / (a - 1).
    It need not be balanced. Where the estimate for the questions is negative, 0 is reported.
    A replicate's number means nothing across questions: each debate has draws of its own.

    Args:
        values: for each question, those of its replicates, in any order.

    Returns:
        None for fewer than two questions or where no question has a second replicate.
    """
    groups = [group for each in values if (group := list(each))]
    n, a = sum(map(len, groups)), len(groups)
    if a < 2 or n == a:
        return None
    means = [fsum(each) / len(each) for each in groups]
    mean = fsum(x for each in groups for x in each) / n
    between = fsum(len(each) * (own - mean) ** 2 for each, own in zip(groups, means, strict=True))
    within = fsum((x - own) ** 2 for each, own in zip(groups, means, strict=True) for x in each)
    usual = (n - sum(len(each) ** 2 for each in groups) / n) / (a - 1)
    seed = within / (n - a)
    return Split(max(0.0, (between / (a - 1) - seed) / usual), seed)
