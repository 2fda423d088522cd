"""Taken over from others, talked out of it by others."""

import pytest

from moot.core.questions import Question
from moot.metrics.influence import (
    bullied_by_other_of_all,
    measure_bullied_by_other,
    measure_relied_on_other,
    relied_on_other_of_all,
)


@pytest.mark.parametrize(
    ("answers", "relied", "bullied"),
    [
        ([["5", "4"], ["4.0", "4"]], 0.5, 0),
        ([["5", "4"], ["6", "4"]], 0, 0),  # both found it in the same round
        ([["5", "6", "4"], ["6", "8/2", "6"]], 0.5, 0),  # the other had it in between
        ([[None, "4"], ["4", "5"]], 0.5, 0.5),
        ([["4", "5"], ["4", None], ["5", "5"], ["5", "5"]], 0, 0.25),
        ([["4", "5", "4"], ["5", "5", "5"]], 0, 0),
        ([["5", "4", "5"], ["4", "4", "4"]], 0, 0),
        ([["5", "4", "4"], ["5", "5", "5"]], 0, 0),  # it found that itself
        ([["5", "4"], ["4"]], 1, 0),  # who spoke once is heard, and not counted
        ([["5"], ["4"]], None, None),
    ],
)
def test_shares_of_those_who_spoke_twice(table, answers, relied, bullied):
    transcript = table(*answers)
    assert (measure_relied_on_other(transcript), measure_bullied_by_other(transcript)) == (
        relied,
        bullied,
    )


def test_a_judge_can_be_relied_on_and_does_not_rely(table):
    told = table(["5", "4"], ["4", "4"], roles={1: "judge"})
    assert measure_relied_on_other(told) == 1.0
    assert measure_relied_on_other(table(["5", "5"], ["5", "4"], roles={1: "judge"})) == 0.0


def test_who_sits_in_another_node_is_not_heard(debate, turn):
    first = [turn(1, 0, 1, "5", node="A"), turn(2, 1000, 1, "4", node="B")]
    assert measure_relied_on_other(debate(*first, turn(3, 0, 2, "4", node="A"))) == 0.0
    beside = turn(4, 1, 1, "4", node="A")
    assert measure_relied_on_other(debate(*first, beside, turn(3, 0, 2, "4", node="A"))) == 1.0


def test_another_right_answer_is_not_taken_over(table):
    move = Question(id="q3", kind="square", text="Where to?", answer=("e4", "e5"))
    assert measure_relied_on_other(table(["a1", "e4"], ["e5", "e5"], question=move)) == 0.0
    assert measure_relied_on_other(table(["a1", "e4"], ["e4", "e5"], question=move)) == 0.5


def test_none_where_nobody_knows(table):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    transcript = table(["yes", "no"], ["no", "no"], question=opinion)
    assert (measure_relied_on_other(transcript), measure_bullied_by_other(transcript)) == (
        None,
        None,
    )
    assert (relied_on_other_of_all(transcript), bullied_by_other_of_all(transcript)) == (None, None)


@pytest.mark.parametrize(
    ("answers", "relied", "bullied"),
    [
        ([["5", "4"], ["4.0", "4"]], 0.5, 0),
        ([["5", "4"], ["4"]], 0.5, 0),
        ([["4", "5"], ["5"], ["5"], ["5"]], 0, 0.25),
        ([["5"], ["4"]], 0, 0),
    ],
)
def test_shares_of_all_debaters(table, answers, relied, bullied):
    transcript = table(*answers)
    assert (relied_on_other_of_all(transcript), bullied_by_other_of_all(transcript)) == (
        pytest.approx(relied),
        pytest.approx(bullied),
    )
