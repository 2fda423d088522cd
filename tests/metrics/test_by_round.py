"""The debate round by round."""

from moot.core.questions import Question
from moot.metrics.by_round import measure_rounds
from moot.metrics.metric import measure


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


def test_a_judge_is_in_no_round(table):
    transcript = table(["5"], ["4"], roles={1: "judge"})
    assert measure_rounds(transcript) == {"round:1": 0.0}


def test_nothing_where_nobody_knows_or_nobody_spoke(table, debate):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    assert measure_rounds(table(["yes", "no"], question=opinion)) == {}
    assert measure_rounds(debate(failed=True)) == {}


def test_in_two_rounds_the_flips_are_those_of_first_and_last(society):
    values = measure(society)
    for name in ("wrong-to-right", "right-to-wrong", "kept-right", "kept-wrong"):
        assert values[f"{name}:2"] == values[name]
