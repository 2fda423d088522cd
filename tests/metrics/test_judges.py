"""Whether judges keep to what was answered before them."""

import pytest

from moot.core.events import Closed, NodeFinished, Transcript, Verdict
from moot.core.questions import Question
from moot.metrics.judges import invented_answers


def end(held, by, answer=None, node=""):
    """The same debate, decided by a turn; or a node of it."""
    verdict = Verdict(answer=answer, by="judge", turn=by)
    if not node:
        return Transcript((*held.events[:-1], Closed(verdict=verdict)))
    ended = NodeFinished(
        node=node, protocol="community", pack="00", layer=1, verdict=verdict, place=0
    )
    return Transcript((*held.events[:-1], ended, held.events[-1]))


@pytest.mark.parametrize(
    ("said", "share"), [("4", 0), ("8/2", 0), ("5", 0), ("6", 1), (None, None)]
)
def test_an_answer_that_nobody_gave_is_invented(debate, turn, said, share):
    members = turn(1, 0, 1, "4"), turn(2, 1, 1, "5")
    held = debate(*members, turn(3, 2, 1, said, reads=(1, 2), role="judge"))
    assert invented_answers(end(held, 3, said)) == share
    assert invented_answers(end(held, 3)) == share, "held to the responses or not"


def test_a_judge_knows_only_what_it_read(debate, turn):
    members = turn(1, 0, 1, "4"), turn(2, 0, 2, "5")
    held = debate(*members, turn(3, 2, 2, "4", reads=(2,), role="judge"))
    assert invented_answers(end(held, 3)) == 1


def test_the_judges_of_nodes_count_too(debate, turn):
    said = turn(1, 0, 1, "4"), turn(2, 1, 1, "6", reads=(1,), role="judge")
    held = debate(*said, turn(3, 2, 1, "6", reads=(2,), role="judge"))
    assert invented_answers(end(end(held, 3), 2, "6", node="C1")) == 0.5, "it counts there"
    assert invented_answers(end(end(held, 3), 2, node="C1")) == 1, "the node has no answer"


def test_none_decides_alone(debate, turn, society):
    members = turn(1, 0, 1, "4"), turn(2, 1, 1, "5", reads=(1,))
    assert invented_answers(end(debate(*members), 2, "5")) is None, "a debater"
    assert invented_answers(society) is None
    opinion = Question(id="q", kind="text", text="Good?")
    held = debate(turn(1, 0, 1, "yes"), turn(2, 1, 1, "no", reads=(1,), role="judge"))
    told = debate(*held.turns, question=opinion)
    assert invented_answers(end(told, 2, "no")) is None
