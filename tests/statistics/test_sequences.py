"""Confidence sequences: ends, order, validity at every look, and a published implementation."""

from random import Random

import pytest

from moot.statistics.sequences import BettingSequence, classify, open_sequence


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
