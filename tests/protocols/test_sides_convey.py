"""Sides named by persona, and a consultancy: what is passed on, and whose answer counts."""

import json

import pytest

from support.debates import KINDS, hold, says
from support.prompts import assert_lacks, assert_order, requests

SIDES = ("affirmative", "negative")
TOPIC = KINDS[-1]


async def debated(store, rounds=2, script=None, **given):
    """A debate of so many rounds in which no side is preferred."""
    return await requests("debate-moderated", store, script, rounds=rounds, **given)


def cast(one, other):
    return [{"role": side, "persona": who} for side, who in zip(SIDES, (one, other), strict=True)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pair", [("left", "right"), ("female", "male")])
async def test_sides_named_by_persona_are_read_and_ruled_on_by_that_name(pair, turned, store):
    one, other = pair
    seated = (other, one) if turned else (one, other)
    given = {"agents": cast(*seated), "sides_as": "persona", "names_side": True, "style": "topic"}

    def script(call):
        return says(call, ends=9) if call.scene.reads_as != "reply" else f"I am {call.scene.agent}."

    sent = await debated(store, script=script, question=TOPIC, rounds=1, **given)
    names = {who: f"{who.title()}{'-wing' if pair[0] == 'left' else ''}" for who in pair}
    for step in ("weigh", "candidates"):
        each = sent.one(step=step)
        both = zip(seated, SIDES, strict=True)
        sides = [f"{names[who]} side:\nI am {side}" for who, side in both]
        assert_order(each.prompt, *sides)
        told = each.prompt.replace("I am affirmative", "").replace("I am negative", "")
        assert_lacks(told, *SIDES)
        assert_order(each.system, "between", f"{names[one].lower()} and a {names[other].lower()}")
        assert ("more promising" in each.system) == (pair[0] == "left")
    first = sent.one(role="affirmative", step="answer")
    assert first.prompt.strip() == TOPIC.text, "the topic bare"
    options = f'"Supported Side": "{one.title()} or {other.title()}"'
    for step in ("weigh", "support"):
        assert options in sent.one(step=step).prompt


FEEDBACK = "Count the legs of the third cat, too."
ASKED = "Do you find the final answer provided by the assistant accurate and satisfactory?"


def advice(satisfied, feedback=FEEDBACK, answer="777"):
    told = {ASKED: satisfied, "Reason": "Because of 888.", "final_answer": answer}
    return json.dumps({**told, "Feedback to Assistant for modifications": feedback})


def consulted(call, ends=3):
    if call.scene.role == "consultant":
        return advice("Yes" if call.scene.round >= ends else "No")
    return f"I say so for the {call.scene.round}. time.\nFinal answer: {call.scene.round}"


@pytest.mark.parametrize(
    ("satisfied", "decides", "answer", "turn", "calls"),
    [
        (2, "consultant", "777", 4, 4),
        (2, "primary", "2", 3, 4),
        (9, "consultant", "777", 6, 6),
        (9, "primary", "3", 7, 7),
    ],
)
async def test_whose_answer_counts_is_a_setting(store, satisfied, decides, answer, turn, calls):
    def script(call):
        return consulted(call, ends=satisfied)

    held = await hold("consultancy", script, store, rounds=3, decides=decides)
    verdict = held.verdict
    assert (verdict.answer, verdict.by, verdict.turn) == (answer, decides, turn)
    assert max(each.round for each in held.turns) <= 3
    assert len(held.turns) == calls
    assert ("decides" in held.opened.settings) == (decides == "primary"), "run keys do not move"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"No. {FEEDBACK}\nFinal answer: 777", FEEDBACK),  # without JSON, its words are feedback
        (advice("No", feedback=""), "not satisfied"),
    ],
)
async def test_a_consultant_out_of_form_is_still_heard(said, shown, store):
    def script(call):
        return said if call.scene.role == "consultant" else consulted(call)

    refined = (await requests("consultancy", store, script, rounds=2)).one(step="refine")
    assert shown in refined.prompt
    assert "777" not in refined.text
