"""The sentence of a study where the truth is planted: a small part of ``bench/verdicts.py``."""

import asyncio
import importlib.util
from pathlib import Path

import pytest

from moot.analyses.worth import describe_worth

FILE = Path(__file__).parents[2] / "bench" / "verdicts.py"
SPEC = importlib.util.spec_from_file_location("verdicts", FILE)
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


@pytest.mark.parametrize(
    ("points", "expected"), [(0.23, "Yes: "), (-0.22, "No: "), (0.0, "Open: ")]
)
def test_a_whole_study_of_a_planted_model(points, expected):
    """From the model's replies through ``moot.run`` to the sentence."""
    pilot = asyncio.run(bench.run_once(-1, 0.0, 4, 1)).results
    [budget] = [each for arm in pilot.arms for each in arm.budget if each.matched == "tokens"]
    outcome = asyncio.run(bench.run_once(7, points, 100, round(budget.samples)))
    [sentence] = describe_worth(outcome.results)
    assert sentence.startswith(expected)
    assert "at equal tokens" in sentence
