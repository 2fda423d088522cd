"""What the prompts of society-of-minds convey, at every step and with any agreement."""

import pytest

from moot.debate.protocol import registry
from support.debates import SUM
from support.prompts import assert_lacks, assert_order, requests

NAME = "society-of-minds"
TOLD = (None, 0, 20, 50, 80, 100)
ORDINARY = "as advice and weigh"


def numbered(call):
    return f"<{call.scene.agent} in {call.scene.round}>\nFinal answer: 4"


@pytest.mark.parametrize("agreement", TOLD)
async def test_an_agent_is_shown_the_others_then_how_to_take_it_then_the_question(agreement, store):
    sent = await requests(NAME, store, numbered, rounds=3, agreement=agreement)
    told = registry.get(NAME).pack().agreement(agreement) or ORDINARY
    for each in sent.of(step="revise"):
        others = sorted({"mind-1", "mind-2", "mind-3"} - {each.agent})
        shown = [f"<{other} in {each.round - 1}>" for other in others]
        asked = (told, "updated answer", SUM.text, "Final answer:")
        assert_order(each.prompt, "solutions of the other agents", *shown, *asked)
        assert_lacks(each.prompt, f"<{each.agent}", "summary")
        assert each.system == ""
    for each in sent.of(step="answer"):
        assert_lacks(each.text, "other", "% of cases", "advice")


@pytest.mark.parametrize("agreement", [None, 80])
async def test_a_summary_is_said_to_be_one_and_to_hold_the_own_answer(agreement, store):
    sent = await requests(NAME, store, numbered, rounds=3, summary=True, agreement=agreement)
    told = registry.get(NAME).pack().agreement(agreement) or "as advice and weigh"
    for each in sent.of(step="revise-by-summary"):
        summary = f"<summariser in {each.round - 1}>"
        asked = (told, "updated answer", SUM.text, "Final answer:")
        assert_order(each.prompt, "summary", "yours among them", summary, *asked)
        assert_lacks(each.prompt, "<mind", "Summariser says", "agents have answered")
        assert len(each.messages) == 1


async def test_the_summariser_sums_up_what_was_said_and_invents_nothing(store):
    sent = await requests(NAME, store, numbered, rounds=3, summary=True)
    for each in sent.of(step="summarise"):
        minds = [f"<mind-{n} in {each.round}>" for n in (1, 2, 3)]
        assert_order(each.prompt, SUM.text, *minds, "with care", "important points", "so far")
        assert_lacks(each.text, "decide", "against", "Final answer: (?!4)", "<summariser")


@pytest.mark.parametrize("exchange", ["simultaneous", "sequential"])
async def test_what_an_agent_remembers_is_all_or_its_last_answer(exchange, store):
    given = {"rounds": 3, "exchange": exchange}
    whole = await requests(NAME, store, numbered, **given)
    last = await requests(NAME, store, numbered, memory="last", **given)
    for each in whole.of(round=3):
        own = [f"<{each.agent} in {n}>" for n in (1, 2)]
        assert [m.role for m in each.messages] == ["user", "assistant"] * 2 + ["user"]
        assert all(text in each.text for text in own)
    for each in last.of(round=3):
        question, own, newest = each.messages
        assert [question.role, own.role, newest.role] == ["user", "assistant", "user"]
        assert SUM.text in question.content
        assert_lacks(question.content, "solutions of the other")
        assert own.content.startswith(f"<{each.agent} in 2>")
        assert f"<{each.agent} in 1>" not in each.text
    assert whole.of(round=2) == last.of(round=2)


async def test_an_agent_alone_verifies_its_answer_and_states_it_again(store):
    sent = await requests(NAME, store, rounds=2, agents=1)
    assert_order(sent.one(round=2).prompt, "Check that your answer", "right", "again", SUM.text)
