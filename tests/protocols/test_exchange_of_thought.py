"""Exchange of thought: when it ends, who leaves, and what is read of a reply."""

from itertools import count

import pytest

from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import KINDS, SUM, hold

PICK = KINDS[2]
"""A choice: replies to it differ in one letter alone."""
PROTOCOL = registry.get("exchange-of-thought")


NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""


def answering(replies):
    """A model: by agent, the reply of each round, the last one again when they are used up."""

    def script(call):
        own = replies[call.scene.agent]
        return own[min(call.scene.round, len(own)) - 1]

    return Scripted(script, name=f"answering-{next(NAMES)}")


ROUND = ["kitty", "peter", "ben"]


OPEN = type(PICK)(id="sky", kind="text", text="Why is the sky blue?")
LIGHT = ["I have thought about it for long. Final answer: scattering of light"]
LIGHTS = ["Short waves are bent more, are they not? Final answer: scattering of lights"]
SCATTERS = ["Final answer: it scatters"]
OTHERWISE = ["Final answer: an ocean that it mirrors", "Final answer: a trick of God"]
COUNTED = "I have counted them all twice and still do not know what it is"
CATS = "Cats purr when they are content, and sometimes when they are in pain"
CHAT = {"question": OPEN, "style": "chat"}
NEVER, NEAR = {"end_above": 1, "exit_above": 1}, {"end_above": 0, "exit_above": 0}


def options(letters):
    return [f"The option is ({x}). Final answer: {x}" for x in letters]


def numbers(*values):
    return [f"I have counted to {n}. Final answer: {n}" for n in values]


@pytest.mark.parametrize(
    ("kitty", "peter", "given", "rounds"),
    [
        # Of answers that differ, words are not compared however alike they are; nor near numbers.
        (options("AB"), options("BA"), {"question": PICK, "rounds": 2}, 2),
        (options("ABA"), options("BAB"), {"question": PICK}, 3),
        (numbers(12, 13, 12), numbers(13, 12, 13), NEAR, 3),
        (numbers(12, 13, 12), numbers(13, 12, 13), {**NEAR, "compare": "replies"}, 1),
        # One answer ends it, however unlike the words; open answers are compared as texts.
        (["I come from two to four. Final answer: 4"], ["Twice two! Final answer: 4.0"], {}, 1),
        (LIGHT, LIGHTS, {"question": OPEN}, 1),
        (LIGHT, LIGHTS, {"question": OPEN, **NEVER}, 2),
        (LIGHT, OTHERWISE, {"question": OPEN}, 3),
        (LIGHT, LIGHTS, {"question": OPEN, "compare": "replies"}, 2),  # until said twice
        ([f"{CATS}."], [f"{CATS}!"], CHAT, 1),
        ([f"{CATS}."], ["I have no idea.", "Something else."], CHAT, 3),
        # Without answers the words decide, at the threshold that is set.
        ([f"{COUNTED}, Peter."], [f"{COUNTED}, Kitty!"], {"rounds": 2, "end_above": 0.5}, 1),
        ([f"{COUNTED}, Peter."], [f"{COUNTED}, Kitty!"], {"rounds": 2, "end_above": 0.999}, 2),
    ],
)
async def test_the_leaves_end_it_when_they_agree(kitty, peter, given, rounds, store):
    replies = {"kitty": kitty, "peter": peter, "ben": SCATTERS}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    assert max(turn.round for turn in held.turns) == rounds
    if len(kitty) > 1 or rounds < 3:  # else somebody has left
        assert [turn.agent for turn in held.turns] == ROUND * rounds
    assert (held.verdict.by, held.verdict.turn) == ("ben", held.turns[-1].id)


OZONE = [f"Final answer: {each}" for each in ("the sea", "dust in air", "ozone, I bet")]
TWICE = ["By counting. Final answer: A", "Peter has not shown it. Final answer: A"]
LOST = ["So (B). Final answer: B", "So (A)? No, none. Final answer: none", "Hm. (B)."]
WAVERS = [f"{COUNTED}, Peter.", f"{COUNTED}, Kitty.", "Other words."]
VAGUE = ["Something else.", f"{COUNTED} at all."]


@pytest.mark.parametrize(
    ("kitty", "peter", "given", "turns"),
    [
        ([*LIGHT, *LIGHTS], OZONE, {"question": OPEN, "rounds": 3}, 2),
        ([*LIGHT, *LIGHTS], OZONE, {"question": OPEN, "rounds": 3, "exit_above": 0.99}, 3),
        (TWICE, LOST, {"question": PICK, "rounds": 4}, 2),
        (WAVERS, VAGUE, {"rounds": 4, "exit_above": 0.8, "end_above": 1}, 2),
        (WAVERS, VAGUE, {"rounds": 4, "exit_above": 0.999, "end_above": 1}, 4),
    ],
)
async def test_a_leaf_that_says_the_same_again_leaves(kitty, peter, given, turns, store):
    replies = {"kitty": kitty, "peter": peter, "ben": SCATTERS}
    held = await hold("exchange-of-thought", answering(replies), store, **given)
    agents = [turn.agent for turn in held.turns]
    assert agents.count("kitty") == turns
    assert agents.count("ben") == given["rounds"] or "end_above" in given


@pytest.mark.parametrize("topology", ["memory", "report", "relay"])
async def test_outside_of_debate_one_answer_of_all_ends_it_before_any_exchange(topology, store):
    checked = PROTOCOL.check({"topology": topology})
    usual = {"stop": "consensus", "rounds": 6, "reply": "revise"}
    assert {name: checked[name] for name in usual} == usual
    assert PROTOCOL.check(checked) == checked
    held = await hold("exchange-of-thought", lambda _: "Final answer: 4", store, topology=topology)
    assert [turn.agent for turn in held.turns] == ROUND
    assert held.verdict.by == "majority"
    replies = {name: [f"Final answer: {number}"] for number, name in enumerate(ROUND)}
    held = await hold("exchange-of-thought", answering(replies), store, topology=topology)
    assert [turn.agent for turn in held.turns] == ROUND * 6
    assert (held.verdict.answer, held.verdict.by) == ("0", "majority")


@pytest.mark.parametrize(
    "reply",
    [
        "2 and 2 are 4.\nFinal answer: 4\nPeter's solution: he adds one too many and gets 5.",
        "Step 1: 2. Step 2: 4.\n\nFinal answer: 4\n\nReview: Peter says 5. He may count again.",
        "**Final answer: 4**\n\nPeter's final answer: 5 is not right.",
        'So 2+2 is 4.\nFinal answer: 4\nPeter closes with "Final answer: 5". Wrong.',
    ],
)
async def test_a_solution_is_read_though_a_review_follows_it(reply, store):
    peter = "Final answer: 5"

    def script(call):
        if call.scene.agent != "kitty":
            return peter
        return reply if call.scene.round > 1 else "Final answer: 3"

    held = await hold("exchange-of-thought", script, store, question=SUM, rounds=2)
    [reviewed] = [turn.answer for turn in held.turns if turn.step == "review" and turn.seat == 0]
    assert reviewed == "4"
