"""Ballot: what agents are shown, and that every rule decides from the same ballots."""

import json

import pytest

from moot.core.questions import Question
from moot.debate.recorded import decide
from moot.models.fluent import Speech, word_reply
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from moot.parsing.ballots import FORMS, Ballot
from support.debates import hold

RULES = ("plurality", "votes", "borda", "condorcet", "schulze", "instant-runoff", "approval")
RULES += ("cumulative", "scores")
PICK = Question(id="p", kind="choice", text="Which?", choices=("x", "y", "z"), answer="A")


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


async def test_a_unanimous_round_is_voted_on_and_every_rule_agrees(store):
    held = await hold("ballot", script("444", lambda _, labels: write([*labels])), store)
    assert len(held.turns) == 3 * 2 + 3
    assert {decide(held, rule).answer for rule in RULES} == {"4"}
    assert held.verdict.by == "votes"
    lost = await hold("ballot", Scripted(lambda _: "I cannot say.", name="lost"), store)
    assert (len(lost.turns), lost.verdict.answer, lost.verdict.missing) == (6, None, "votes")


async def test_each_agent_has_an_order_of_its_own_and_nothing_marks_its_answer(store):
    seen = {}

    def rank(place, held):
        seen[place] = held
        return write([*held])

    answers = "4567891"
    await hold("ballot", script(answers, rank), store, agents=7, rounds=1)
    assert all([*held] == [*"ABCDEFG"] for held in seen.values())
    assert len({tuple(held.values()) for held in seen.values()}) > 4
    assert {tuple(sorted(held.values())) for held in seen.values()} == {tuple(sorted(answers))}


async def test_options_with_letters_are_voted_on_by_number(store):
    prompts = []

    def speak(call):
        if call.scene.step == "vote":
            prompts.append(call.messages[-1].content)
            return "Vote: 2"
        return f"Final answer: {'AAB'[int(call.scene.agent[-1]) - 1]}"

    held = await hold("ballot", speak, store, question=PICK, rounds=1)
    assert all("under these labels: 1, 2." in prompt for prompt in prompts)
    assert sum(held.verdict.scores.values()) == 3
    assert not any(turn.votes for turn in held.turns if turn.step == "vote")


@pytest.mark.parametrize("forms", ["all", *FORMS])
async def test_simulated_agents_put_their_own_answer_first(store, forms):
    held = await hold(
        "ballot", Simulated(accuracy=0.4), store, agents=4, forms=forms, decision="plurality"
    )
    own = {turn.seat: turn.answer for turn in held.turns if turn.step != "vote"}
    for turn in held.turns:
        if turn.step == "vote":
            assert isinstance(turn.reading, Ballot)
            assert turn.reading.ranking[0] == turn.reading.vote == own[turn.seat]
            assert sum(turn.reading.points.values()) == 10
