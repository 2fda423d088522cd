"""AMERICANO: whoever says nothing, or too much, an essay comes of what there is."""

import pytest

from moot.core.calls import Reply
from moot.core.questions import Question
from support.debates import hold

THESIS = Question(id="thesis", kind="text", text="Museums should be free of charge.")


def said(call):
    return f"<{call.scene.agent} {call.scene.step} {call.scene.round}>"


async def shown(store, script=said, **given):
    """The transcript, and by agent and round the last message that it was put."""
    asked = {}

    def spoken(call):
        asked[call.scene.agent, call.scene.round] = call.messages[-1].content
        return script(call)

    return await hold("americano", spoken, store, question=THESIS, **given), asked


async def test_each_part_is_refined_by_its_own_critic_and_composed(store):
    transcript, asked = await shown(store)
    assert "<claimant claim 1>" in asked["claim-critic", 1]
    assert "<claim-critic criticise 1>" in asked["claimant", 2]
    for part in ("reasoner", "conceder"):
        assert "<claimant refine 2>" in asked[part, 1]
    assert "<reasoner reason 1>" in asked["reasoning-critic", 1]
    assert "<conceder concede 1>" in asked["concession-critic", 1]
    assert "<conceder" not in asked["reasoning-critic", 1] + asked["reasoner", 2]
    for part in ("claimant", "reasoner", "conceder"):
        assert f"<{part} refine 2>" in asked["writer", 1]
    assert "<essay-critic criticise 1>" in asked["writer", 2]
    verdict = transcript.verdict
    assert (verdict.answer, verdict.by, verdict.turn) == ("<writer revise 2>", "essay", 12)


@pytest.mark.parametrize(("stance", "word"), [("oppose", "refute"), ("support", "support")])
async def test_all_are_told_which_side_is_argued(stance, word, store):
    sent = []

    def script(call):
        sent.append(call.messages[0].content)
        return said(call)

    await hold("americano", script, store, question=THESIS, stance=stance)
    assert len(sent) == 12
    assert all(f"essay is to {word} " in " ".join(text.split()) for text in sent)


async def test_without_feedback_there_is_no_critic(store):
    transcript, asked = await shown(store, feedback=0)
    assert [seat.agent for seat in transcript.seats] == [
        *("claimant", "reasoner", "conceder", "writer")
    ]
    assert "<claimant claim 1>" in asked["writer", 1]
    assert transcript.verdict.answer == "<writer essay 1>"


async def test_more_feedback_refines_what_was_refined(store):
    transcript, asked = await shown(store, feedback=2)
    assert len(transcript.turns) == 20
    assert "<claimant refine 2>" in asked["claim-critic", 2]
    assert "<claimant refine 3>" in asked["reasoner", 1]
    assert transcript.verdict.answer == "<writer revise 3>"


@pytest.mark.parametrize("nothing", ["", " \n\t", "\r\n"])
async def test_an_empty_refinement_leaves_what_there_was(nothing, store):
    def script(call):
        return nothing if call.scene.step in {"refine", "revise"} else said(call)

    transcript, asked = await shown(store, script)
    for part, step in (("claimant", "claim"), ("reasoner", "reason"), ("conceder", "concede")):
        assert f"<{part} {step} 1>" in asked["writer", 1]
    assert transcript.verdict.answer == "<writer essay 1>"
    assert transcript.verdict.turn == 10


@pytest.mark.parametrize("silent", ["claim", "reason", "concede", "criticise"])
async def test_an_essay_comes_of_what_there_is(silent, store):
    transcript, _ = await shown(store, lambda call: "" if call.scene.step == silent else said(call))
    assert transcript.failed is None
    assert transcript.verdict.answer == "<writer revise 2>"


async def test_no_essay_is_no_answer(store):
    empty = {"essay": "", "revise": " \n"}
    transcript, _ = await shown(store, lambda call: empty.get(call.scene.step, said(call)))
    assert transcript.verdict.answer is None


async def test_an_essay_that_was_cut_off_is_told_as_cut(store):
    def script(call):
        cut = call.scene.step == "revise"
        return Reply(text=f"Essay:\n\n{said(call)}", finish="length" if cut else "stop")

    transcript, _ = await shown(store, script)
    assert transcript.verdict.answer == "<writer revise 2>"
    assert transcript.turns[-1].finish == "length"


@pytest.mark.parametrize("step", ["essay", "revise"])
async def test_what_a_model_puts_around_an_essay_is_in_neither_answer_nor_text(step, store):
    def script(call):
        return f"```\n{said(call)}\n```" if call.scene.step == step else ""

    verdict = (await shown(store, script))[0].verdict
    assert verdict.answer == verdict.text
    assert verdict.text.startswith(f"<writer {step} ")
    assert verdict.by == "essay"


@pytest.mark.parametrize(("essay", "turn"), [("An essay.", 10), ("", 12)])
async def test_a_revision_that_is_an_empty_fence_is_none(essay, turn, store):
    replies = {"essay": essay, "revise": "```\n```"}
    transcript, _ = await shown(store, lambda call: replies.get(call.scene.step, said(call)))
    assert (transcript.verdict.answer, transcript.verdict.turn) == (essay or None, turn)
