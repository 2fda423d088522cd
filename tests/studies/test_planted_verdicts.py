"""The sentence of a study where the truth is planted: a small part of ``bench/verdicts.py``."""

import asyncio
import importlib.util
from pathlib import Path

import pytest

from moot.analyses.worth import describe_worth
from moot.statistics.intervals import clopper_pearson

FILE = Path(__file__).parents[2] / "bench" / "verdicts.py"
SPEC = importlib.util.spec_from_file_location("verdicts", FILE)
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

SEEDS, QUESTIONS = 16, 200


def tried(name, seeds=SEEDS):
    world = bench.WORLDS[name]
    return {
        row["points"]: row
        for row in bench.count(bench.try_world(world, seeds, QUESTIONS), QUESTIONS, world)
    }


@pytest.mark.soak
@pytest.mark.parametrize("name", ["harms", "helps", "datasets disagree", "models disagree"])
def test_what_is_planted_is_found_as_often_as_its_power_says_and_never_the_opposite(name):
    for points, row in tried(name).items():
        found, false = ("better", "worse") if points > 0 else ("worse", "better")
        assert row[false] == row["false_studies"] == 0
        low, high = clopper_pearson(row[found], row["debates"], level=0.9999)
        least, most = row["power"]
        assert low <= most
        assert least <= high


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", ["nothing", "few draws, nothing", "nothing, one arm fails in 30 %"]
)
def test_where_nothing_is_planted_a_study_seldom_says_anything(name):
    [row] = tried(name, 30).values()
    assert row["false_studies"] <= 5  # of 30, where 1.5 are expected at most: in 99.7 % of cases


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
