"""What each debater answered, averaged."""

import pytest

from moot.core.questions import Question
from moot.metrics.per_agent import (
    agent_accuracy,
    agent_any_unparsed,
    agent_last_unparsed,
    answers_per_agent,
    measure_unparsed_replies,
)

ALL = (agent_accuracy, agent_any_unparsed, agent_last_unparsed, answers_per_agent)


def test_unparsed_replies_of_debaters_alone(debate, turn):
    transcript = debate(turn(1, 0, 1, None), turn(2, 1, 1, "4"), turn(3, 2, 1, None, role="judge"))
    assert measure_unparsed_replies(transcript) == 1.0


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        ([["5", "4"], [None, "4.0"], ["4", "5"]], [2 / 3, 1 / 3, 0, 5 / 3]),
        ([["4", None], [None, None]], [0, 1, 1, 0.5]),
        ([["4", "4.0", "8/2"]], [1, 0, 0, 1]),
        ([["5", "6", "5"], ["4"]], [0.5, 0, 0, 1.5]),
    ],
)
def test_means_over_debaters(table, answers, values):
    assert [one(table(*answers)) for one in ALL] == [pytest.approx(value) for value in values]


def test_judges_are_no_debaters(table):
    transcript = table(["4"], [None], roles={1: "judge"})
    assert [one(transcript) for one in ALL] == [1, 0, 0, 1]


def test_without_debaters_there_is_no_mean(debate, turn):
    for transcript in (debate(failed=True), debate(turn(1, 0, 1, "4", role="judge"))):
        assert [one(transcript) for one in ALL] == [None] * 4
        assert measure_unparsed_replies(transcript) == 0


def test_without_a_known_answer_only_accuracy_is_none(table):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    assert [one(table(["yes", "no"], question=opinion)) for one in ALL] == [None, 0, 0, 2]
