"""Multi-persona with proposals: what each side and the judge are asked, round by round."""

import pytest

from moot.debate.protocol import registry
from support.debates import SUM, hold
from support.prompts import assert_lacks, assert_order, requests

PROTOCOL = registry.get("multi-persona-proposals")


def open_debate(call):
    """A judge who never decides, and sides that say who they are and in which round."""
    if call.scene.role == "judge":
        return "I cannot tell."
    return f"<{call.scene.agent} in {call.scene.round}> It is four."


async def sent(store, **given):
    return await requests("multi-persona-proposals", store, open_debate, rounds=3, **given)


async def test_the_negative_criticises_and_offers_a_sharper_answer_in_every_round(store):
    found = (await sent(store)).of(role="negative")
    assert [each.step for each in found] == ["challenge"] * 3
    for number, each in enumerate(found, 1):
        order = (
            f"<affirmative in {number}>",
            "criticise",
            "vague",
            "missing",
            "sharper",
            "detailed",
        )
        assert_order(each.prompt, *order, SUM.text, "Proposed Answer:", "the number alone")
        assert "clarity and precision" in each.system


async def test_the_affirmative_opens_with_an_answer_and_supports_it_later(store):
    found = (await sent(store)).of(role="affirmative")
    assert [each.step for each in found] == ["propose"] * 3
    assert_order(found[0].prompt, SUM.text, "Proposed Answer:", "even if you are not sure")
    assert_lacks(found[0].prompt, "debate so far")
    for number, each in enumerate(found[1:], 1):
        order = (f"<affirmative in {number}>", f"<negative in {number}>", "Judge:", "support")
        assert_order(each.prompt, *order, SUM.text, "Proposed Answer:")
        assert "support" in each.system


@pytest.mark.parametrize("style", ["cot", "simple"])
async def test_the_marker_is_asked_for_once_and_no_other(style, store):
    for each in await sent(store, style=style):
        if each.role != "judge":
            assert each.prompt.count("Proposed Answer:") == 1
            assert each.prompt.count(SUM.text) == 1
            assert_lacks(each.prompt, "final answer:")


async def test_the_judge_never_refuses_and_builds_an_answer_where_none_is_clear(store):
    found = (await sent(store)).of(role="judge")
    assert [each.step for each in found] == ["weigh", "weigh", "close"]
    for each in found:
        assert_order(each.system, "impartially", "never refuse to answer")
        assert_order(each.prompt, SUM.text, "<affirmative in 1>", "<negative in 1>", "impartially")
    for each in found[:2]:
        decide = 'Decision: The correct answer is"'
        assert_order(each.prompt, decide, "Decision: Continue debate.", "still to be explored")
        assert_lacks(each.prompt, "final answer", "last round")
    order = (
        "last round",
        "both sides have proposed",
        "Do not refuse",
        "reasons",
        '"Final Answer:"',
    )
    assert_order(found[2].prompt, *order)
    assert_lacks(found[2].prompt, "continue debate")


async def test_nobody_is_told_to_answer_in_fiction(store):
    for each in await sent(store):
        assert_lacks(each.text, "fiction", "narrative", "sensitive")


@pytest.mark.parametrize("percent", [0, 50, 80, 100])
async def test_agreement_takes_the_place_of_the_attack(percent, store):
    words = PROTOCOL.pack().agreement(percent)
    for each in await sent(store, agreement=percent):
        assert each.text.count(words) == (each.role == "negative")
        if each.role == "negative":
            assert_order(each.prompt, "<affirmative in 1>", words, SUM.text, "Proposed Answer:")
            assert_lacks(each.text, "challenge", "criticise", "vague", "alternative")


@pytest.mark.parametrize("rounds", [1, 2, 4])
async def test_rounds_are_never_exceeded(rounds, store):
    def script(call):
        return open_debate(call).replace("It is four.", "Proposed Answer: 4")

    held = await hold("multi-persona-proposals", script, store, rounds=rounds)
    assert max(turn.round for turn in held.turns) == rounds
    assert len(held.turns) == 3 * rounds
    assert held.verdict.by == "negative"


async def test_sides_that_give_reasons_are_not_told_to_give_none(store):
    for each in await sent(store, style="simple"):
        assert_lacks(each.text, "at once", "without reasons", "nothing else")
        if each.role != "judge":
            assert each.prompt.count("Proposed Answer:") == 1
