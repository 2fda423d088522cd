"""The debate round by round."""

from moot.core.questions import Question
from moot.metrics.by_round import measure_rounds


def matrix(number, *counts):
    names = ("wrong-to-right", "right-to-wrong", "kept-right", "kept-wrong")
    return {f"{name}:{number}": count for name, count in zip(names, counts, strict=True)}


def test_shares_and_flips_of_every_round(table):
    transcript = table(["5", "4", "4"], [None, "4.0", "5"], ["4", "5", None], ["4", "8/2", "4"])
    assert measure_rounds(transcript) == {
        "round:1": 0.5,
        "round:2": 0.75,
        "round:3": 0.5,
        **matrix(2, 2, 1, 1, 0),
        **matrix(3, 0, 1, 2, 1),
    }


def test_only_who_speaks_in_a_round_counts_in_it(table):
    """The second is silent in round 2: its flip is the one into round 3."""
    transcript = table(["5", "5", "5"], ["5", "", "4"], ["4"])
    assert measure_rounds(transcript) == {
        "round:1": 1 / 3,
        "round:2": 0.0,
        "round:3": 0.5,
        **matrix(2, 0, 0, 0, 1),
        **matrix(3, 1, 0, 0, 1),
    }


def test_a_judge_is_in_no_round_and_nothing_is_said_where_nobody_knows(table):
    assert measure_rounds(table(["5"], ["4"], roles={1: "judge"})) == {"round:1": 0.0}
    opinion = Question(id="q2", kind="text", text="Is it good?")
    assert measure_rounds(table(["yes", "no"], question=opinion)) == {}
