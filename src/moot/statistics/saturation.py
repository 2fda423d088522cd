"""Where a curve of accuracy stops to rise, and how surely.

The saturation point of accuracies A(1) … A(k) is the smallest size that no larger one beats by more
than a margin: the smallest j with A(l) - A(j) <= margin for all l > j. What is not known exactly is
said by two tests of each size, both over questions:

- "More is to be gained": some larger size is better by more than the margin. The largest of the
  studentised differences is held against the 97.5 % quantile of such a maximum, so that having
  many larger sizes makes no gain out of chance (single-step maximum; Westfall & Young 1993).
- "No more is to be gained": every larger size is shown to be better by no more than the margin,
  each at 97.5 % (an intersection-union test needs no correction; Berger 1982).

From the smallest size up, sizes are passed by as long as more is to be gained there; the first that
is not is the lower end. From the greatest down, sizes are taken in as long as no more is to be
gained there; the last is the upper end. For the lower end to lie above the truth, the truth itself
must fail a test that it fails in 2.5 % of studies; likewise for the upper end. So the two hold the
saturation point in 95 % of studies, for any form of the curve, also where it falls again.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple

from moot.statistics.intervals import LEVEL, SEED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

SaturationKind = Literal["saturates", "unsettled", "rises", "flat", "unknown"]
"""What a curve is shown to do; see ``Found``."""

MARGIN = 0.02
_Z = 1.959963984540054  # the normal quantile of (1 + LEVEL) / 2
_DRAWS = 20_000


class Found(NamedTuple):
    """What a curve is shown to do.

    Attributes:
        kind: ``saturates``: a rise is shown, and also that it ends before the last size;
            ``unsettled``: a rise is shown, and neither that it ends within the sizes nor that it
            goes on to the last; ``rises``: more is to be gained at every size but the last;
            ``flat``: no size is shown to be better than the smallest; ``unknown``: fewer than two
            sizes or questions.
        at: the estimate, a place among the sizes; None but for ``saturates`` and ``unsettled``.
        low: the lower end of its 95 % interval; None as ``at``.
        high: the upper end; None where it may lie beyond the last size.
    """

    kind: SaturationKind
    at: int | None = None
    low: int | None = None
    high: int | None = None


def find_saturation(right: "Matrix", margin: float = MARGIN) -> Found:
    """Find where accuracy stops to rise.

    The estimate is the smallest size that is not worse than the best by more than the margin or one
    standard error of the difference, whichever is more (the rule of Breiman et al. 1984, section
    3.4.3: the best of many sizes that are alike is one by chance), within its interval.

    Args:
        right: a row for each question, a column for each size from the least up: the mean over the
            replicates of that question, 0 to 1.
        margin: a gain that counts for nothing, 0 or more; with 0 no curve is shown to end.
    """
    questions, sizes = right.shape
    if questions < 2 or sizes < 2:
        return Found("unknown")
    more = [_more(right, at, margin) for at in range(sizes - 1)]
    low = next((at for at, gained in enumerate(more) if not gained), sizes - 1)
    if low == 0:
        return Found("flat")
    if low == sizes - 1:
        return Found("rises")
    high = sizes - 1
    while high > low and _no_more(right, high - 1, margin):
        high -= 1
    at = min(max(_estimate(right, margin), low), high)
    if high == sizes - 1:
        return Found("unsettled", at, low)
    return Found("saturates", at, low, high)


def _differences(right: "Matrix", at: int) -> "tuple[Matrix, Matrix]":
    """Return how much better each larger size is, for each question, and two questions more.

    One of these has each larger size right alone, one the smaller: with them an interval holds
    also where hardly a question tells sizes apart (Agresti & Min 2005).
    """
    import numpy as np

    gaps = right[:, at + 1 :] - right[:, [at]]
    half = np.full((1, gaps.shape[1]), 0.5**0.5)
    padded = np.concatenate([gaps, half, -half])
    return padded.mean(axis=0), padded - padded.mean(axis=0)


def _more(right: "Matrix", at: int, margin: float) -> bool:
    """Whether some larger size is shown to be better by more than the margin."""
    import numpy as np

    means, rest = _differences(right, at)
    covariance = rest.T @ rest / len(rest) ** 2
    errors = np.sqrt(covariance.diagonal())
    highest = float(((means - margin) / errors).max())
    if len(means) == 1 or highest <= _Z:
        return highest > _Z
    together = covariance / np.outer(errors, errors)
    draw = np.random.default_rng(SEED)
    chance = draw.multivariate_normal(np.zeros(len(means)), together, _DRAWS, method="eigh")
    return highest > float(np.quantile(chance.max(axis=1), (1 + LEVEL) / 2))


def _no_more(right: "Matrix", at: int, margin: float) -> bool:
    """Whether every larger size is shown to be better by no more than the margin."""
    import numpy as np

    means, rest = _differences(right, at)
    errors = np.sqrt((rest**2).sum(axis=0)) / len(rest)
    return bool((means + _Z * errors <= margin).all())


def _estimate(right: "Matrix", margin: float) -> int:
    """The smallest size that is as good as the best but for the margin or a standard error."""
    import numpy as np

    means = right.mean(axis=0)
    best = int(means.round(12).argmax())
    errors = (right[:, [best]] - right).std(axis=0) / len(right) ** 0.5
    near = means[best] - means <= np.maximum(margin, errors) + 1e-12
    return int(near.argmax())
