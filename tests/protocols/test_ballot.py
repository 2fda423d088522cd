"""Ballot: every rule decides from the same ballots, and agents put their own answer first."""

import json

import pytest

from moot.debate.recorded import decide
from moot.models.fluent import Speech, word_reply
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from moot.parsing.ballots import FORMS, Ballot
from support.debates import hold

RULES = ("plurality", "votes", "borda", "condorcet", "schulze", "instant-runoff", "approval")
RULES += ("cumulative", "scores")


def rank_as_shown(call):
    """All hold the same answer; every form of a ballot has the labels as they are shown."""
    if call.scene.step != "vote":
        return word_reply(call.scene, Speech(answer="4"))
    shown = call.messages[-1].content
    labels = shown.partition("under these labels: ")[2].partition(".")[0].split(", ")
    points = dict(zip(labels, (7, 3) if len(labels) > 1 else (10,), strict=False))
    ballot = {"vote": labels[0], "ranking": labels, "approved": labels[:1], "points": points}
    return json.dumps({**ballot, "scores": {each: 9 - n for n, each in enumerate(labels)}})


async def test_a_unanimous_round_is_voted_on_and_every_rule_agrees(store):
    held = await hold("ballot", rank_as_shown, store)
    assert len(held.turns) == 3 * 2 + 3
    assert {decide(held, rule).answer for rule in RULES} == {"4"}
    assert held.verdict.by == "votes"
    lost = await hold("ballot", Scripted(lambda _: "I cannot say.", name="lost"), store)
    assert (len(lost.turns), lost.verdict.answer, lost.verdict.missing) == (6, None, "votes")


@pytest.mark.parametrize("forms", ["all", *FORMS])
async def test_simulated_agents_put_their_own_answer_first(store, forms):
    given = {"agents": 4, "forms": forms, "decision": "plurality"}
    held = await hold("ballot", Simulated(accuracy=0.4), store, **given)
    own = {turn.seat: turn.answer for turn in held.turns if turn.step != "vote"}
    for turn in held.turns:
        if turn.step == "vote":
            assert isinstance(turn.reading, Ballot)
            assert turn.reading.ranking[0] == turn.reading.vote == own[turn.seat]
            assert sum(turn.reading.points.values()) == 10
