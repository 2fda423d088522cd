"""How well confidences tell right answers from wrong ones: measures with intervals over questions.

A confidence is a number from 0 to 1. It is calibrated if of all answers with confidence 0.8 four in
five are right. It separates if right answers have higher confidences than wrong ones; the one does
not imply the other. Every measure is weighted, and is worked out for many weightings at once: those
of the bootstrap, in which whole questions are resampled with all their answers.
"""

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from moot.core.results import Mean
from moot.statistics.accuracies import cluster_by_question, mean_over_questions
from moot.statistics.concordance import count_concordant, group_ties
from moot.statistics.intervals import LEVEL, RESAMPLES, SEED, clopper_pearson, draw_counts, interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float64]
    Matrix = NDArray[np.float64]

BINS = 10
"""Bins of equal width, as most publications have them; 0 belongs to the first, and so does 0.1."""

_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
_CELLS = 10_000_000
"""Weights of answers drawn for one interval, as far as ``_FEWEST`` resamples allow."""
_FEWEST = 1_000


class ScoredConfidence(NamedTuple):
    """The confidence of one answer, and whether the answer is right.

    Attributes:
        question: the id of the question; answers to one question are resampled together.
        confidence: from 0 to 1.
        right: whether the answer is right.
    """

    question: str
    confidence: float
    right: bool

    @staticmethod
    def measure(name: str, answers: "Sequence[ScoredConfidence]") -> Mean:
        """Return a measure of confidences such as ``"auroc"``; see ``measure_confidence``."""
        return measure_confidence(name, answers)


ConfidenceMeasure = Callable[["Row", "Row", "Matrix"], "Row"]
"""From confidences, 1 or 0 for right or wrong, and rows of weights to one value for each row."""


def measure_ece(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
    """Return the expected calibration error, 0 to 1: the mean gap over ``BINS`` bins.

    A bin's gap is that between its mean confidence and its share of right answers. It counts by
    the number of its answers (Guo et al. 2017, arXiv:1706.04599).
    """
    found: Row = _sum_gaps(confidence, right, weights) / weights.sum(axis=1)
    return found


def measure_auroc(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
    """Return the chance that a right answer has a higher confidence than a wrong one; ties half.

    0.5 is no separation. NaN for a row in which no answer is right, or none wrong.
    """
    return count_concordant(confidence, right, weights)


def measure_auarc(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
    """Return the accuracy of the k most confident answers, averaged over every k, 0 to 1.

    Answers of equal confidence are taken in every order, and averaged. Weights are whole numbers.
    """
    import numpy as np

    order, starts = group_ties(-confidence)
    own, kind = weights[:, order], right[order]
    sizes = np.add.reduceat(own, starts, axis=1)
    rights = np.add.reduceat(own * kind, starts, axis=1)
    ends, rights_before = np.cumsum(sizes, axis=1), np.cumsum(rights, axis=1) - rights
    before = ends - sizes
    share = np.divide(rights, sizes, out=np.zeros_like(rights), where=sizes > 0)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, ends.max() + 1))])
    steps = harmonic[ends.astype(int)] - harmonic[before.astype(int)]
    found: Row = (rights + (rights_before - before * share) * steps).sum(axis=1) / ends[:, -1]
    return found


