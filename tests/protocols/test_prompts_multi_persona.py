"""What the prompts of multi-persona convey, at every step and with any agreement."""

import re

import pytest

from moot.debate.protocol import registry
from support.debates import SUM, hold, ruling, says
from support.prompts import assert_lacks, assert_order, requests

TOLD = (None, 0, 20, 50, 80, 100)
KEYS = ("Supported Side", "Reason", "debate_answer")


@pytest.fixture(params=TOLD)
async def sent(request, store):
    return await requests("multi-persona", store, rounds=3, agreement=request.param)


async def test_nobody_is_asked_the_question_twice(sent):
    for each in sent:
        assert each.text.count(SUM.text) == 1
        if (each.role, each.step) == ("affirmative", "answer"):
            assert SUM.text in each.prompt


async def test_debaters_need_not_agree_and_look_for_the_right_answer(sent):
    for each in sent:
        if each.role != "judge":
            assert "need not agree with the other debater in everything" in each.system
            assert "right answer" in each.system


async def test_the_other_debater_speaks_in_the_first_person(sent):
    for each in sent.of(step="oppose"):
        newest = each.prompt
        assert newest.startswith("I am affirmative.")
        assert_lacks(newest, "affirmative side", "negative side", "this answer is wrong")
        assert_order(newest, "I am affirmative.", "my answer", "Final answer:")
    for each in sent.of(step="reply"):
        assert each.prompt.startswith("I am negative.")
        assert_order(each.prompt, "advice", "updated answer", "Final answer:")
        assert_lacks(each.prompt, "agree", "reasons", "side")


async def test_a_devil_without_agreement_disagrees_and_gives_reasons(store):
    sent = await requests("multi-persona", store, rounds=2)
    for each in sent.of(step="oppose"):
        assert_order(each.prompt, "You disagree with my answer", "reasons", "Final answer:")
        assert_lacks(each.prompt, "wrong")


async def test_agreement_can_be_asked_outright(store):
    sent = await requests("multi-persona", store, rounds=3, replies="agreement")
    for each in sent.of(step="agree"):
        assert each.role == "affirmative"
        assert_order(each.prompt, "I am negative.", "Do you agree", "reasons", "Final answer:")
        assert_lacks(each.prompt, "advice")
    assert not [each for each in sent if each.step == "reply"]


async def test_the_judge_is_not_told_to_leave_the_answer_empty(sent):
    for each in sent.of(step="weigh"):
        assert_order(
            each.prompt,
            "I am affirmative.",
            "I am negative.",
            "clearly prefer",
            "debate then ends",
            "next round",
            '"Whether there is a preference": "Yes or No"',
            *(f'"{key}": ' for key in KEYS),
        )
        assert '"debate_answer": "the number alone"' in each.prompt
        assert_lacks(each.prompt, "empty", "blank", "no answer")


async def test_the_last_judgement_reads_the_last_round_and_not_the_ruling_on_it(store):
    def script(call):
        if call.scene.reads_as == "ruling":
            return ruling().replace("said so", f"ruling {call.scene.round}")
        return says(call, ends=10**9)

    for rounds in (1, 3):
        sent = await requests("multi-persona", store, script, rounds=rounds)
        last = sent.one(step="decide")
        assert last.round == rounds
        assert f"ruling {rounds}" not in last.text
        assert all(f"ruling {number}" in last.text for number in range(1, rounds))
        assert last.text.count("I am affirmative.") == rounds
        assert_order(
            last.prompt, "I am affirmative.", "I am negative.", *(f'"{key}": ' for key in KEYS)
        )
        assert_lacks(last.prompt, "Whether there is a preference", "next round", "empty")


async def test_a_preference_is_what_ends_a_debate_and_not_an_answer_filled_in(store):
    def script(call):
        if call.scene.reads_as == "ruling":
            prefers = "Yes" if call.scene.round == 2 else "No"
            return ruling("4").replace('"Yes"', f'"{prefers}"')
        return says(call)

    held = await hold("multi-persona", script, store, rounds=3)
    assert [turn.step for turn in held.turns].count("weigh") == 2
    assert "clear preference" in str(registry.get("multi-persona").algorithm.__doc__)


async def test_the_side_shown_first_is_so_in_the_last_judgement_too(store):
    sent = await requests("multi-persona", store, rounds=1, shown_first="negative")
    for step in ("weigh", "decide"):
        assert_order(sent.one(step=step).prompt, "I am negative.", "I am affirmative.")


async def test_an_instruction_is_given_once_and_does_not_stand_in_later_prompts(sent):
    told = {
        "affirmative": "updated answer",
        "negative": "with my answer|my answer:",
        "judge": "prefer",
    }
    for each in sent.of(round=3):
        *earlier, newest = (m.content for m in each.messages if m.role == "user")
        assert re.search(told[each.role], newest)
        for text in earlier[1:] if each.role == "affirmative" else earlier:
            assert_lacks(text, told[each.role], "JSON", "Close with")
    for each in sent.of(role="negative", round=3):
        kept = [m.content for m in each.messages if m.role == "user"][:-1]
        assert kept == ["I am affirmative.\nFinal answer: 4"] * 2
