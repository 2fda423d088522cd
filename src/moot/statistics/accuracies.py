"""Values of debates by question and replicate: their mean, its interval, and how arms differ."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from math import fsum, hypot
from statistics import fmean, median
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from moot.core.results import Difference, Mean, Variance
from moot.statistics.intervals import (
    Cluster,
    clopper_pearson,
    find_bounded_interval,
    find_median_interval,
    interval,
    mean,
)
from moot.statistics.paired import holm, sign_flip
from moot.statistics.power import (
    correct_smallest,
    smallest_difference,
    smallest_mean_difference,
)
from moot.statistics.replicates import split

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Key: TypeAlias = tuple[str, int]  # question, replicate: one debate of an arm on a dataset

SURE = 0.05
"""The greatest corrected p of a difference that is called one."""
_FEW = 10  # questions that differ, below which resampling shows too little spread

_ONE_DEBATE = {Cluster(0.0, 1), Cluster(1.0, 1)}


def cluster_by_question(values: Mapping[Key, float]) -> Collection[Cluster]:
    """Return the values of each question as one cluster: its replicates are not independent."""
    if not any(replicate for _, replicate in values):
        return [add_to_cluster(None, value) for value in values.values()]
    clusters: dict[str, Cluster] = {}
    for (question, _), value in values.items():
        clusters[question] = add_to_cluster(clusters.get(question), value)
    return clusters.values()


def add_to_cluster(cluster: Cluster | None, value: float) -> Cluster:
    """Return a question's cluster with one more debate; None for a question without any."""
    total, size = cluster or (0.0, 0)
    return _keep_cluster(total + value, size + 1)


_keep_cluster = lru_cache(maxsize=1024)(Cluster)
"""Of 100,000 questions most have one of a few clusters: these are made once."""


def mean_with_interval(clusters: Collection[Cluster]) -> Mean:
    """Return the mean of values from 0 to 1, with its 95 % interval over questions.

    Where every question was debated once and came out right or wrong, the number of right ones is
    binomial, and the interval is Clopper and Pearson's: exact, it covers the truth at 95 % or more,
    at any accuracy and any number of questions. Resampling covers it at 85 to 89 % for some
    accuracies of up to 100 questions; the exact one is 5 to 15 % wider there. Replicates and shares
    of debaters are not binomial: for these, questions are resampled.
    """
    n, low, high = len(clusters), None, None
    if n > 1 and _ONE_DEBATE.issuperset(clusters):
        low, high = clopper_pearson(round(sum(total for total, _ in clusters)), n)
    elif ends := interval(clusters):
        low, high = ends
    debates = sum(size for _, size in clusters)
    return Mean(mean=mean(clusters), low=low, high=high, n=debates, questions=n)


def mean_over_questions(values: Mapping[Key, float]) -> Mean:
    """Return the ``mean_with_interval`` of debates from 0 to 1, clustered by question."""
    return mean_with_interval(cluster_by_question(values))


def median_over_arms(arms: Sequence[Mapping[Key, float]]) -> Mean:
    """Return the median of the means of arms, of values from 0 to 1, with its interval.

    Args:
        arms: the values of each arm's debates on one dataset; one arm at least.

    Returns:
        The median, and its 95 % interval over questions, of which all arms together count.
    """
    if len(arms) == 1:
        return mean_over_questions(arms[0])
    clusters: list[dict[str, Cluster]] = []
    for values in arms:
        own: dict[str, Cluster] = {}
        for (question, _), value in values.items():
            own[question] = add_to_cluster(own.get(question), value)
        clusters.append(own)
    questions = dict.fromkeys(chain.from_iterable(clusters))
    none = Cluster(0.0, 0)
    rows = [tuple(own.get(each, none) for own in clusters) for each in questions]
    means = [middle for own in clusters if (middle := mean(own.values())) is not None]
    low, high = find_median_interval(rows) or (None, None)
    return Mean(
        mean=median(means) if means else None,
        low=low,
        high=high,
        n=sum(map(len, arms)),
        questions=len(questions),
    )


