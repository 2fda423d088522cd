"""Gates and stops: plain functions of views."""

import pytest

from moot.debate.stops import Ending, accept_agreement, stop_at_consensus, stop_at_decision
from moot.debate.views import Views
from support.debates import SUM, stand


@pytest.mark.parametrize(
    ("answers", "share", "accepted"),
    [
        (("4", "4.0", "4"), 1.0, True),
        (("4", "4", "5"), 1.0, False),
        (("4", "4", "5"), 2 / 3, True),
        (("4", "4", None), 1.0, False),
        ((None, None), 0.5, False),
    ],
)
def test_a_gate_accepts_agreement(answers, share, accepted):
    ending = accept_agreement(share)(stand(*answers), SUM)
    assert bool(ending) == accepted
    if ending:
        assert ending.signal >= ending.threshold == share


def test_consensus_is_of_the_newest_views():
    one, other = stand("4", "5")
    later = other.relabel("Agent 2", "4", 2)
    assert stop_at_consensus(Views((one, other)), SUM) is None
    assert stop_at_consensus(Views((one, later)), SUM)
    assert stop_at_consensus(stand("4", "4"), SUM) == Ending(why="all agree")
    assert stop_at_consensus(stand("4", None), SUM) is None
    assert stop_at_decision(stand(None, "4"), SUM), "the newest has an answer"
    assert stop_at_decision(stand("4", None), SUM) is None
