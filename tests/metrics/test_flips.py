"""Every debater's first answer against its last."""

import pytest

from moot.core.questions import Question
from moot.metrics.flips import (
    measure_kept_right,
    measure_kept_wrong,
    right_to_wrong,
    wrong_to_right,
)

ALL = (wrong_to_right, right_to_wrong, measure_kept_right, measure_kept_wrong)


@pytest.mark.parametrize(
    ("first", "last", "counts"),
    [
        ("5", "4", [1, 0, 0, 0]),
        (None, "4", [1, 0, 0, 0]),
        ("4", "5", [0, 1, 0, 0]),
        ("4", None, [0, 1, 0, 0]),
        ("4", "4.00", [0, 0, 1, 0]),
        ("5", "6", [0, 0, 0, 1]),
        (None, None, [0, 0, 0, 1]),
    ],
)
def test_one_debater(debate, turn, first, last, counts):
    between = turn(2, 0, 2, "99")
    transcript = debate(turn(1, 0, 1, first), between, turn(3, 0, 3, last))
    assert [count(transcript) for count in ALL] == counts


def test_who_speaks_about_the_debate_or_merges_it_is_no_debater(debate, turn):
    merging = ("judge", "summariser", "moderator", "aggregator", "evaluator", "role-assigner")
    turns = [
        turn(2 * k + n, k, n, answer, role=role)
        for k, role in enumerate(("mind", *merging))
        for n, answer in ((1, "5"), (2, "4"))
    ]
    assert [count(debate(*turns)) for count in ALL] == [1, 0, 0, 0]


def test_who_advises_is_a_debater(debate, turn):
    turns = [turn(n, 1, n, answer, role="consultant") for n, answer in ((1, "4"), (2, "5"))]
    assert right_to_wrong(debate(*turns)) == 1.0


def test_who_spoke_once_had_no_chance_to_change(debate, turn):
    once = [turn(1, 0, 1, "4"), turn(2, 1, 1, "5")]
    assert [count(debate(*once)) for count in ALL] == [None] * 4
    assert [count(debate(*once, turn(3, 1, 2, "4"))) for count in ALL] == [1, 0, 0, 0]


def test_without_a_known_answer_there_are_no_flips(debate, turn):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    transcript = debate(turn(1, 0, 1, "yes"), turn(2, 0, 2, "no"), question=opinion)
    assert [count(transcript) for count in ALL] == [None] * 4
