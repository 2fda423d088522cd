"""What the prompts of two sides before an arbiter, and of a consultancy, convey, and what not."""

import json
import re

import pytest

from support.debates import KINDS, hold, ruling, says
from support.prompts import assert_lacks, assert_order, requests

SIDES = ("affirmative", "negative")
TOPIC = KINDS[-1]
KEYS = ("Whether there is a preference", "Supported Side", "Reason", "debate_answer")


async def debated(store, rounds=2, script=None, **given):
    """A debate of so many rounds in which no side is preferred."""
    return await requests("debate-moderated", store, script, rounds=rounds, **given)


async def test_debaters_are_told_the_same_and_not_which_side_they_are(store):
    sent = await debated(store)
    [system] = {each.system for side in SIDES for each in sent.of(role=side)}
    assert_order(
        system, "debate", "debater", "need not fully agree", "right answer", "What is 2+2?"
    )
    assert_lacks(system, "affirmative", "negative", "does not matter")
    for each in (*sent.of(role="affirmative"), *sent.of(role="negative")):
        told = re.sub(r"I am (affirmative|negative)\.", "", each.text)
        assert_lacks(told, "affirmative", "negative")


@pytest.mark.parametrize("speaks_first", SIDES)
async def test_the_second_side_has_to_disagree_in_the_first_round_alone(speaks_first, store):
    sent = await debated(store, rounds=3, speaks_first=speaks_first)
    second = next(side for side in SIDES if side != speaks_first)
    forced = [each for each in sent if "You disagree with my answer" in each.prompt]
    assert [(each.role, each.round) for each in forced] == [(second, 1)]
    asked = [each for each in sent if "Do you agree" in each.prompt]
    assert {(each.role, each.round) for each in asked} == {
        *((side, number) for side in SIDES for number in (2, 3))
    }
    assert {each.prompt.replace(f"I am {SIDES[0]}", "I am").replace(f"I am {SIDES[1]}", "I am")
            for each in asked} == {asked[0].prompt.replace(f"I am {second}", "I am")}  # fmt: skip
    for each in asked:
        assert_lacks(each.prompt, "you disagree", "do not share", "wrong")


async def test_the_other_s_words_come_bare_and_then_what_it_asks_for(store):
    sent = await debated(store)
    for step, asked in (("oppose", "my answer"), ("reply", "how I see it")):
        for each in sent.of(step=step):
            other = next(side for side in SIDES if side != each.role)
            assert each.prompt.startswith(f"I am {other}.\nFinal answer: 4\n\n")
            assert_order(each.prompt, asked, " Give", "reasons", "Final answer:")


async def test_the_moderator_weighs_a_round_of_which_it_is_told_the_number(store):
    sent = await debated(store, rounds=3)
    weighed = sent.of(role="moderator")
    for number, each in enumerate(weighed, 1):
        assert_order(
            each.prompt,
            *(f"Round {number} of the debate has ended", "Affirmative side:\nI am affirmative."),
            *("Negative side:\nI am negative.", "clearly to be preferred", "final answer"),
            *("ends", "next round", "nothing else", *KEYS),
        )
        assert_lacks(each.prompt, "leave .* empty")
        assert_order(each.system, "moderate", "two debaters", "each round", "What is 2+2?")


@pytest.mark.parametrize("names_side", [False, True])
async def test_the_last_judge_has_the_moderator_s_system_message(names_side, store):
    sent = await debated(store, names_side=names_side)
    [moderator] = {each.system for each in sent.of(role="moderator")}
    candidates = sent.one(step="candidates")
    assert {each.system for each in sent.of(role="judge")} == {moderator}
    assert_order(candidates.prompt, "Affirmative side:", "Negative side:", "without reasons")
    last = sent.one(step="support" if names_side else "conclude")
    keys = (
        ("Reason", "Supported Side", "debate_answer") if names_side else ("Reason", "debate_answer")
    )
    assert_order(last.prompt, "What is 2+2?", "reasons", "final answer", *(f'"{k}"' for k in keys))
    if not names_side:
        assert_lacks(last.prompt, "side")


async def test_a_moderator_who_prefers_nobody_has_not_decided_whatever_it_fills_in(store):
    filled = ruling("9").replace("Yes", "No")

    def script(call):
        return filled if call.scene.reads_as == "ruling" else says(call, ends=9)

    sent = await debated(store, script=script)
    assert [each.round for each in sent.of(role="moderator")] == [1, 2]
    assert sent.one(step="conclude")


PAIRS = {"left-right": ("left", "right"), "female-male": ("female", "male")}


