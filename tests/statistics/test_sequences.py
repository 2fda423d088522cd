"""Confidence sequences: ends, order, validity at every look, and a published implementation."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from moot.statistics.sequences import BettingSequence, classify, open_sequence

FIXTURES = Path(__file__).parents[1] / "fixtures"


def follow(values: list[float], level: float = 0.95) -> BettingSequence:
    sequence = BettingSequence(level)
    for value in values:
        sequence.add(value)
    return sequence


def test_opens_with_all_that_is_possible() -> None:
    sequence = open_sequence(0.9)
    assert (sequence.n, sequence.mean, sequence.low, sequence.high) == (0, None, -1, 1)
    assert sequence.level == 0.9


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_outside_its_range_is_named(level: float) -> None:
    with pytest.raises(ValueError, match="the level of a sequence is above 0 and below 1"):
        open_sequence(level)


@pytest.mark.parametrize("value", [1.01, -2, float("nan"), float("inf")])
def test_a_value_outside_its_range_is_named_and_not_taken(value: float) -> None:
    sequence = follow([1, 0])
    before = vars(sequence).copy()
    with pytest.raises(ValueError, match="a value of a sequence is between -1 and 1"):
        sequence.add(value)
    assert vars(sequence) == before


def test_gains_and_losses_mirror_each_other() -> None:
    draw = Random(0)
    values = draw.choices([-1, 0, 1], [1, 7, 3], k=300)
    there, back = follow([*values]), follow([-value for value in values])
    assert (there.low, there.high) == (-back.high, -back.low)


def test_an_end_never_goes_back() -> None:
    draw = Random(1)
    sequence = BettingSequence()
    low, high = -1.0, 1.0
    for _ in range(500):
        sequence.add(draw.choice([-1, 0, 0, 1]))
        assert low <= sequence.low <= sequence.high <= high
        low, high = sequence.low, sequence.high


def test_values_that_no_mean_fits_leave_an_interval() -> None:
    sequence = follow([1.0] * 200 + [-1.0] * 2000)
    assert -1 < sequence.low <= sequence.high <= 1
    assert sequence.n == 2200


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.01, 0.3, "better"),
        (0.0, 0.3, "open"),
        (-0.3, -0.01, "worse"),
        (-0.05, 0.05, "equal"),
        (-0.051, 0.04, "open"),
        (0.01, 0.04, "better"),
    ],
)
def test_classes(low: float, high: float, shown: str) -> None:
    assert classify(low, high, 0.05) == shown


def miss(share: float, values: list[float], truth: float, sequence: BettingSequence) -> float:
    """Return the chance that a sequence, or any that goes on from it, ever leaves the truth out."""
    if not sequence.low <= truth <= sequence.high:
        return share
    if sequence.n == 7:
        return 0.0
    further = [(1 / len(values), value, deepcopy(sequence)) for value in values]
    for _, value, each in further:
        each.add(value)
    return sum(miss(share * part, values, truth, each) for part, _, each in further)


@pytest.mark.parametrize("values", [[-1, 0, 1], [-1, 1], [-1, -1, 1], [-0.5, 0.25, 1], [0, 0, 1]])
def test_of_all_ways_to_come_out_few_ever_leave_the_truth_out(values: list[float]) -> None:
    missed = miss(1.0, values, sum(values) / len(values), BettingSequence(0.5))
    assert 0.05 < missed <= 0.5


def test_a_value_costs_the_same_at_any_length() -> None:
    draw = Random(3)
    values = draw.choices([-1, 0, 1], [1, 7, 2], k=4000)
    sequence = BettingSequence()
    took = list[float]()
    for start in range(0, 4000, 1000):
        began = process_time()
        for value in values[start : start + 1000]:
            sequence.add(value)
        took.append(process_time() - began)
    assert min(took[2:]) < 2 * min(took[:2])


RECORDED = json.loads((FIXTURES / "sequences" / "confseq.json").read_text())["sequences"]


@pytest.mark.parametrize("recorded", RECORDED, ids=[each["name"] for each in RECORDED])
def test_the_ends_are_those_of_the_published_package(recorded: dict[str, Any]) -> None:
    sequence = BettingSequence(recorded["level"])
    expected = {look: (low, high) for look, low, high in recorded["ends"]}
    for value in recorded["values"]:
        sequence.add(value)
        if sequence.n in expected:
            low, high = expected[sequence.n]
            near = 1e-5 if recorded["name"] == "any values" else 1e-9
            assert sequence.low == pytest.approx(low, abs=near)
            assert sequence.high == pytest.approx(high, abs=near)
            assert sequence.low <= low + 1e-9
            assert sequence.high >= high - 1e-9
