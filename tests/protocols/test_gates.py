"""Gates: who is asked first, when the others are, and what the transcript says of it."""

import pytest

from moot.core.events import Noted
from support.debates import hold

SURE = {"confidence": "percent"}


def sent(transcript):
    return [turn.call for turn in transcript.turns]


def notes(transcript, what):
    return [each for each in transcript.events if isinstance(each, Noted) and each.what == what]


def says(*pairs):
    """Replies with these answers and confidences."""
    return [f"Final answer: {answer}\nConfidence: {sure:.0%}" for answer, sure in pairs]


def speak(call):
    """Words, an answer and a confidence that differ by agent and round."""
    scene = call.scene
    answer = f"Final answer: {10 * scene.round + call.draw.seat}"
    return f"{scene.agent} in round {scene.round}.\n{answer}\nConfidence: {50 + call.draw.seat}%"


@pytest.mark.parametrize(
    ("given", "signal", "calls", "why"),
    [
        ({"threshold": 0.79}, 0.8, 1, None),
        ({"threshold": 0.8}, 0.8, 6, None),
        ({}, 0.8, 6, "confidence has no threshold"),
    ],
)
async def test_a_confidence_above_the_threshold_is_accepted(given, signal, calls, why, store):
    replies = says((4, signal), *[(5, 0.9)] * 5)
    held = await hold("confidence-gate", replies, store, fitted="file 1a2b", **SURE, **given)
    assert len(held.turns) == calls
    assert held.verdict.answer == ("4" if calls == 1 else "5")
    assert calls > 1 or held.verdict.by == "confidence"
    [note] = notes(held, "gate")
    if why is None:
        told = (note.signal, note.threshold, note.ends, note.fitted_on)
        assert told == (signal, given["threshold"], calls == 1, "file 1a2b")
    else:
        assert note.why == why


@pytest.mark.parametrize("inner", ["society-of-minds", "free-mad", "majority-lock", "exposure"])
async def test_at_the_highest_threshold_a_gate_is_its_debate_call_for_call(store, inner):
    alone = await hold(inner, speak, store, agents=3, rounds=2, **SURE)
    given = {"inner": inner, "threshold": 1.0, "tags": False}
    gated = await hold("confidence-gate", speak, store, **given, **SURE)
    assert sent(gated) == sent(alone)
    assert all(turn.replayed for turn in gated.turns)
    assert gated.verdict.answer == alone.verdict.answer
    assert [turn.reads for turn in gated.turns] == [turn.reads for turn in alone.turns]


@pytest.mark.parametrize("reply", ["Final answer: 4", "I am lost.\nConfidence: 99%"])
async def test_a_reply_that_cannot_be_read_debates_and_is_counted_as_such(store, reply):
    why = "confidence cannot be read"
    replies = [reply, *says(*[(5, 0.9)] * 5)]
    transcript = await hold("confidence-gate", replies, store, threshold=0.1, **SURE)
    assert len(transcript.turns) == 6
    [note] = notes(transcript, "gate")
    assert (note.why, note.signal, note.ends) == (why, None, False)


def finals(*answers):
    return [f"Final answer: {answer}" for answer in answers]


@pytest.mark.parametrize(
    ("replies", "given", "calls", "answer"),
    [
        ((4, 4), {"agents": 2}, 2, "4"),
        ((6, 5, 4), {"agents": 3, "need": 1}, 3, "6"),  # the first seat breaks the tie
        ((4,) * 6, {"need": 4, "stop": ""}, 6, "4"),  # more than there are
    ],
)
async def test_as_many_as_are_needed_agree(replies, given, calls, answer, store):
    held = await hold("agreement-gate", finals(*replies), store, **given)
    assert (len(held.turns), held.verdict.answer) == (calls, answer)
    assert notes(held, "gate")[0].ends == (calls < 6)


@pytest.mark.parametrize(("threshold", "calls"), [(0.6, 3), (0.7, 6)])
async def test_a_share_above_the_threshold_is_accepted(store, threshold, calls):
    replies = finals(4, 4, 5, 4, 5, 6)
    given = {"threshold": threshold, "stop": "", "fitted": "f 1"}
    transcript = await hold("agreement-gate", replies, store, **given)
    assert len(transcript.turns) == calls
    [note] = notes(transcript, "gate")
    assert (note.signal, note.threshold, note.fitted_on) == (pytest.approx(2 / 3), threshold, "f 1")
