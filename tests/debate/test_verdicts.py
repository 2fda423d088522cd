"""A majority decides; a tie goes to the lowest seat; an unparsed reply has no vote."""

import pytest

from moot.core.questions import Question
from moot.debate.verdicts import majority, verdict_from
from support.debates import stand

NUMBER = Question(id="q", kind="number", text="?")


@pytest.mark.parametrize(
    ("answers", "winner", "turn", "votes"),
    [
        (("4", "5", "5"), "5", 11, {"4": 1, "5": 2}),
        (("4", "5"), "4", 10, {"4": 1, "5": 1}),
        ((None, None, "5"), "5", 12, {"5": 1}),
        ((None, None), None, None, {}),
        (("1", "1/2", "0.5"), "1/2", 11, {"1": 1, "1/2": 2}),
    ],
)
def test_majority(answers, winner, turn, votes):
    verdict = majority(stand(*answers), NUMBER)
    assert (verdict.answer, verdict.turn, verdict.votes) == (winner, turn, votes)
    assert verdict.by == "majority"
    assert verdict.text == (f"said {winner}" if winner else "")


def test_says():
    [view] = stand("4")
    verdict = verdict_from(view, by="judge")
    assert (verdict.answer, verdict.text, verdict.by, verdict.turn) == ("4", "said 4", "judge", 10)
