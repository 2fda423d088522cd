"""What debaters think before they hear each other."""

import pytest

from moot.metrics.firsts import (
    first_consensus,
    first_diversity,
    unique_first_answers,
    unique_parsed_first_answers,
)

ALL = (unique_first_answers, unique_parsed_first_answers, first_diversity, first_consensus)


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        (("4", "4.0", "8/2"), [1, 1, 0, 1]),
        (("4", "5", "6"), [3, 3, 1, 1 / 3]),
        (("4", "5", "4"), [2, 2, 2 / 3, 2 / 3]),
        (("4", "4", "5", "5"), [2, 2, 2 / 3, 0.5]),
        (("4", None, None), [2, 1, None, 1 / 3]),
        (("4", None, "5"), [3, 2, 1, 1 / 3]),
        ((None, None), [1, 0, None, 0]),
        (("4",), [1, 1, None, None]),
    ],
)
def test_first_answers_alone_count(table, answers, values):
    transcript = table(*([answer, "4"] for answer in answers))
    expected = [None if value is None else pytest.approx(value) for value in values]
    assert [one(transcript) for one in ALL] == expected


def test_a_judge_has_no_first_answer(table):
    transcript = table(["4"], ["5"], ["6"], roles={2: "judge"})
    assert [one(transcript) for one in ALL] == [2, 2, 1, 0.5]


def test_none_where_nobody_debated(debate):
    assert [one(debate(failed=True)) for one in ALL] == [None] * 4


def test_of_nodes_that_debate_again_the_first_sweep_counts(debate, turn, node):
    again = {"settings": {"sweeps": 3, "nodes": [{"name": "A"}, {"name": "B"}]}}
    said = [turn(1, 0, 1, "1", node="A"), turn(2, 1000, 1, "2", node="B")]
    said += [turn(3, 2000, 1, "3", node="A.2"), turn(4, 3000, 1, "3", node="B.2")]
    transcript = debate(*said, nodes=[node("A", "1", 0), node("B", "2", 1)], **again)
    assert [one(transcript) for one in ALL] == [2, 2, 1, 0.5]