def cast(one, other):
    return [{"role": side, "persona": who} for side, who in zip(SIDES, (one, other), strict=True)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pair", PAIRS)
async def test_sides_named_by_persona_are_read_and_ruled_on_by_that_name(pair, turned, store):
    one, other = PAIRS[pair]
    seated = (other, one) if turned else (one, other)
    given = {"agents": cast(*seated), "sides_as": "persona", "names_side": True, "style": "topic"}

    def script(call):
        return says(call, ends=9) if call.scene.reads_as != "reply" else f"I am {call.scene.agent}."

    sent = await debated(store, script=script, question=TOPIC, rounds=1, **given)
    names = {"left": "Left-wing", "right": "Right-wing", "female": "Female", "male": "Male"}
    options = f'"Supported Side": "{one.title()} or {other.title()}"'
    for step in ("weigh", "candidates"):
        each = sent.one(step=step)
        assert_order(
            each.prompt,
            *(f"{names[seated[0]]} side:\nI am aff", f"{names[seated[1]]} side:\nI am neg"),
        )
        assert_lacks(each.prompt.replace("I am affirmative", "").replace("I am negative", ""),
                     "affirmative", "negative")  # fmt: skip
        told = f"a {names[one].lower()} and a {names[other].lower()} debater"
        assert_order(each.system, "between", told)
        assert ("more promising" in each.system) == (pair == "left-right")
    first = sent.one(role="affirmative", step="answer")
    assert first.prompt.strip() == TOPIC.text, "the topic bare"
    assert all("few words" not in each.text for each in sent)
    assert options in sent.one(step="weigh").prompt
    assert options in sent.one(step="support").prompt


async def test_advocates_have_aims_and_do_not_look_for_a_right_answer(store):
    sent = await debated(store, question=TOPIC, agents=cast("left", "right"))
    left, right = (sent.of(role=side)[0].system for side in SIDES)
    assert_order(left, "left-wing debater", "progressive", "inclusive", "justice", "make the case")
    assert_order(right, "conservative", "responsibility", "tradition", "limited government",
                 "free market", "sovereignty", "make the case")  # fmt: skip
    for system in (left, right):
        assert_lacks(system, "what both of you look for", "say so", "when you first speak")
        assert "not to find one right answer" in system


@pytest.mark.parametrize("pair", [("female", "male"), ("neutral-left", "neutral-right")])
async def test_neutral_personas_are_a_name_and_nothing_else(pair, store):
    sent = await debated(store, question=TOPIC, agents=cast(*pair))
    plain = await debated(store, question=TOPIC)
    for side, who in zip(SIDES, pair, strict=True):
        name = who.removeprefix("neutral-")
        system, bare = sent.of(role=side)[0].system, plain.of(role=side)[0].system
        added = system.removeprefix(bare).strip()
        assert added == f"You are a {name}{'-wing' if 'neutral' in who else ''} debater."


FEEDBACK = "Count the legs of the third cat, too."
ASKED = "Do you find the final answer provided by the assistant accurate and satisfactory?"


def advice(satisfied, feedback=FEEDBACK, answer="777"):
    key = "Feedback to Assistant for modifications"
    return json.dumps(
        {ASKED: satisfied, "Reason": "Because of 888.", key: feedback, "final_answer": answer}
    )


def consulted(call, ends=3):
    if call.scene.role == "consultant":
        return advice("Yes" if call.scene.round >= ends else "No")
    return f"I say so for the {call.scene.round}. time.\nFinal answer: {call.scene.round}"


async def test_the_feedback_reaches_the_decision_maker_and_no_answer_of_the_consultant(store):
    sent = await requests("consultancy", store, consulted, rounds=5)
    assert [(each.role, each.round) for each in sent] == [
        *((role, number) for number in (1, 2, 3) for role in ("primary", "consultant"))
    ]
    for each in sent.of(role="primary"):
        assert_lacks(each.text, "777", "888", "final_answer", "satisfactory")
    for each in sent.of(step="refine"):
        assert_order(each.prompt, "feedback", FEEDBACK, "Improve", "Final answer:")


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


async def test_a_consultant_without_json_gives_its_words_as_feedback(store):
    def plainly(call):
        if call.scene.role == "consultant":
            return f"No. {FEEDBACK}\nFinal answer: 777"
        return consulted(call)

    sent = await requests("consultancy", store, plainly, rounds=2)
    refined = sent.one(step="refine")
    assert FEEDBACK in refined.prompt
    assert "777" not in refined.text


async def test_a_consultant_without_feedback_is_said_to_be_dissatisfied(store):
    def silent(call):
        return advice("No", feedback="") if call.scene.role == "consultant" else consulted(call)

    sent = await requests("consultancy", store, silent, rounds=2)
    assert "not satisfied" in sent.one(step="refine").prompt


async def test_the_consultant_reviews_each_round_and_is_not_asked_to_solve(store):
    sent = await requests("consultancy", store, consulted, rounds=5)
    for number, each in enumerate(sent.of(role="consultant"), 1):
        running, _, form = each.prompt.partition("Write one JSON object")
        assert_order(
            running,
            *(f"Round {number} of the consultancy begins", f"for the {number}. time"),
            *("missing details", "unclear points", "feedback", "what to change"),
        )
        assert_lacks(running, "answer you hold", "your own answer", "right answer")
        key = "Feedback to Assistant for modifications"
        assert_order(form, ASKED, "Reason", key, "final_answer")
        assert_order(each.system, "complete", "accurate", "clear", "constructive", "What is 2+2?")
    [system] = {each.system for each in sent.of(role="primary")}
    assert_order(system, "primary decision-maker", "each round", "feedback", "better than the one")
    assert "What is 2+2?" in system


@pytest.mark.parametrize("percent", [0, 50, 80, 100])
async def test_a_consultant_told_to_agree_is_not_told_that_something_has_to_change(percent, store):
    told = await requests("consultancy", store, rounds=2, agreement=percent)
    for each in told.of(role="consultant"):
        assert_lacks(each.text, "what to change", "suggest changes")
        assert "short and concrete feedback" in each.prompt
