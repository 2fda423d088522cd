"""How far several conditions lie apart that were tried on the same questions.

The conditions are compared question by question: resampling and shuffling both keep a question's
debates together.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from moot.statistics.intervals import LEVEL, SEED, clopper_pearson

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

_DRAWS = 9_999  # so that the least p is 1 / 10,000
_CELLS = 250_000  # drawn at once: 2 MB


class TriedQuestion(NamedTuple):
    """One question: the sum of its debates' values under each condition, and how many each has."""

    totals: tuple[float, ...]
    size: int


class Spread(NamedTuple):
    """How far the conditions' means lie apart.

    Attributes:
        range: the greatest mean minus the least, 0 or more.
        range_ends: its 95 % percentile bootstrap interval over questions; None for fewer than two.
        sd: the standard deviation of the means, with the number of conditions below the line.
        sd_ends: as ``range_ends``.
        chance: the range expected if conditions made no difference; it is never 0 where debates of
            one question differ.
        p: how likely a range at least this wide is then.
    """

    range: float
    range_ends: tuple[float, float] | None
    sd: float
    sd_ends: tuple[float, float] | None
    chance: float
    p: float


def spread(
    tried: Iterable[TriedQuestion], *, draws: int = _DRAWS, seed: int = SEED
) -> Spread | None:
    """Return the range and standard deviation of the conditions' means; None without a question.

    For ``chance`` and ``p`` each question's values are dealt anew to the conditions, as if it made
    no difference under which they came: a permutation test within blocks (Good 2005), the one
    observed counted as one draw. Where no question is answered otherwise under one condition than
    under another, the intervals allow for the questions not seen, as ``interval`` does.

    Args:
        tried: one for each question, in any order, all of the same conditions.
        draws: how often questions are resampled, and how often values are dealt anew.
        seed: of the draws.
    """
    import numpy as np

    kinds = sorted(Counter(tried).items())
    if not kinds:
        return None
    totals = np.array([kind.totals for kind, _ in kinds], dtype=float)
    sizes = np.array([kind.size for kind, _ in kinds], dtype=float)
    times = np.array([number for _, number in kinds], dtype=float)
    n, debates = int(times.sum()), float(times @ sizes)
    means = (times @ totals) / debates
    found, sd = float(np.ptp(means)), float(np.std(means))
    dealt = np.ptp(_deal_values(kinds, draws, seed) / debates, axis=1)
    p = (1 + int((dealt >= found - 1e-12).sum())) / (draws + 1)
    range_ends = sd_ends = None
    if n > 1:
        drawn = _resample(totals, sizes, times, draws, seed)
        unseen = 1 - clopper_pearson(n, n)[0]
        range_ends = _ends(np.ptp(drawn, axis=1), unseen, 1.0)
        sd_ends = _ends(np.std(drawn, axis=1), unseen, 0.5)
    return Spread(found, range_ends, sd, sd_ends, float(dealt.mean()), p)


def _ends(drawn: "NDArray[float64]", unseen: float, most: float) -> tuple[float, float]:
    import numpy as np

    low, high = map(float, np.quantile(drawn, ((1 - LEVEL) / 2, (1 + LEVEL) / 2)))
    if high - low < 1e-12:
        return max(0.0, low - unseen * most), min(most, high + unseen * most)
    return low, high


def _resample(
    totals: "NDArray[float64]",
    sizes: "NDArray[float64]",
    times: "NDArray[float64]",
    draws: int,
    seed: int,
) -> "NDArray[float64]":
    """The conditions' means over questions drawn with replacement, equal ones drawn together."""
    import numpy as np

    draw = np.random.default_rng(seed)
    n, step = int(times.sum()), max(1, _CELLS // len(times))
    made = np.empty((draws, totals.shape[1]))
    for start in range(0, draws, step):
        drawn = draw.multinomial(n, times / n, size=min(step, draws - start))
        made[start : start + step] = (drawn @ totals) / (drawn @ sizes)[:, None]
    return made


def _deal_values(
    kinds: Sequence[tuple[TriedQuestion, int]], draws: int, seed: int
) -> "NDArray[float64]":
    """Return sums after every question's values are dealt to the conditions anew, in each draw.

    The shape is (draws, conditions).

    Questions with the same values are dealt together: how often each order comes is multinomial.
    """
    import numpy as np

    alike: Counter[tuple[float, ...]] = Counter()
    for kind, number in kinds:
        alike[tuple(sorted(kind.totals))] += number
    draw = np.random.default_rng(seed)
    sums = np.zeros((draws, len(kinds[0][0].totals)))
    for values, number in sorted(alike.items()):
        orders = np.array(sorted(set(permutations(values))))
        shares = np.full(len(orders), 1 / len(orders))
        step = max(1, _CELLS // len(orders))
        for start in range(0, draws, step):
            drawn = draw.multinomial(number, shares, size=min(step, draws - start))
            sums[start : start + step] += drawn @ orders
    return sums
