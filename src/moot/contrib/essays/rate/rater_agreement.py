"""How far raters agree: Krippendorff's alpha for ordinal values, with its interval over items."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from moot.extend.analyses import Mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

LEVEL, RESAMPLES, SEED = 0.95, 10_000, 20_240_229
"""Of the interval: its level, its weightings, and any fixed number that they are drawn by."""


def alpha_of_items(items: Sequence[Iterable[Mapping[str, int]]]) -> Mean:
    """Return alpha of the scores that raters gave, with its 95 % interval over items.

    A unit is an arm's essay on an item, its values the scores that raters gave it. Items get random
    weights whole, since the scores within one depend on each other (the Bayesian bootstrap).

    Args:
        items: for each item, the scores of each rater by arm.

    Returns:
        Alpha as of ``krippendorff_alpha``. There is no interval for fewer than two items, where
        alpha is None, or where every weighting gives the same.
    """
    units = [_units(scores) for scores in items]
    alpha = krippendorff_alpha(unit for item in units for unit in item)
    low, high = (None, None) if alpha is None or len(units) < 2 else _interval(units)
    many = sum(map(len, units))
    return Mean(mean=alpha, low=low, high=high, n=many, questions=len(units))


def _units(scores: Iterable[Mapping[str, int]]) -> list[list[int]]:
    """Return the scores of each arm's essay on one item."""
    units: dict[str, list[int]] = defaultdict(list)
    for by_arm in scores:
        for arm, score in by_arm.items():
            units[arm].append(score)
    return list(units.values())


def krippendorff_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Return Krippendorff's alpha for ordinal values, some of which may be missing.

    It is 1 minus the disagreement observed within units over that expected if values were dealt to
    units by chance; how far two values lie apart is counted in values between them (Krippendorff
    2011, "Computing Krippendorff's Alpha-Reliability").

    Args:
        units: for each thing rated, the values that any raters gave it. A unit with fewer than two
            values has nothing to compare and is left out.

    Returns:
        1 for full agreement, 0 for that of chance, below 0 for less; None where nothing can be
        compared or all values are the same.
    """
    import numpy as np

    rated = [list(unit) for unit in units]
    values = sorted({value for unit in rated if len(unit) > 1 for value in unit})
    if not values:
        return None
    found = float(_alphas(_coincidences(rated, values)[None])[0])
    return None if np.isnan(found) else found


def _coincidences(units: Iterable[Sequence[float]], values: Sequence[float]) -> "Matrix":
    """Count how often two values were given to one unit; each value of a unit counts once."""
    import numpy as np

    place = {value: number for number, value in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for unit in units:
        if len(unit) > 1:
            given = np.bincount([place[value] for value in unit], minlength=len(values))
            table += (np.outer(given, given) - np.diag(given)) / (len(unit) - 1)
    return table


def _alphas(tables: "Matrix") -> "Matrix":
    """Return alpha of each table of coincidences; not a number where it is not defined."""
    import numpy as np

    given = tables.sum(axis=2)
    up_to = given.cumsum(axis=1)
    middle = up_to - given / 2  # a value's mean rank; between two, the values that lie between
    apart = (middle[:, :, None] - middle[:, None, :]) ** 2
    seen = (tables * apart).sum(axis=(1, 2))
    expected = (given[:, :, None] * given[:, None, :] * apart).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Matrix = np.where(expected > 0, 1 - (up_to[:, -1] - 1) * seen / expected, np.nan)
    return found


def _interval(items: Sequence[Sequence[Sequence[float]]]) -> tuple[float | None, float | None]:
    """Return the 95 % percentile interval of alpha, weighting items."""
    import numpy as np

    values = sorted({value for units in items for unit in units for value in unit})
    tables = np.array(sorted(_coincidences(units, values).tolist() for units in items))
    weights = np.random.default_rng(SEED).standard_exponential((RESAMPLES, len(items)))
    weights *= len(items) / weights.sum(axis=1, keepdims=True)
    found = _alphas(np.tensordot(weights, tables, axes=1))
    if np.ptp(found) < 1e-12:
        return None, None
    low, high = np.quantile(found, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)
