"""Concordance: whether greater outcomes have greater scores, with intervals over questions.

Of two outcomes, yes and no, it is the AUROC. An outcome may also be a difference, such as an answer
gained (1), lost (-1) or neither (0): then all pairs of unlike outcomes count. Where a difference is
as likely above 0 as below it for every score, the share of concordant pairs is 0.5.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from moot.core.results import Mean
from moot.statistics.intervals import LEVEL, clopper_pearson
from moot.statistics.student import find_critical_t, measure_tails

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float64]
    Matrix = NDArray[np.float64]

CHANCE = 0.5
"""The share of concordant pairs of a score that tells nothing."""
FEWEST = 8
"""Questions with a rarer outcome below which nothing is said of chance."""
_CELLS = 1_000_000  # weights at once: 8 MB


class ScoredOutcome(NamedTuple):
    """A case with a score and its outcome.

    Attributes:
        question: the id of the question; cases of one question are resampled together.
        score: any number.
        outcome: what the score is to tell; greater ones are to have greater scores.
    """

    question: str
    score: float
    outcome: int


class Concordance(NamedTuple):
    """How well a score tells outcomes apart.

    Attributes:
        share: of pairs of unlike outcomes, those whose greater outcome has the greater score; equal
            scores count half. Its ``mean`` is None where all outcomes are alike, and its ends where
            the rarer outcomes are of too few questions.
        p: how likely a share at least so far from 0.5 is of a score that tells nothing; None as the
            ends.
    """

    share: Mean
    p: float | None


def measure_concordance(cases: Sequence[ScoredOutcome]) -> Concordance:
    """Return how well scores tell outcomes apart, with a 95 % interval over questions.

    The standard error is of the jackknife that leaves out whole questions. The interval and p are
    those of Student's t with one degree of freedom fewer than questions with a rarer outcome, since
    these bear most of the error. With fewer than ``FEWEST`` of these there is neither. Of scores
    that tell nothing 5 % have a p of at most 0.05: of 60 questions 5 to 8 % with 8 of a rarer
    outcome, 4 to 6 % with 15. The bootstrap's percentiles give 8 to 25 % with 10 and fewer.

    Args:
        cases: in any order.
    """
    import numpy as np

    owners = sorted({each.question for each in cases})
    whole = Mean(n=len(cases), questions=len(owners))
    counts = Counter(each.outcome for each in cases)
    if len(counts) < 2:
        return Concordance(whole, None)
    usual = counts.most_common(1)[0][0]
    rarer = len({each.question for each in cases if each.outcome != usual})
    scores = np.array([each.score for each in cases], dtype=float)
    outcomes = np.array([each.outcome for each in cases], dtype=float)
    value = float(count_concordant(scores, outcomes, np.ones((1, len(cases))))[0])
    found = msgspec.structs.replace(whole, mean=value)
    if min(rarer, len(owners) - 1) < FEWEST:
        return Concordance(found, None)
    error = _measure_error(scores, outcomes, [owners.index(each.question) for each in cases])
    freedom = rarer - 1
    reach = find_critical_t(1 - LEVEL, freedom) * error
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    if not error:  # every pair is concordant, or none, or all scores are the same
        spread = 1 - clopper_pearson(rarer, rarer)[0]
        low, high = max(0.0, value - spread), min(1.0, value + spread)
        p = 1.0 if value == CHANCE else 2 * CHANCE**rarer
        return Concordance(msgspec.structs.replace(found, low=low, high=high), p)
    p = measure_tails((value - CHANCE) / error, freedom)
    return Concordance(msgspec.structs.replace(found, low=low, high=high), p)


def _measure_error(scores: "Row", outcomes: "Row", owners: Sequence[int]) -> float:
    """Return the standard error of the share of concordant pairs, by leaving out each question.

    Args:
        scores: of the cases.
        outcomes: of the cases.
        owners: the number of each case's question, from 0.
    """
    import numpy as np

    many, own = max(owners) + 1, np.array(owners)
    step = max(1, _CELLS // len(own))
    left = np.concatenate(
        [
            count_concordant(
                scores,
                outcomes,
                (np.arange(start, min(start + step, many))[:, None] != own).astype(float),
            )
            for start in range(0, many, step)
        ]
    )
    return float(np.sqrt((many - 1) / many * ((left - left.mean()) ** 2).sum()))


def count_concordant(scores: "Row", outcomes: "Row", weights: "Matrix") -> "Row":
    """Return the share of pairs of unlike outcomes whose greater one has the greater score.

    Equal scores count half. NaN for a row of weights in which all outcomes are alike.

    Args:
        scores: of the cases.
        outcomes: of the cases; 1 and 0 give the AUROC.
        weights: (rows, cases): how often each case counts.
    """
    import numpy as np

    order, starts = group_ties(scores)
    own, kinds = weights[:, order], outcomes[order]
    tallies = [np.add.reduceat(own * (kinds == kind), starts, axis=1) for kind in np.unique(kinds)]
    concordant, pairs = np.zeros(len(weights)), np.zeros(len(weights))
    for smaller, greater in combinations(tallies, 2):
        below = np.cumsum(smaller, axis=1) - smaller / 2
        concordant += (greater * below).sum(axis=1)
        pairs += greater.sum(axis=1) * smaller.sum(axis=1)
    found: Row = np.full(len(weights), np.nan)
    np.divide(concordant, pairs, out=found, where=pairs > 0)
    return found


def group_ties(values: "Row") -> tuple["NDArray[np.intp]", "NDArray[np.intp]"]:
    """Return the order of rising values, and where in it each new value begins."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    ordered = values[order]
    return order, np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


Facts = Sequence[float]
"""The facts of a case, always in the same order."""


def fit_score(known: Sequence[Facts], outcomes: Sequence[int]) -> Callable[[Facts], float]:
    """Return a score that is a sum of weighted facts, the weights fitted by least squares.

    A fact that never varies has no weight. Facts are brought to one scale first, and weights are
    held small by as much as one more case of each would (ridge regression).

    Args:
        known: the facts of each case; at least one case.
        outcomes: of these cases.
    """
    import numpy as np

    table = np.array(known, dtype=float)
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)  # a fact that never varies weighs nothing
    scaled = (table - centre) / spread
    gaps = np.array(outcomes, dtype=float)
    gaps -= gaps.mean()
    weights = np.linalg.solve(scaled.T @ scaled + np.eye(table.shape[1]), scaled.T @ gaps)

    def score(facts: Facts) -> float:
        return float(((np.array(facts, dtype=float) - centre) / spread) @ weights)

    return score
