"""How many rounds there were, and which of them were right."""

import pytest

from moot.core.questions import Question
from moot.metrics.rounds import (
    correct_rounds,
    correct_rounds_share,
    first_correct_round,
    nodes_agree,
    rounds,
    sweeps,
)

RIGHT = (first_correct_round, correct_rounds, correct_rounds_share)


def test_rounds(debate, turn, society):
    assert [rounds(debate()), rounds(debate(turn(1, 0, 1, "4"))), rounds(society)] == [0, 1, 2]


def test_sweeps_that_happened_are_none_where_there_can_be_none(debate, turn):
    assert sweeps(debate(turn(1, 0, 1, "4"))) is None
    failed = debate(failed=True, settings={"sweeps": 3, "nodes": [{"name": "A"}]})
    assert sweeps(failed) == 0


@pytest.mark.parametrize(
    ("verdicts", "agree"),
    [
        ([("A", "4", 1), ("B", "5", 1), ("A", "8/2", 2), ("B", "4", 2)], 1),
        ([("A", "4", 1), ("B", "4", 1), ("A", "5", 2), ("B", "4", 2)], 0),
        ([("A", None, 1), ("B", None, 1)], 0),
        ([("A", "4", 1)], 0),
        ([("A", "4", 1), ("B", "4", 1), ("B/inner", "5", 1)], 1),
        ([], 0),
    ],
)
def test_nodes_agree_by_their_verdicts_in_the_last_sweep(debate, turn, node, verdicts, agree):
    ends = [node(name, answer, k, sweep=sweep) for k, (name, answer, sweep) in enumerate(verdicts)]
    settings = {"sweeps": 3, "nodes": [{"name": "A"}, {"name": "B"}]}
    members = turn(1, 0, 1, "4"), turn(2, 1, 1, "5")  # that members differ is no matter
    assert nodes_agree(debate(*members, nodes=ends, settings=settings)) == agree
    assert nodes_agree(debate(*members)) is None


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        ([["4", "4", "4"]], [1, 3, 1]),
        ([["5", None, "4"]], [3, 1, 1 / 3]),
        ([["4", "5", "8/2"]], [1, 2, 2 / 3]),
        ([["5", "4"], ["4", "4"]], [1.5, 1.5, 0.75]),
        ([["5", "4"], ["5", "6"]], [2, 1, 0.5]),
        ([["5"], [None]], [None] * 3),
        ([["5", "4", "4"], ["4"]], [1.5, 1.5, 5 / 6]),
    ],
)
def test_right_rounds_of_the_debaters_ever_right(table, answers, values):
    expected = [None if value is None else pytest.approx(value) for value in values]
    assert [one(table(*answers)) for one in RIGHT] == expected


def test_of_two_turns_in_one_round_the_last_counts(debate, turn):
    transcript = debate(turn(1, 0, 1, "4"), turn(2, 0, 1, "5"), turn(3, 0, 2, "4"))
    assert [one(transcript) for one in RIGHT] == [2, 1, 0.5]


def test_a_right_judge_makes_no_round_right(table):
    assert [one(table(["5"], ["4"], roles={1: "judge"})) for one in RIGHT] == [None] * 3


def test_no_round_is_right_where_nobody_knows(table):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    assert [one(table(["yes", "no"], question=opinion)) for one in RIGHT] == [None] * 3
