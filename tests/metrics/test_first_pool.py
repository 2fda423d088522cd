"""The pool of first answers: what no vote can reach, and what the debate made of it."""

import pytest

from moot.core.questions import Question
from moot.metrics.first_pool import (
    all_wrong,
    drift,
    escape,
    first_vote_accuracy,
    measure_lost,
    read_pool,
)


def measure_all(transcript):
    return [
        each(transcript) for each in (all_wrong, escape, measure_lost, first_vote_accuracy, drift)
    ]


@pytest.mark.parametrize(
    ("debaters", "verdict", "values"),
    [
        ((["5", "4"], ["6", "4"], ["5", "7"]), "4", [1, 1, None, 0, 2 / 3]),
        ((["5", "6"], ["6", "6"], ["5", "6"]), "6", [1, 0, None, 0, 0]),
        ((["4", "5"], ["4", "5"], ["5", "5"]), "5", [0, None, 1, 1, -2 / 3]),
        ((["5", "5"], ["4", "4"], ["6", "8/2"]), "4", [0, None, 0, 0, 1 / 3]),
        (([None, "4"], ["4", None]), None, [0, None, 1, 1, 0]),
        ((["4"], ["5"]), "4", [0, None, 0, 1, 0]),
    ],
)
def test_each_metric_of_one_debate(table, debaters, verdict, values):
    found = measure_all(table(*debaters, verdict=verdict))
    assert found == [value if value is None else pytest.approx(value) for value in values]


def test_none_without_a_pool(table, debate, turn):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    lone = table(["4", "5"])
    judged = table(["4"], ["5"], roles={1: "judge"})
    failed = table(["4"], ["5"], failed=True)
    unknown = table(["yes"], ["no"], question=opinion)
    network = debate(turn(1, 0, 1, "4"), turn(2, 1, 1, "5"), settings={"nodes": []})
    for transcript in (lone, judged, failed, unknown, network):
        assert measure_all(transcript) == [None] * 5


def test_rounds_in_which_not_all_spoke_are_left_out(table):
    pool = read_pool(table(["4", "4", "5"], ["5", "4"], verdict="4"))
    assert pool.shares == {1: 0.5, 2: 1.0}
    assert pool.votes == {1: 1.0, 2: 1.0}
    assert pool.last == (False, True)
