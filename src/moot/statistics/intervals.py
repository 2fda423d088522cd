"""Intervals. All are seeded: the same values give the same figures, in any order.

Debates of one question are not independent of each other, so whole questions are resampled, each
with the sum and the number of its debates as one cluster (Efron & Tibshirani 1993, chapter 13, for
percentile intervals; Field & Welsh 2007 for resampling clusters).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from math import exp, fsum, lgamma, log
from typing import TYPE_CHECKING, NamedTuple

from moot.statistics.binomial import at_least, least_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.unsignedinteger]

LEVEL = 0.95
RESAMPLES = 10_000
SEED = 20_240_229  # any fixed number: an interval shall not change from one look to the next
_CELLS = 250_000  # drawn at once: 2 MB
_DRAWS_KEPT = 10_000_000  # cells of a draw that is kept for the next interval: 10 or 20 MB
_WEIGHTS_KEPT = 8_000_000  # 64 MB
_MANY = 10_000
"""Kinds of clusters above which single ones are drawn, not their counts: in a sixth of the time."""


class Cluster(NamedTuple):
    """The measured debates of one question: the sum of their values and how many they are."""

    total: float
    size: int


def mean(clusters: Iterable[Cluster]) -> float | None:
    """Return the mean over all debates; None without any."""
    clusters = list(clusters)
    if not clusters:
        return None
    return fsum([total for total, _ in clusters]) / sum([size for _, size in clusters])


def interval(
    clusters: Iterable[Cluster],
    *,
    bounds: tuple[float, float | None] = (0.0, 1.0),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> tuple[float, float] | None:
    """Return the 95 % percentile bootstrap interval of the mean, resampling questions.

    Where all questions have one and the same mean, resampling shows no spread at all and would
    claim certainty, of three questions as of three thousand. The interval then allows a share of
    the questions not seen, 1 minus the lower end of the exact interval for n of n, to lie at either
    of ``bounds``. For right and wrong this is Clopper and Pearson's interval itself. Without a
    greatest value, as of tokens, money and rounds, nothing bounds what was not seen: then there is
    no interval.

    Args:
        clusters: one for each question, in any order.
        bounds: the least and the greatest value a debate can have; None where there is no
            greatest.
        resamples: how many times the questions are drawn.
        seed: of the draws.
        level: where it is not 95 %, 0 to 1.

    Returns:
        Its two ends, or None for fewer than two questions.
    """
    kinds = Counter(clusters)
    n = kinds.total()
    if n < 2:
        return None
    values = {kind.total / kind.size for kind in kinds}
    if len(values) == 1:
        return _allow_unseen(values.pop(), n, *bounds, level=level)
    table = sorted((kind.total, kind.size, times) for kind, times in kinds.items())
    mirrored = sorted((-total, count, times) for total, count, times in table)
    if len(table) == 2:  # as right and wrong, each question debated once
        return _two_kinds(table, n, level)
    if mirrored < table:  # so that B - A is exactly A - B with its sign changed
        low, high = _percentiles(mirrored, n, resamples, seed, level)
        return 0.0 - high, 0.0 - low  # never minus zero
    low, high = _percentiles(table, n, resamples, seed, level)
    if mirrored == table:  # B - A is A - B: what is uneven comes of the draws
        return (low - high) / 2, (high - low) / 2
    return low, high


def find_median_interval(
    questions: Iterable[tuple[Cluster, ...]], *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float] | None:
    """Return the 95 % percentile bootstrap interval of the median of several arms' means.

    Questions are resampled, each with the debates of all arms, so that arms stay compared on the
    same ones. Where the median does not vary, questions not seen are allowed for as in
    ``interval``, between 0 and 1.

    Args:
        questions: the clusters of each in the arms' order; of size 0 where an arm has none.
        resamples: how many times the questions are drawn.
        seed: of the draws.

    Returns:
        Its two ends, or None for fewer than two questions.
    """
    import numpy as np

    kinds = sorted(Counter(questions).items())
    n = sum(times for _, times in kinds)
    if n < 2:
        return None
    totals = np.array([[total for total, _ in kind] for kind, _ in kinds], dtype=float)
    sizes = np.array([[size for _, size in kind] for kind, _ in kinds], dtype=float)
    drawn = draw_counts(tuple(times for _, times in kinds), n, resamples, seed)
    with np.errstate(invalid="ignore"):  # an arm without any debate in a draw has no mean
        medians = np.concatenate(
            [np.nanmedian((each @ totals) / (each @ sizes), axis=1) for each in drawn]
        )
    low, high = np.nanquantile(medians, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    if low == high:
        return _allow_unseen(float(low), n, 0.0, 1.0, level=LEVEL)
    return float(low), float(high)


def _allow_unseen(
    value: float, n: int, low: float, high: float | None, *, level: float
) -> tuple[float, float] | None:
    """Return the interval around what n questions have alike; None without a greatest value."""
    if high is None:
        return None
    seen = clopper_pearson(n, n, level=level)[0]
    return seen * value + (1 - seen) * low, seen * value + (1 - seen) * high


def _two_kinds(table: list[tuple[float, int, int]], n: int, level: float) -> tuple[float, float]:
    """Return the same percentiles without drawing: how often the one kind comes is binomial.

    Each end is the first number of times, counted from its side, whose tail is no longer below
    2.5 %. Exchanging the kinds exchanges the terms of every sum but not their order, and so the
    ends, exactly.
    """
    (total, size, times), (other_total, other_size, other_times) = table
    log_share, log_other, log_ways = log(times / n), log(other_times / n), lgamma(n + 1)

    def chance(k: int) -> float:
        ways = log_ways - (lgamma(k + 1) + lgamma(n - k + 1))
        return exp(ways + (k * log_share + (n - k) * log_other))

    def end(numbers: range) -> float:
        tail = accumulate(map(chance, numbers))
        k = next(k for k, seen in zip(numbers, tail, strict=True) if seen >= (1 - level) / 2)
        return (k * total + (n - k) * other_total) / (k * size + (n - k) * other_size)

    one, two = end(range(n + 1)), end(range(n, -1, -1))
    return min(one, two), max(one, two)


def _percentiles(
    table: list[tuple[float, int, int]], n: int, resamples: int, seed: int, level: float
) -> tuple[float, float]:
    """Percentiles of the mean of n clusters drawn with replacement.

    Equal clusters are drawn together, as one multinomial count: the same distribution as drawing n
    single ones, at a cost that depends on how many different clusters there are.
    """
    import numpy as np

    totals, counts = (
        np.array(column, dtype=float) for column in list(zip(*table, strict=True))[:2]
    )
    draws = draw_counts(tuple(times for _, _, times in table), n, resamples, seed)
    means = np.concatenate([(drawn @ totals) / (drawn @ counts) for drawn in draws])
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def draw_counts(times: tuple[int, ...], n: int, resamples: int, seed: int) -> "Iterable[Counts]":
    """Return how often each kind of cluster is drawn, in each resample.

    Each array has the shape (resamples, kinds) and holds a part of the resamples. Tables of as many
    clusters as often get the same draws; the last ones are kept, for many measures of the same
    questions.
    """
    kept = resamples * len(times) <= _DRAWS_KEPT
    return (_keep_draws if kept else _draw_parts)(times, n, resamples, seed)


def _draw_parts(times: tuple[int, ...], n: int, resamples: int, seed: int) -> "Iterable[Counts]":
    """Yield the parts of a draw; their numbers take as few bytes as hold n."""
    import numpy as np

    draw = np.random.default_rng(seed)
    # Single clusters take a time that grows with n, their counts one that grows with the kinds.
    singly = len(times) > _MANY and n < 3 * len(times)
    kind_of = np.repeat(np.arange(len(times)), times if singly else 0)
    shares = np.array(times, dtype=float) / n
    step = max(1, _CELLS // (n if singly else len(times)))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = _draw_singly(draw, kind_of, rows) if singly else draw.multinomial(n, shares, rows)
        yield drawn.astype(np.min_scalar_type(n))


def _draw_singly(
    draw: "np.random.Generator", kind_of: "NDArray[np.intp]", rows: int
) -> "NDArray[np.intp]":
    """Return how often each kind comes in each row, by drawing single clusters.

    Args:
        draw: draws the numbers.
        kind_of: the kind of each cluster, from 0, in rising order.
        rows: the number of rows; in each as many clusters are drawn as there are.
    """
    import numpy as np

    n, kinds = len(kind_of), int(kind_of[-1]) + 1
    cells = kind_of[draw.integers(n, size=(rows, n))] + kinds * np.arange(rows)[:, None]
    return np.bincount(cells.ravel(), minlength=rows * kinds).reshape(rows, kinds)


@lru_cache(maxsize=4)  # that of all questions, and those of kinds of them
def _keep_draws(times: tuple[int, ...], n: int, resamples: int, seed: int) -> "tuple[Counts, ...]":
    return tuple(_draw_parts(times, n, resamples, seed))


def find_bounded_interval(
    clusters: Iterable[Cluster], *, bounds: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float] | None:
    """Return a 95 % interval of the mean of values with a least and a greatest one.

    For values that often lie at their bounds, as votes do. Questions get random weights, as in the
    Bayesian bootstrap (Rubin 1981), and so does one question not seen, which lies at the least
    value for the lower end and at the greatest for the upper one. For right and wrong this is
    Clopper and Pearson's interval, and for other values it never jumps beside it: a higher value of
    any question lowers neither end (Learned-Miller & Thomas 2019).

    Args:
        clusters: one for each question, in any order.
        bounds: the least and the greatest value.

    Returns:
        Its two ends, or None for fewer than two questions.
    """
    every = sorted(clusters)
    if len({total / size for total, size in every}) <= 1:
        return interval(every, bounds=bounds)
    mirrored = sorted(Cluster(sum(bounds) * size - total, size) for total, size in every)
    low, high = _find_least_means(tuple(every), tuple(mirrored), bounds[0])
    return low, sum(bounds) - high


@lru_cache(maxsize=64)  # a table and its chart ask for the same
def _find_least_means(
    clusters: tuple[Cluster, ...], mirrored: tuple[Cluster, ...], least: float
) -> tuple[float, float]:
    """Return the lower ends of ``find_bounded_interval`` of values and of their mirror image."""
    import numpy as np

    tables = []
    for each in (clusters, mirrored):
        totals, sizes = np.array(each).T
        unseen = sizes.mean()
        tables.append((np.append(totals, unseen * least), np.append(sizes, unseen)))
    means = [
        [(weights @ totals) / (weights @ sizes) for totals, sizes in tables]
        for weights in _weigh_questions(len(clusters))
    ]
    low, high = (
        float(np.quantile(np.concatenate(parts), (1 - LEVEL) / 2))
        for parts in zip(*means, strict=True)
    )
    return low, high


def _weigh_questions(n: int) -> "Iterator[NDArray[np.float64]]":
    """Yield random weights of n questions and of one not seen: parts of (resamples, n + 1).

    They are one and the same stream of numbers for any n, in rows of another length.
    """
    import numpy as np

    resamples = max(RESAMPLES, _WEIGHTS_KEPT // (n + 1))  # few questions need more of them
    step = max(1, _CELLS // (n + 1))
    draw = np.random.default_rng(SEED)
    kept = resamples * (n + 1) <= _WEIGHTS_KEPT
    for start in range(0, resamples, step):
        end = min(start + step, resamples)
        if kept:
            yield _keep_stream()[start * (n + 1) : end * (n + 1)].reshape(-1, n + 1)
        else:
            yield draw.standard_exponential((end - start, n + 1))


@lru_cache(maxsize=1)
def _keep_stream() -> "NDArray[np.float64]":
    """Return 64 MB of the weights, which take longer to draw than an interval to find."""
    import numpy as np

    return np.random.default_rng(SEED).standard_exponential(_WEIGHTS_KEPT)


@lru_cache(maxsize=10_000)
def clopper_pearson(successes: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return the exact interval of a share: it covers at least as often as that, at any share.

    All shares that a binomial test does not reject, with 2.5 % to each side at 95 % (Clopper &
    Pearson 1934). Wider than Wilson's, which covers 95 % on average. From 0 to 1; (0, 1) for n = 0.
    """
    side = (1 - level) / 2
    if n == 0:
        return 0.0, 1.0
    low = least_share(lambda share: at_least(successes, n, share) >= side) if successes else 0.0
    high = 1 - least_share(lambda rest: at_least(n - successes, n, rest) >= side)
    return low, high if successes < n else 1.0


def lower_bound(successes: int, n: int) -> float:
    """Return the exact one-sided 95 % lower bound of a share (Clopper & Pearson 1934).

    The share at which so many successes or more have a probability of 5 %; 0 without a success.
    """
    if not successes:
        return 0.0
    return least_share(lambda share: at_least(successes, n, share) >= 1 - LEVEL)
