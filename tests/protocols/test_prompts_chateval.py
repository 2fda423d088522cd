"""What the prompts of chateval convey, at every step and with any agreement."""

import pytest

from moot.debate.protocol import registry
from support.debates import SUM
from support.prompts import assert_lacks, assert_order, requests

TOLD = (None, 0, 20, 50, 80, 100)


def numbered(call):
    return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: 4"


@pytest.mark.parametrize("agreement", TOLD)
async def test_a_debater_is_shown_the_history_and_then_the_question(agreement, store):
    sent = await requests("chateval", store, numbered, agreement=agreement, agents=2)
    told = registry.get("chateval").pack().agreement(agreement)
    for number, each in enumerate(sent):
        said = [f"<debater-{1 + n % 2} in {1 + n // 2}>" for n in range(number)]
        assert_order(each.prompt, *said, SUM.text, "Final answer:")
        assert_lacks(each.prompt, "weigh", "agree")
        if agreement is None:
            assert_order(each.system, "need not agree", "in everything", "right answer")
        else:
            assert_order(each.system, "other debaters have answered", "then the question", told)
            assert_lacks(each.system.replace(told, ""), "agree")


async def test_a_summariser_updates_its_own_earlier_summary(store):
    given = {"mode": "simultaneous", "summary": True, "agents": 2, "rounds": 4}
    sent = await requests("chateval", store, numbered, **given)
    first, *later = sent.of(step="summarise")
    assert "main points" in first.system
    assert_order(first.prompt, "<debater-1 in 1>", "<debater-2 in 1>", "Sum up the main points")
    assert_lacks(first.prompt, "your summary of", "up to date", "<summariser")
    for each in later:
        assert_order(
            each.prompt,
            "Your summary of the debate up to here:",
            f"<summariser in {each.round - 1}>",
            f"<debater-1 in {each.round}>",
            f"<debater-2 in {each.round}>",
            "up to date",
            "new replies",
        )
        assert_lacks(each.prompt, "Summariser:")


async def test_a_summary_takes_the_place_of_the_history(store):
    given = {"mode": "simultaneous", "summary": True, "agents": 2, "rounds": 3}
    sent = await requests("chateval", store, numbered, **given)
    for each in sent.of(step="speak", round=3):
        assert_order(each.prompt, "<summariser in 2>", SUM.text)
        assert_lacks(each.text, "<debater")


async def test_a_debater_alone_is_told_what_is_a_summary_of_its_words(store):
    told = await requests("chateval", store, agents=1, rounds=2, summary=True)
    assert_order(told.one(step="speak", round=2).prompt, "A summary of what you have said", "Check")
    told = await requests("chateval", store, agents=1, rounds=2)
    assert "all of it your own" in told.one(step="speak", round=2).prompt
