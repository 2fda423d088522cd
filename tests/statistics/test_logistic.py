"""Logistic regression with small weights, beside what another package computes."""

import numpy as np
import pytest

from moot.statistics.logistic import fit_logistic


def draw(n=400, seed=0):
    """Cases whose log-odds are 1 + 2 a - b, and a feature that never varies."""
    rng = np.random.default_rng(seed)
    cases = [
        {"a": float(a), "b": float(b), "same": 3.0} for a, b in rng.normal(2.0, 3.0, size=(n, 2))
    ]
    chances = [1 / (1 + np.exp(-(1 + 2 * case["a"] - case["b"]))) for case in cases]
    return cases, [bool(each) for each in rng.random(n) < chances]


def test_what_was_planted_is_found_and_a_feature_that_never_varies_weighs_nothing():
    cases, outcomes = draw(4000)
    offset, weights = fit_logistic(cases, outcomes, penalty=1e-6).unscale()
    assert offset == pytest.approx(1.0, abs=0.35)
    assert weights == {"a": pytest.approx(2.0, abs=0.3), "b": pytest.approx(-1.0, abs=0.2)}


def test_the_weights_are_where_the_penalised_likelihood_is_flat():
    cases, outcomes = draw()
    model = fit_logistic(cases, outcomes, penalty=2.0)
    scaled = {
        name: np.array([(case[name] - model.means[name]) / model.scales[name] for case in cases])
        for name in ("a", "b")
    }
    log_odds = model.offset + sum(model.coefficients[name] * scaled[name] for name in scaled)
    gaps = 1 / (1 + np.exp(-log_odds)) - np.array(outcomes, dtype=float)
    assert gaps.sum() == pytest.approx(0, abs=1e-3)
    for name, values in scaled.items():
        assert gaps @ values + 2.0 * model.coefficients[name] == pytest.approx(0, abs=1e-3)


def test_a_greater_penalty_holds_weights_smaller_and_separated_classes_have_an_end():
    cases = [{"a": float(place)} for place in range(40)]
    outcomes = [place >= 20 for place in range(40)]
    weights = [
        fit_logistic(cases, outcomes, penalty=each).coefficients["a"] for each in (0.1, 1, 9)
    ]
    assert weights == sorted(weights, reverse=True)
    assert all(0 < each < 100 for each in weights)


def test_slope_and_shift_are_those_of_the_log_odds():
    cases, outcomes = draw()
    model = fit_logistic(cases, outcomes)
    offset, weights = model.unscale()
    turned, moved = model.unscale(slope=0.5, shift=2.0)
    assert turned == pytest.approx(0.5 * offset + 2.0, rel=1e-4)
    assert moved == {name: pytest.approx(0.5 * each, rel=1e-4) for name, each in weights.items()}
