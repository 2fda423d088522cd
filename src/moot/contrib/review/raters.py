"""How reliable raters are who mark the same items, when no true mark is known (Dawid & Skene 1979).

Each item has one true mark, and each rater a table of what it gives to items of each true mark.
Both are estimated in turns: the marks from the tables, the tables from the marks.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

EPOCHS = 10
"""How often tables and marks are estimated, at most."""
_LITTLE = 0.01
"""Added to each cell of a rater's table: a mark that it has not given so far is not impossible."""


class RaterEstimate(NamedTuple):
    """The estimates for a set of marks.

    Attributes:
        chances: of each item, the probability of each true mark, from 1 on.
        tables: of each rater, row by row of the true mark, how probable each mark of its is.
        information: of each rater, how much its mark tells of the true one, in bits; 0 for one that
            marks without regard to it.
    """

    chances: "list[list[float]]"
    tables: dict[str, list[list[float]]]
    information: dict[str, float]

    @property
    def worth(self) -> list[float]:
        """The mean mark that raters give to items of each true mark.

        The estimate may name the true marks in another order than the raters' marks: this is what
        puts them in order.
        """
        given = [
            [sum(mark * chance for mark, chance in enumerate(row, 1)) for row in table]
            for table in self.tables.values()
        ]
        return [sum(each) / len(each) for each in zip(*given, strict=True)]


def estimate_raters(marks: Sequence[Mapping[str, int]], top: int) -> RaterEstimate:
    """Return how probable each true mark is, and how each rater marks.

    Every true mark is as probable as another beforehand.

    Args:
        marks: of each item by rater, whole numbers from 1 to ``top``; at least one of each item.
        top: the highest mark, at least 2.
    """
    import numpy as np

    raters = sorted({rater for item in marks for rater in item})
    given = np.zeros((len(marks), len(raters), top))  # 1 where a rater gave this mark
    for place, item in enumerate(marks):
        for rater, mark in item.items():
            given[place, raters.index(rater), mark - 1] = 1.0
    chances = given.sum(axis=1) / given.sum(axis=(1, 2))[:, None]
    tables = np.zeros((len(raters), top, top))
    for _ in range(EPOCHS):
        before = chances
        tables = np.einsum("ik,irm->rkm", chances, given) + _LITTLE
        tables /= tables.sum(axis=2, keepdims=True)
        logs = np.einsum("irm,rkm->ik", given, np.log(tables))
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        if float(abs(chances - before).max()) < 1e-9:
            break
    return RaterEstimate(
        chances=chances.tolist(),
        tables={rater: tables[place].tolist() for place, rater in enumerate(raters)},
        information={
            rater: _measure_information(chances, given[:, place])
            for place, rater in enumerate(raters)
        },
    )


def sharpen_mean(chances: Sequence[float], worth: Sequence[float], temperature: float) -> float:
    """Return the mean worth of true marks after their probabilities are raised to 1 / temperature.

    Args:
        chances: of each true mark.
        worth: of each.
        temperature: above 0; below 1 likely marks gain on less likely ones.
    """
    weights: list[float] = [chance ** (1 / temperature) for chance in chances]
    return sum(mark * each for mark, each in zip(worth, weights, strict=True)) / sum(weights)


def _measure_information(chances: "Matrix", given: "Matrix") -> float:
    """Return the mutual information of the true mark and a rater's, in bits."""
    import numpy as np

    together = chances.T @ given
    together = together / together.sum()
    apart = together.sum(axis=1, keepdims=True) * together.sum(axis=0, keepdims=True)
    held = together > 0
    return max(0.0, float((together[held] * np.log2(together[held] / apart[held])).sum()))
