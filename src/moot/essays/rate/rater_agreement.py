"""How far raters agree: Krippendorff's alpha for ordinal values, with its interval over items."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from moot.statistics.intervals import LEVEL, RESAMPLES, SEED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_CELLS = 250_000  # drawn at once: 2 MB


def alpha_of_items(
    items: Iterable[Iterable[Mapping[str, int]]], *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float | None, float | None, float | None]:
    """Return alpha of the scores that raters gave, and the ends of its 95 % interval.

    A unit is an arm's essay on an item, its values the scores that raters gave it. Items are
    resampled whole, since the scores within one depend on each other.

    Args:
        items: for each item, the scores of each rater by arm.
        resamples: how many times items are drawn.
        seed: of the draws.

    Returns:
        Alpha as of ``krippendorff_alpha``. The ends are None for fewer than two items, where alpha
        is None, or where every resample gives the same.
    """
    units = [_units(scores) for scores in items]
    alpha = krippendorff_alpha(unit for item in units for unit in item)
    low, high = _interval(units, resamples, seed) if alpha is not None else (None, None)
    return alpha, low, high


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


def _interval(
    items: Sequence[Sequence[Sequence[float]]], resamples: int, seed: int
) -> tuple[float | None, float | None]:
    """Return the 95 % percentile bootstrap interval of alpha, resampling items."""
    import numpy as np

    if len(items) < 2:
        return None, None
    values = sorted({value for units in items for unit in units for value in unit})
    tables = [_coincidences(units, values) for units in items]
    kinds = sorted(Counter(tuple(table.ravel().tolist()) for table in tables).items())
    cells = np.array([cells for cells, _ in kinds])
    times = np.array([number for _, number in kinds], dtype=float)
    draw = np.random.default_rng(seed)
    n, width = len(items), len(values)
    step = max(1, _CELLS // max(len(kinds), width * width))
    found = np.empty(resamples)
    for start in range(0, resamples, step):
        drawn = draw.multinomial(n, times / n, size=min(step, resamples - start)) @ cells
        found[start : start + step] = _alphas(drawn.reshape(-1, width, width))
    known = found[~np.isnan(found)]
    if np.ptp(known) < 1e-12:
        return None, None
    low, high = np.quantile(known, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)
