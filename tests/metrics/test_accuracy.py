"""Right, wrong, unparsed, failed."""

import pytest

from moot.core.questions import Question
from moot.metrics.accuracy import (
    accuracy,
    first_accuracy,
    measure_failed,
    measure_unparsed,
    oracle_gap,
)

OPEN = Question(id="q2", kind="number", text="How many?")


@pytest.mark.parametrize(("verdict", "value"), [("4", 1.0), ("8/2", 1.0), ("5", 0.0), (None, 0.0)])
def test_accuracy_compares_by_value_and_counts_unparsed_as_wrong(debate, verdict, value):
    assert accuracy(debate(verdict=verdict)) == value


def test_failed_counts_as_not_correct_even_if_someone_was_right(debate, turn):
    transcript = debate(turn(1, 0, 1, "4"), failed=True)
    assert accuracy(transcript) == 0.0
    assert measure_failed(transcript) == 1.0
    assert oracle_gap(transcript) == 1.0


def test_unparsed_and_failed_are_two_things(debate):
    assert (measure_unparsed(debate(verdict=None)), measure_failed(debate(verdict=None))) == (
        1.0,
        0.0,
    )
    assert (measure_unparsed(debate(failed=True)), measure_failed(debate(failed=True))) == (
        0.0,
        1.0,
    )
    assert (measure_unparsed(debate()), measure_failed(debate())) == (0.0, 0.0)


def test_without_a_known_answer_nothing_is_right_or_wrong(debate, turn):
    transcript = debate(turn(1, 0, 1, "4"), question=OPEN)
    for judged in (accuracy, first_accuracy, oracle_gap):
        assert judged(transcript) is None


def test_any_of_several_right_answers_is_right(debate):
    move = Question(id="q3", kind="square", text="Where to?", answer=("e4", "e5"))
    assert [accuracy(debate(verdict=to, question=move)) for to in ("e5", "e4", "e6")] == [1, 1, 0]


def test_first_accuracy_is_the_first_debaters_whoever_speaks_before(debate, turn):
    transcript = debate(
        turn(1, 0, 1, "4", role="moderator"), turn(2, 1, 1, "5"), turn(3, 1, 2, "4")
    )
    assert first_accuracy(transcript) == 0.0


def test_the_first_debater_is_the_one_on_the_first_seat(debate, turn):
    assert first_accuracy(debate(turn(1, 1, 1, "5"), turn(2, 0, 1, "4"))) == 1.0


def test_first_accuracy_where_nobody_debated(debate, turn):
    assert first_accuracy(debate(failed=True)) == 0.0
    assert first_accuracy(debate(turn(1, 0, 1, "4", role="judge"))) is None


@pytest.mark.parametrize(
    ("answers", "verdict", "gap"),
    [(("5", "4"), "5", 1.0), (("5", "6"), "5", 0.0), (("5", "4"), "4", 0.0), ((), None, 0.0)],
)
def test_oracle_gap(debate, turn, answers, verdict, gap):
    turns = [turn(k + 1, k, 1, answer) for k, answer in enumerate(answers)]
    assert oracle_gap(debate(*turns, verdict=verdict)) == gap
