"""What debating adds to the first answer of the first agent."""

import pytest

from moot.core.questions import Question
from moot.metrics.gains import gain_to_last, gain_to_verdict


@pytest.mark.parametrize(
    ("first", "verdict", "to_verdict", "to_last"),
    [
        (["5", "4"], "4", 1, 1),
        (["5", "4"], "5", 0, 1),
        (["4", "5"], None, -1, -1),
        (["4", "5", "8/2"], "4", 0, 0),
        ([None, None], "4", 1, 0),
        (["4"], "5", -1, 0),
    ],
)
def test_gains(table, first, verdict, to_verdict, to_last):
    transcript = table(first, ["6", "7", "6"], verdict=verdict)
    assert (gain_to_verdict(transcript), gain_to_last(transcript)) == (to_verdict, to_last)


def test_a_failed_debate_loses_what_was_right(table, debate):
    assert gain_to_verdict(table(["4", "4"], failed=True)) == -1.0
    silent = debate(failed=True)
    assert (gain_to_verdict(silent), gain_to_last(silent)) == (0.0, None)


def test_none_without_debaters_or_a_known_answer(table):
    opinion = Question(id="q2", kind="text", text="Is it good?")
    for transcript in (table(["yes", "no"], question=opinion), table(["4"], roles={0: "judge"})):
        assert (gain_to_verdict(transcript), gain_to_last(transcript)) == (None, None)
