"""Strengths of arms from who won against whom: the model of Bradley and Terry (1952).

An arm of strength a is preferred to one of strength b with the chance 1 / (1 + exp(b - a)). A tie
counts as half a win for each. One tie is added to every pair of arms that was compared: without it
an arm that never lost would have no finite strength. For two arms this is the correction of Haldane
(1956), which also takes away most of the bias of few comparisons; beside hundreds it is nothing.
"""

from collections import Counter
from typing import TYPE_CHECKING

from moot.statistics.intervals import LEVEL, RESAMPLES, SEED, clopper_pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_TIE = 0.5
"""What the added tie is worth to each arm of a pair."""
_CLOSE = 1e-10
"""No strength moves further than this in the last step."""
_STEPS = 200
_CELLS = 500_000  # worked on at once: 4 MB a matrix


def are_linked(wins: "Matrix", *, both_ways: bool) -> bool:
    """Whether one can go from every arm to every other along comparisons.

    Args:
        wins: how often the arm of the row was preferred to that of the column.
        both_ways: from winner to loser alone; if that is possible, and only then, the strengths
            without added ties are finite (Ford 1957).
    """
    import numpy as np

    n = len(wins)
    beaten = wins > 0
    step = (beaten if both_ways else beaten | beaten.T).astype(int) + np.eye(n, dtype=int)
    return bool((np.linalg.matrix_power(step, n) > 0).all())


def solve_strengths(wins: "Matrix", compared: "Matrix") -> "Matrix":
    """The most likely strengths for each of many tables of wins, added ties included.

    Newton's method on the logarithm of the likelihood, which is concave; a step that does not
    raise it is halved. It ends when no strength moves by more than 1e-10.

    Args:
        wins: tables x arms x arms, halves for ties.
        compared: arms x arms: not 0 for the pairs that get an added tie; they link all arms.

    Returns:
        tables x arms; each row sums to 0.
    """
    import numpy as np

    n = wins.shape[-1]
    wins = wins + _TIE * (compared + compared.T > 0)
    games, total = wins + wins.swapaxes(1, 2), wins.sum(axis=2)

    def chances(strengths: "Matrix") -> "Matrix":
        return 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))

    def likelihood(strengths: "Matrix") -> "Matrix":
        gaps = strengths[:, None, :] - strengths[:, :, None]
        likely: Matrix = -(wins * np.logaddexp(0, gaps)).sum(axis=(1, 2))
        return likely

    found = np.zeros(wins.shape[:2])
    reached = likelihood(found)
    for _ in range(_STEPS):
        chance = chances(found)
        slope = total - (games * chance).sum(axis=2)
        weights = games * chance * (1 - chance)
        curve = np.eye(n) * weights.sum(axis=2)[:, :, None] - weights
        # Adding the same to all strengths changes nothing; 1/n everywhere fixes their sum at 0.
        step = np.linalg.solve(curve + 1 / n, slope[:, :, None])[:, :, 0]
        size = np.ones(len(found))
        for _ in range(30):
            tried = found + size[:, None] * step
            likely = likelihood(tried)
            worse = likely < reached - 1e-12 * np.abs(reached)
            if not worse.any():
                break
            size[worse] /= 2
        found, reached = tried, likely
        if np.abs(size[:, None] * step).max() <= _CLOSE:
            break
    centred: Matrix = found - found.mean(axis=1, keepdims=True)
    return centred


def strength_intervals(
    tables: "Matrix", *, resamples: int = RESAMPLES, seed: int = SEED
) -> "tuple[Matrix, Matrix] | None":
    """The 95 % percentile bootstrap interval of each arm's strength, resampling propositions.

    An arm that came out the same on every proposition shows no spread of its own when these are
    resampled. Its interval then also holds the strengths it would have if the share of propositions
    that may be unlike those seen (1 minus the lower end of the exact interval for n of n) were all
    lost, or all won.

    Args:
        tables: propositions x arms x arms, in any order: the wins on each. A resample may leave out
            every comparison of a pair; its added tie stays.
        resamples: how many times propositions are drawn.
        seed: of the draws.

    Returns:
        The lower and the upper ends; None for fewer than two propositions.
    """
    import numpy as np

    n, arms, _ = tables.shape
    if n < 2:
        return None
    compared = tables.sum(axis=0)
    kinds = sorted(Counter(tuple(each.ravel().tolist()) for each in tables).items())
    cells = np.array([cells for cells, _ in kinds])
    times = np.array([number for _, number in kinds], dtype=float)
    draw = np.random.default_rng(seed)
    step = max(1, _CELLS // (arms * arms))
    found = np.empty((resamples, arms))
    for start in range(0, resamples, step):
        drawn = draw.multinomial(n, times / n, size=min(step, resamples - start)) @ cells
        found[start : start + step] = solve_strengths(drawn.reshape(-1, arms, arms), compared)
    low, high = np.quantile(found, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    return _allowing(tables, low, high)


def _allowing(tables: "Matrix", low: "Matrix", high: "Matrix") -> "tuple[Matrix, Matrix]":
    """The ends, wider for arms that came out the same everywhere."""
    import numpy as np

    games = tables + tables.swapaxes(1, 2)
    won, played = tables.sum(axis=2), games.sum(axis=2)
    seen = clopper_pearson(len(tables), len(tables))[0]
    for arm in range(tables.shape[1]):
        own = played[:, arm] > 0
        if np.ptp(won[own, arm] / played[own, arm]) > 1e-12:
            continue
        for all_won, end, choose in ((False, low, min), (True, high, max)):
            whole, every = tables.sum(axis=0), games.sum(axis=0)
            whole[arm] = seen * whole[arm] + (1 - seen) * every[arm] * all_won
            whole[:, arm] = every[arm] - whole[arm]
            end[arm] = choose(end[arm], solve_strengths(whole[None], every)[0, arm])
    return low, high
