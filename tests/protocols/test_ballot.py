"""Ballot: every rule decides from the same ballots, and agents put their own answer first."""

import json

import pytest

from moot.debate.recorded import decide
from moot.models.fluent import Speech, word_reply
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from moot.parsing.ballot import FORMS, Ballot
from support.debates import hold


def write(ranking, points=None):
    """A ballot that ranks labels, in every form."""
    ballot = {
        "vote": ranking[0],
        "ranking": [*ranking],
        "approved": [ranking[0]],
        "points": points or dict(zip(ranking, (7, 3) if len(ranking) > 1 else (10,), strict=False)),
        "scores": {label: 9 - 2 * place for place, label in enumerate(ranking)},
    }
    return json.dumps(ballot)


def script(answers, rank):
    """Agents with these answers in every round, whose ballots a function of the labels writes."""

    def speak(call):
        scene = call.scene
        place = int(scene.agent[-1]) - 1
        if scene.step != "vote":
            return word_reply(scene, Speech(answer=answers[place]))
        shown = call.messages[-1].content
        labels = shown.partition("under these labels: ")[2].partition(".")[0].split(", ")
        held = {}
        for label in labels:
            words = shown.partition(f"\n{label}:\n")[2]
            held[label] = words.partition("Final answer: ")[2][:1]
        return rank(place, held)

    return speak


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


async def test_every_rule_replays_from_the_same_ballots(store):
    """Ballots 2 ABC, 2 CBA, 1 BAC of five agents, each with its first place as its own answer."""
    ranks = ["456", "456", "654", "654", "546"]

    def rank(place, held):
        label = {answer: label for label, answer in held.items()}
        return write([label[answer] for answer in ranks[place]])

    speak = script([each[0] for each in ranks], rank)
    held = await hold("ballot", speak, store, agents=5, decision="borda")
    assert (held.verdict.answer, held.verdict.scores["5"]) == ("5", 6)
    expected = {"plurality": "4", "votes": "4", "borda": "5", "condorcet": "5", "schulze": "5"}
    assert {rule: decide(held, rule).answer for rule in expected} == expected
    assert decide(held, "borda") == held.verdict
