"""AMERICANO: whoever says nothing, or too much, an essay comes of what there is."""

import pytest

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


@pytest.mark.parametrize("nothing", ["", " \n\t", "\r\n"])
async def test_an_empty_refinement_leaves_what_there_was(nothing, store):
    def script(call):
        return nothing if call.scene.step in {"refine", "revise"} else said(call)

    transcript, asked = await shown(store, script)
    for part, step in (("claimant", "claim"), ("reasoner", "reason"), ("conceder", "concede")):
        assert f"<{part} {step} 1>" in asked["writer", 1]
    assert transcript.verdict.answer == "<writer essay 1>"
    assert transcript.verdict.turn == 10


@pytest.mark.parametrize(("essay", "turn"), [("An essay.", 10), ("", 12)])
async def test_a_revision_that_is_an_empty_fence_is_none(essay, turn, store):
    replies = {"essay": essay, "revise": "```\n```"}
    transcript, _ = await shown(store, lambda call: replies.get(call.scene.step, said(call)))
    assert (transcript.verdict.answer, transcript.verdict.turn) == (essay or None, turn)