def total_with_interval(values: Mapping[Key, float]) -> Mean:
    """Return the sum of values from 0 on, with the interval of their mean over questions, times n.

    There is no interval where all questions have one and the same value.
    """
    clusters = cluster_by_question(values)
    low, high = interval(clusters, bounds=(0.0, None)) or (None, None)
    n = len(values)
    return Mean(
        mean=fsum(values.values()),
        low=None if low is None else n * low,
        high=None if high is None else n * high,
        n=n,
        questions=len(clusters),
    )


def mean_within_bounds(
    clusters: Collection[Cluster], bounds: tuple[float, float] = (0.0, 1.0)
) -> Mean:
    """Return the mean of values that often lie at their bounds, and its interval."""
    if bounds == (0.0, 1.0) and _ONE_DEBATE.issuperset(clusters):
        return mean_with_interval(clusters)
    low, high = find_bounded_interval(clusters, bounds=bounds) or (None, None)
    n = sum(size for _, size in clusters)
    return Mean(mean=mean(clusters), low=low, high=high, n=n, questions=len(clusters))


def average_means(parts: Sequence[Mean]) -> Mean:
    """The mean of the datasets' means, with an interval made of theirs; unknown where one is.

    Each end is as far from the mean as the root of the sum of the squares of the distances of its
    ends, over their number: the method of variance estimates recovery for independent parts (Zou &
    Donner 2008). It needs no normality, and keeps the asymmetry of the parts.
    """
    means: list[float] = []
    below: list[float] = []
    above: list[float] = []
    for part in parts:
        if part.mean is None:
            return Mean()
        means.append(part.mean)
        if part.low is not None and part.high is not None:
            below.append(part.mean - part.low)
            above.append(part.high - part.mean)
    centre, complete = fmean(means), len(below) == len(means)
    return Mean(
        mean=centre,
        low=centre - hypot(*below) / len(means) if complete else None,
        high=centre + hypot(*above) / len(means) if complete else None,
        n=sum(part.n for part in parts),
        questions=sum(part.questions for part in parts),
    )


def split_variance(values: Mapping[Key, float]) -> Variance | None:
    """The spread of debates, split into questions and replicates; None without replicates."""
    if not any(replicate for _, replicate in values):
        return None
    groups: dict[str, list[float]] = {}
    for (question, _), value in values.items():
        groups.setdefault(question, []).append(value)
    parts = split(groups.values())
    return parts and Variance(question=parts.question, seed=parts.seed, share=parts.share)


def compare_paired(
    arm: Mapping[Key, float],
    baseline: Mapping[Key, float],
    *,
    bounds: tuple[float, float | None] | None = None,
) -> Difference:
    """Return how far an arm is above the baseline, on the (question, replicate) that both have.

    Its p is of ``sign_flip``: exact, of the same mean as is shown, all replicates of a question
    taken together. With one replicate it is McNemar's exact test. With several, McNemar's would
    count a question that one arm has right once more as much as one that it alone has right
    always, and so find less. Its interval is of resampled questions: how often the arms differ is
    unknown besides by how much, so that no binomial gives it.

    Args:
        arm: of each debate whether it is right, or another value.
        baseline: the same.
        bounds: of other values than right and wrong the least and the greatest difference, as of
            ``interval``.
    """
    pairs = {key: value - baseline[key] for key, value in arm.items() if key in baseline}
    if not pairs:
        return Difference()
    clusters = cluster_by_question(pairs)
    low, high = interval(clusters, bounds=bounds or (-1.0, 1.0)) or (None, None)
    better = sum(cluster.total > 0 for cluster in clusters)
    worse = sum(cluster.total < 0 for cluster in clusters)
    n = len(clusters)
    is_binary = bounds is None and len(pairs) == n
    return Difference(
        mean=mean(clusters),
        low=low,
        high=high,
        pairs=len(pairs),
        questions=n,
        better=better,
        worse=worse,
        p=sign_flip(clusters),
        smallest=smallest_difference(n, (better + worse) / n)
        if is_binary
        else smallest_mean_difference(clusters),
    )


def find_p(gap: Difference) -> float | None:
    """Return the p of a difference, corrected where it is."""
    return gap.p if gap.p_holm is None else gap.p_holm


