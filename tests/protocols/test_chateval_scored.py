"""ChatEval with scores: who wins by which scores, and how long an answer may be."""

import re

import msgspec
import pytest

from moot.core.questions import Question
from support.debates import KINDS, SUM, hold, says


def scored(reply):
    """A script of whose replies those with scores are this."""
    return lambda call: reply(call) if call.scene.reads_as == "scored" else says(call)


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
@pytest.mark.parametrize("lines", ["the line", "the line for each", "the line with a round"])
async def test_who_copies_only_the_line_of_scores_makes_no_role_win(question, lines, store):
    answers = {"number": "456", "boolean": ["true", "false", "true"], "choice": "ABA"}
    own = answers.get(question.kind, ["e4", "d4", "c3"])

    def reply(call):
        [line] = re.findall(r'"(Scores: [^"]*)"', call.messages[-1].content)
        copied = {
            "the line": line,
            "the line for each": "\n".join([line] * 3),
            "the line with a round": line.replace("Round X", "Round 1"),
        }[lines]
        return f"Answer: {own[call.draw.seat]}\n{copied}"

    held = await hold("chateval-scored", scored(reply), store, question=question)
    assert held.verdict.by == "scientist"
    assert held.verdict.turn == 6
    assert held.turns[5].answer is not None


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: 4\nTwo and two are four, not 5, since 2+3 is 5.",
        "Answer: 4. The reason: counting on from 2 gives 3, then 4.",
        "**Answer:** 4\n\nReason: General Public said 5, but that is one too many.",
    ],
)
async def test_an_answer_is_read_though_a_reason_follows_it(reply, store):
    script = scored(lambda _: f"{reply}\nScores: Round 1 - Agent Critic: 7")
    held = await hold("chateval-scored", script, store)
    assert {turn.answer for turn in held.turns if turn.step == "conclude"} == {"4"}
    assert held.verdict.by == "score"


async def test_the_scored_answer_is_cut_and_not_the_words_before_it(store):
    long = f"{'I think. ' * 200}\nAnswer: 4{' and so on' * 100}\nScores: Round 1 - Agent Critic: 9"
    question = msgspec.structs.replace(SUM, kind="text", answer="4")
    held = await hold("chateval-scored", scored(lambda _: long), store, question=question)
    assert held.verdict.turn == 5
    assert held.verdict.text.startswith("4 and so on")
    assert len(held.verdict.text) == 800


async def test_scores_of_another_round_do_not_count(store):
    scores = "Scores: Round 1 - Agent Critic: 10, Round 2 - Agent Critic: 2"
    script = scored(lambda call: f"Answer: {call.draw.seat}\n{scores}")
    held = await hold("chateval-scored", script, store, rounds=3)
    assert (held.verdict.by, held.verdict.answer) == ("score", "1")
    told = await hold("chateval-scored", script, store, rounds=4)
    assert told.verdict.by == "scientist"


async def test_an_open_answer_is_limited_like_its_text(store):
    """Graders, exports and the API take the answer."""
    long = "Rain falls. " * 130
    question = Question(id="rain", kind="text", text="What is rain?")
    answered = f"Answer: {long}\nScores: Round 1 - Scientist: 9"
    held = await hold("chateval-scored", lambda _: answered, store, question=question)
    assert long.startswith(held.verdict.answer)
    assert 780 < len(held.verdict.answer) <= 800
    assert 780 < len(held.verdict.text) <= 800
