"""Logistic regression with small weights: a probability from several numbers."""

from collections.abc import Mapping, Sequence

import msgspec

PENALTY = 1.0
"""How much a squared weight costs, of features on one scale: half of it, in log-likelihood."""
DIGITS = 6
_STEPS, _CLOSE = 100, 1e-10


class LogisticModel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A logistic regression.

    Log-odds are the offset plus each coefficient times its scaled feature.

    Attributes:
        means: of each feature, over the cases that it was fitted on.
        scales: the standard deviation of each; 1 for one that never varies, which weighs nothing.
        coefficients: of the scaled features.
        offset: the log-odds of a case whose features are all at their means.
    """

    means: dict[str, float]
    scales: dict[str, float]
    coefficients: dict[str, float]
    offset: float

    def unscale(self, slope: float = 1.0, shift: float = 0.0) -> tuple[float, dict[str, float]]:
        """Return the offset and the weights of features as they are, without their scales.

        Args:
            slope: what the log-odds are multiplied by.
            shift: what is then added to them.
        """
        weights = {
            name: slope * each / self.scales[name] for name, each in self.coefficients.items()
        }
        moved = sum(weight * self.means[name] for name, weight in weights.items())
        kept = {name: _round(weight) for name, weight in weights.items() if weight}
        return _round(slope * self.offset + shift - moved), kept


def fit_logistic(
    cases: Sequence[Mapping[str, float]], outcomes: Sequence[bool], penalty: float = PENALTY
) -> LogisticModel:
    """Return the most likely model whose weights are held small, by Newton's method.

    Features are brought to one scale first. The offset is not held small.

    Args:
        cases: the features of each case by name, the same names in all; at least one case.
        outcomes: of these cases; some True and some False.
        penalty: of the weights, above 0.
    """
    import numpy as np

    names = sorted(cases[0])
    table = np.array([[case[name] for name in names] for case in cases], dtype=float)
    centre, spread = table.mean(axis=0), table.std(axis=0)
    varies = spread > 1e-9 * (1 + abs(centre))
    spread = np.where(varies, spread, 1.0)
    scaled = np.where(varies, (table - centre) / spread, 0.0)
    design = np.column_stack([np.ones(len(cases)), scaled])
    right = np.array(outcomes, dtype=float)
    held = np.diag([1e-9, *[penalty] * len(names)])
    weights = np.zeros(len(names) + 1)
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ weights, -500, 500)))
        slope = design.T @ (chances - right) + held @ weights
        bend = (design * (chances * (1 - chances))[:, None]).T @ design + held
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if float(abs(step).max()) < _CLOSE:
            break
    return LogisticModel(
        means=_name(names, centre.tolist()),
        scales=_name(names, spread.tolist()),
        coefficients=_name(names, (weights[1:] * varies).tolist()),
        offset=_round(float(weights[0])),
    )


def _name(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return {name: _round(value) for name, value in zip(names, values, strict=True)}


def _round(value: float) -> float:
    """Return a number to six digits: the last ones of a fit differ between machines."""
    return float(f"{value:.{DIGITS}g}")
