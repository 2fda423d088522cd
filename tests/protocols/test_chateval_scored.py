"""ChatEval with scores: who wins by which scores, and what its prompts convey."""

import re
from itertools import count

import msgspec
import pytest

from moot.core.questions import Question
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import KINDS, SUM, hold, says
from support.prompts import assert_lacks, assert_order, requests

PROTOCOL = registry.get("chateval-scored")
NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
ROLES = ["general-public", "critic", "scientist"]


async def sent(store, **given):
    """Every request of a debate whose replies have none of the words that are looked for."""
    return await requests("chateval-scored", store, lambda _: "It is four, I think.", **given)


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
@pytest.mark.parametrize("lines", ["the line", "the line for each", "the line with a round"])
async def test_who_copies_only_the_line_of_scores_makes_no_role_win(question, lines, store):
    answers = {"number": "456", "boolean": ["true", "false", "true"], "choice": "ABA"}
    own = answers.get(question.kind, ["e4", "d4", "c3"])

    def script(call):
        if call.scene.reads_as != "scored":
            return says(call)
        [line] = re.findall(r'"(Scores: [^"]*)"', call.messages[-1].content)
        copied = {
            "the line": line,
            "the line for each": "\n".join([line] * 3),
            "the line with a round": line.replace("Round X", "Round 1"),
        }[lines]
        return f"Answer: {own[call.draw.seat]}\n{copied}"

    model = Scripted(script, name=f"copies-{next(NAMES)}")
    held = await hold("chateval-scored", model, store, question=question)
    assert held.verdict.by == "scientist"
    assert held.verdict.turn == 6
    assert held.turns[5].answer is not None


async def test_the_form_of_scores_names_all_roles_and_gives_none_of_them_a_number(store):
    for each in (await sent(store, rounds=3)).of(step="conclude"):
        assert_order(each.prompt, "score the answers of round 2", "from 1 to 10", "General Public")
        assert_order(each.prompt, "General Public, Critic and Scientist", "Round X - Agent Y: Z")
        assert_lacks(each.prompt, r"Agent (Critic|Scientist|General Public)", r"Z\w*: ?\d", r": \d")


async def test_the_last_answer_has_room_for_a_reason_and_its_length_is_said(store):
    for each in (await sent(store)).of(step="conclude"):
        order = (
            "This is the last round",
            '"Answer:"',
            "conclusive",
            "(the number alone)",
            "reason",
        )
        assert_order(each.prompt, *order, "800 characters", "score")
        assert_lacks(each.prompt, 'in one line "Answer', "final answer:")


@pytest.mark.parametrize("style", ["cot", "simple"])
async def test_before_the_last_round_no_final_answer_is_asked_for(style, store):
    found = await sent(store, rounds=3, style=style)
    for each in (*found.of(step="react"), *found.of(step="discuss")):
        assert_lacks(each.prompt.partition("Now answer this one")[2] or each.prompt, "final answer",
                     "close with")  # fmt: skip
    assert [each.role for each in found] == ROLES * 3


async def test_general_public_is_immediate_and_not_told_to_reason_step_by_step(store):
    found = await sent(store, rounds=3)
    first, second = found.of(role="general-public", step="react")
    for each in (first, second):
        assert "immediate thoughts and feelings" in each.system
        assert_lacks(each.text, "step by step")
        assert SUM.text in each.prompt
    assert_order(first.prompt, "at once", "comes to your mind", "feel")
    assert_order(second.prompt, "Scientist (round 1)", "improve on an answer")


async def test_critic_points_out_flaws_and_the_scientist_counters_by_evidence(store):
    found = await sent(store)
    critic = found.one(role="critic", step="discuss")
    assert_order(critic.system, "challenge", "point out what is wrong", "improve", "precise")
    assert_order(critic.prompt, "step by step", "General Public (round 1)", "precise", "deep")
    scientist = found.one(role="scientist", step="discuss")
    assert_order(scientist.system, "analyse", "counter", "evidence", "sum up by logic and evidence")
    assert_order(scientist.prompt, "Critic (round 1)", "logical", "evidence")


@pytest.mark.parametrize("percent", [0, 50, 80, 100])
async def test_agreement_takes_the_place_of_the_challenge(percent, store):
    words = PROTOCOL.pack().agreement(percent)
    for each in await sent(store, agreement=percent, rounds=2):
        assert each.system.count(words) == 1
        assert words not in each.prompt
        assert_lacks(each.text, "challenge", "counter", "what is wrong", "point out")


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: 4\nTwo and two are four, not 5, since 2+3 is 5.",
        "Answer: 4. The reason: counting on from 2 gives 3, then 4.",
        "**Answer:** 4\n\nReason: General Public said 5, but that is one too many.",
    ],
)
async def test_an_answer_is_read_though_a_reason_follows_it(reply, store):
    def script(call):
        if call.scene.reads_as != "scored":
            return says(call)
        return f"{reply}\nScores: Round 1 - Agent Critic: 7"

    held = await hold("chateval-scored", script, store)
    assert {turn.answer for turn in held.turns if turn.step == "conclude"} == {"4"}
    assert held.verdict.by == "score"


async def test_the_scored_answer_is_cut_and_not_the_words_before_it(store):
    def script(call):
        if call.scene.reads_as != "scored":
            return says(call)
        long = "I think. " * 200
        return f"{long}\nAnswer: 4{' and so on' * 100}\nScores: Round 1 - Agent Critic: 9"

    question = msgspec.structs.replace(SUM, kind="text", answer="4")
    held = await hold("chateval-scored", script, store, question=question)
    assert held.verdict.turn == 5
    assert held.verdict.text.startswith("4 and so on")
    assert len(held.verdict.text) == 800


async def test_scores_of_another_round_do_not_count(store):
    def script(call):
        if call.scene.reads_as != "scored":
            return says(call)
        scores = "Scores: Round 1 - Agent Critic: 10, Round 2 - Agent Critic: 2"
        return f"Answer: {call.draw.seat}\n{scores}"

    held = await hold("chateval-scored", script, store, rounds=3)
    assert (held.verdict.by, held.verdict.answer) == ("score", "1")
    told = await hold("chateval-scored", script, store, rounds=4)
    assert told.verdict.by == "scientist"


async def test_critic_and_scientist_are_not_told_to_give_no_reasons(store):
    for each in (await sent(store, rounds=3, style="simple")).of(step="discuss"):
        assert_lacks(each.prompt, "at once", "without reasons", "nothing else")
        assert_order(each.prompt, "You need not settle on an answer yet.", "It is your turn")


async def test_an_open_answer_is_limited_like_its_text(store):
    """Graders, exports and the API take the answer."""
    long = "Rain falls. " * 130
    question = Question(id="rain", kind="text", text="What is rain?")
    answered = f"Answer: {long}\nScores: Round 1 - Scientist: 9"
    held = await hold("chateval-scored", lambda _: answered, store, question=question)
    assert long.startswith(held.verdict.answer)
    assert 780 < len(held.verdict.answer) <= 800
    assert 780 < len(held.verdict.text) <= 800