def is_shown(gap: Difference) -> bool:
    """Whether a difference is one: its interval leaves out 0 and its corrected p is small."""
    p = find_p(gap)
    if p is None or gap.low is None or gap.high is None:
        return False
    return p <= SURE and (gap.low > 0 or gap.high < 0)


def find_smallest(gap: Difference, tests: int) -> float | None:
    """Return the smallest difference that is found where so many p are corrected together."""
    if tests <= 1 or not gap.questions:
        return gap.smallest
    if gap.pairs > gap.questions:
        return None if gap.smallest is None else correct_smallest(gap.smallest, tests)
    differing = (gap.better + gap.worse) / gap.questions
    return smallest_difference(gap.questions, differing, tests=tests)


def find_wide_interval(
    arm: Mapping[Key, float], baseline: Mapping[Key, float], tests: int
) -> tuple[float, float] | None:
    """Return an interval of a paired difference that holds at 95 % for so many of them together.

    Where few questions differ, resampling shows too little spread: the interval then reaches as far
    as the greatest share of questions that may differ.
    """
    pairs = {key: value - baseline[key] for key, value in arm.items() if key in baseline}
    clusters = cluster_by_question(pairs)
    level = 1 - SURE / tests
    found = interval(clusters, bounds=(-1.0, 1.0), level=level)
    differing = sum(cluster.total != 0 for cluster in clusters)
    if found is None or differing >= _FEW:
        return found
    reach = clopper_pearson(differing, len(clusters), level=level)[1]
    return min(found[0], -reach), max(found[1], reach)


def find_looked_interval(
    arm: Mapping[Key, float], baseline: Mapping[Key, float], tests: int
) -> tuple[float, float] | None:
    """Return an interval of a paired difference that holds at every look, for so many together.

    Questions count in an order that their ids alone give. None where nothing is paired.
    """
    from moot.statistics.sequences import open_sequence  # a complete study is looked at once

    gaps: dict[str, list[float]] = {}
    for key, value in arm.items():
        if key in baseline:
            gaps.setdefault(key[0], []).append(value - baseline[key])
    sequence = open_sequence(1 - SURE / tests)
    for question in sorted(gaps, key=lambda name: blake2b(name.encode(), digest_size=8).digest()):
        sequence.add(sum(gaps[question]) / len(gaps[question]))
    return (sequence.low, sequence.high) if gaps else None


def correct_by_holm(
    found: Iterable[T], field: str = "", *, by: Callable[[T], Hashable] = lambda _: None
) -> list[T]:
    """Correct the p of many results by Holm, and return the results in their order.

    Args:
        found: structs or named tuples.
        field: the field whose value has ``p`` and ``p_holm``; if empty, the results themselves have
            them. A value of None, and one without a p, stays as it is.
        by: the family of a result; all results are one family, if not given.
    """
    made = list(found)
    families: dict[Hashable, list[tuple[int, Any]]] = {}
    for place, each in enumerate(made):
        tested: Any = getattr(each, field) if field else each
        if tested is not None and tested.p is not None:
            families.setdefault(by(each), []).append((place, tested))
    for family in families.values():
        adjusted = holm([tested.p for _, tested in family])
        for (place, tested), p in zip(family, adjusted, strict=True):
            fixed = _change(tested, p_holm=p)
            made[place] = _change(made[place], **{field: fixed}) if field else fixed
    return made


def correct_groups(
    groups: Mapping[K, Sequence[T]],
    field: str = "",
    *,
    by: Callable[[T], Hashable] = lambda _: None,
) -> dict[K, list[T]]:
    """Correct results that stand in groups by ``correct_by_holm``: a family may be in several."""
    fixed = iter(correct_by_holm(chain.from_iterable(groups.values()), field, by=by))
    return {key: list(islice(fixed, len(own))) for key, own in groups.items()}


def _change(result: Any, **fields: object) -> Any:  # noqa: ANN401 -- a struct or a named tuple
    return replace(result, **fields) if isinstance(result, Struct) else result._replace(**fields)