def _average(item: "Callable[[Row, Row], Row]") -> ConfidenceMeasure:
    """Return the measure that is the mean of a value of each answer."""

    def measure(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
        found: Row = (weights @ item(confidence, right)) / weights.sum(axis=1)
        return found

    return measure


AVERAGED: "dict[str, tuple[Callable[[Row, Row], Row], tuple[float, float]]]" = {
    "confidence": (lambda confidence, _: confidence, (0.0, 1.0)),
    "accuracy": (lambda _, right: right, (0.0, 1.0)),
    "brier": (lambda confidence, right: (confidence - right) ** 2, (0.0, 1.0)),
    "overconfidence": (lambda confidence, right: confidence - right, (-1.0, 1.0)),
}
"""What is averaged over answers, with its bounds: mean confidence; accuracy; the squared gap
between confidence and outcome (Brier 1950); that gap, below 0 for underconfidence."""

MEASURES: dict[str, ConfidenceMeasure] = {
    **{name: _average(item) for name, (item, _) in AVERAGED.items()},
    "ece": measure_ece,
    "auroc": measure_auroc,
    "auarc": measure_auarc,
}
"""The measures by name."""


def measure_confidence(name: str, answers: Sequence[ScoredConfidence]) -> Mean:
    """Return a measure of ``MEASURES`` with its 95 % bootstrap interval over questions.

    The ends of averages are those of ``interval``, all others percentiles, with three exceptions.
    Those of ``overconfidence``, from which miscalibration is claimed, are percentiles that lie
    further out: resampled means of n questions vary less than means of n new ones do, by as much as
    the normal distribution is narrower than Student's (Hesterberg 2015, arXiv:1411.5279).
    Chance alone makes the gaps of bins greater, so that percentiles of ``ece`` lie above a small
    true one: its lower end is as far below what is measured as the signed gaps of 97.5 % of
    resamples are from those measured, all bins together. And where ``auroc`` is 0 or 1 resampling
    shows no spread: its interval allows for questions not seen, as the exact interval of n of n
    does, n being the questions of the rarer class.

    Args:
        name: of the measure.
        answers: in any order.

    Returns:
        The measure. ``mean`` is None without an answer, and for ``auroc`` without a right and a
        wrong one; the ends are None for fewer than two questions.
    """
    import numpy as np

    questions = {each.question for each in answers}
    value = find_value(name, answers)
    found = Mean(mean=value, n=len(answers), questions=len(questions))
    if value is None or len(questions) < 2:
        return found
    if name == "overconfidence" and not _is_constant(name, answers):
        tails = _expand_tails(len(questions))
        low, high = np.quantile(_resample(MEASURES[name], answers, questions), tails)
    elif name in AVERAGED:
        low, high = _find_ends(name, answers)
    elif name == "auroc" and value in {0.0, 1.0}:
        seen = _least_share_seen(answers)
        low, high = (seen, 1.0) if value else (0.0, 1 - seen)
    else:
        low, high = np.nanquantile(_resample(MEASURES[name], answers, questions), _TAILS)
    if name == "ece":
        low = max(
            0.0, value - np.quantile(_resample(_measure_noise, answers, questions), _TAILS[1])
        )
    return Mean(mean=value, low=float(low), high=float(high), n=found.n, questions=found.questions)


def measure_change(
    name: str, before: Sequence[ScoredConfidence], after: Sequence[ScoredConfidence]
) -> Mean:
    """Return a measure after minus before, with its interval, paired by question.

    The same questions are drawn for both, so that what makes a question hard cancels out. The ends
    are percentiles.

    Args:
        name: of the measure.
        before: the answers before; of them and of those after, only questions of both count.
        after: the answers after.
    """
    import numpy as np

    shared = {each.question for each in before} & {each.question for each in after}
    first, last = ([each for each in side if each.question in shared] for side in (before, after))
    values = find_value(name, first), find_value(name, last)
    n = len(first) + len(last)
    if values[0] is None or values[1] is None:
        return Mean(n=n, questions=len(shared))
    low = high = None
    if len(shared) > 1:
        drawn = [_resample(MEASURES[name], side, shared) for side in (first, last)]
        low, high = (float(end) for end in np.nanquantile(drawn[1] - drawn[0], _TAILS))
    return Mean(mean=values[1] - values[0], low=low, high=high, n=n, questions=len(shared))


class ConfidenceBin(NamedTuple):
    """A bin of a reliability diagram.

    Attributes:
        low: the bin's lower end; it belongs to the bin below, but for 0.
        high: its upper end, which belongs to it.
        confidence: the mean confidence of its answers.
        right: the share of right answers, with its interval.
    """

    low: float
    high: float
    confidence: float
    right: Mean


def bin_confidences(answers: Sequence[ScoredConfidence]) -> list[ConfidenceBin]:
    """Return the bins that have an answer, from the lowest on."""
    binned: dict[int, list[ScoredConfidence]] = {}
    if answers:
        places = _find_bins(_columns(answers)[0]).tolist()
        for place, each in zip(places, answers, strict=True):
            binned.setdefault(place, []).append(each)
    found = []
    for place, own in sorted(binned.items()):
        rights = {(each.question, number): float(each.right) for number, each in enumerate(own)}
        share = mean_over_questions(rights)
        stated = sum(each.confidence for each in own) / len(own)
        found.append(ConfidenceBin(place / BINS, (place + 1) / BINS, stated, share))
    return found


def find_value(name: str, answers: Sequence[ScoredConfidence]) -> float | None:
    """Return a measure of ``MEASURES`` without its interval, which takes far longer.

    None without an answer, and for ``auroc`` without a right and a wrong one.
    """
    import numpy as np

    if not answers:
        return None
    value = float(MEASURES[name](*_columns(answers), np.ones((1, len(answers))))[0])
    return None if np.isnan(value) else value


def _find_ends(name: str, answers: Sequence[ScoredConfidence]) -> tuple[float, float]:
    """Return the interval of an average, of at least two questions."""
    item, bounds = AVERAGED[name]
    values = item(*_columns(answers)).tolist()
    keyed = {(each.question, place): values[place] for place, each in enumerate(answers)}
    ends = interval(cluster_by_question(keyed), bounds=bounds)
    assert ends is not None
    return ends


def _is_constant(name: str, answers: Sequence[ScoredConfidence]) -> bool:
    """Return whether an average is the same for each question, so that resampling shows nothing."""
    values = AVERAGED[name][0](*_columns(answers)).tolist()
    keyed = {(each.question, place): values[place] for place, each in enumerate(answers)}
    return len({total / size for total, size in cluster_by_question(keyed)}) == 1


def _expand_tails(n: int) -> tuple[float, float]:
    """Return the shares of resampled means of n questions below the ends of an interval."""
    z, free = -NormalDist().inv_cdf(_TAILS[0]), n - 1
    student = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    tail = NormalDist().cdf(-student * sqrt(n / free))
    return tail, 1 - tail


def _columns(answers: Sequence[ScoredConfidence]) -> tuple["Row", "Row"]:
    """Return the confidences, and 1 or 0 for right or wrong."""
    import numpy as np

    table = np.array([(each.confidence, each.right) for each in answers], dtype=float)
    return table[:, 0], table[:, 1]


def _least_share_seen(answers: Sequence[ScoredConfidence]) -> float:
    """Return the lower end of the exact interval of n of n, n of the class with fewer questions."""
    kinds = [{each.question for each in answers if each.right is kind} for kind in (True, False)]
    n = min(map(len, kinds))
    return clopper_pearson(n, n)[0]


def _resample(
    measure: ConfidenceMeasure, answers: Sequence[ScoredConfidence], questions: "set[str]"
) -> "Row":
    """Return a measure for each resample of the questions, all with the same draws.

    A question's answers are all in a resample as often as the question was drawn.
    """
    import numpy as np

    confidence, right = _columns(answers)
    place = {question: number for number, question in enumerate(sorted(questions))}
    own = np.array([place[each.question] for each in answers])
    n = len(place)
    resamples = min(RESAMPLES, max(_FEWEST, _CELLS // max(n, len(answers))))

    def measure_drawn() -> "Iterator[Row]":
        for drawn in draw_counts((1,) * n, n, resamples, SEED):
            yield measure(confidence, right, drawn[:, own].astype(float))

    return np.concatenate(list(measure_drawn()))


def _find_bins(confidence: "Row") -> "NDArray[np.intp]":
    """Return the bin of each confidence, from 0."""
    import numpy as np

    return np.searchsorted(np.arange(1, BINS + 1) / BINS, confidence)


def _sum_gaps(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
    """Return the sum over bins of the absolute sums of their weighted gaps."""
    import numpy as np

    place = _find_bins(confidence)
    total: Row = np.zeros(len(weights))
    for each in np.unique(place):
        own = place == each
        total += abs(weights[:, own] @ (confidence - right)[own])
    return total


def _measure_noise(confidence: "Row", right: "Row", weights: "Matrix") -> "Row":
    """Return how far the gaps of all bins are from those of all answers, each weighing 1."""
    return _sum_gaps(confidence, right, weights - 1) / len(right)
