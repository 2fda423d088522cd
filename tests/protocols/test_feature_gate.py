"""Feature gate: what is counted in a reply, when it is accepted, and the debate behind it."""

from math import log

import pytest

from moot.core.events import Noted
from support.debates import hold
from support.promises.gates import critique


def notes(transcript, what):
    return [each for each in transcript.events if isinstance(each, Noted) and each.what == what]


def speak(call):
    """A self-critique; of others an answer that differs by seat and round; a judge decides late."""
    scene = call.scene
    if scene.step == "examine":
        return critique("4", chance=0.9, confidence=0.8)
    if scene.reads_as == "ruling":
        return '{"Whether there is a preference": "No"}'
    return f"{scene.agent} {scene.round}\nFinal answer: {10 * scene.round + call.draw.seat}"


@pytest.mark.parametrize(("probability", "calls"), [(0.7, 1), (0.6999, 11), (0.9, 1), (0.1, 11)])
async def test_a_probability_below_the_threshold_is_debated(store, probability, calls):
    weights = {"offset": log(probability / (1 - probability))}
    transcript = await hold("feature-gate", speak, store, classifier=weights, fitted="f 1a2b")
    assert len(transcript.turns) == calls
    [note] = notes(transcript, "gate")
    assert (note.signal, note.threshold, note.ends) == (probability, 0.7, calls == 1)
    assert note.fitted_on == "f 1a2b"
    if calls == 1:
        assert (transcript.verdict.answer, transcript.verdict.by) == ("4", "features")


async def test_weights_of_features_move_the_probability_and_without_any_it_debates(store):
    for weights, signal, calls in (({"chance": -2.0}, -1, 11), ({"chance": 2.0}, 1, 1)):
        held = await hold("feature-gate", speak, store, classifier={"offset": 0.0, **weights})
        assert (notes(held, "gate")[0].signal - 0.5) * signal > 0
        assert len(held.turns) == calls
    held = await hold("feature-gate", speak, store)
    assert notes(held, "gate")[0].why == "the features have no classifier"
    assert len(held.turns) == 11


@pytest.mark.parametrize("inner", ["multi-persona", "society-of-minds", "free-mad"])
async def test_the_debate_behind_it_is_the_debate_alone_call_for_call(store, inner):
    alone = await hold(inner, speak, store, rounds=2)
    gated = await hold("feature-gate", speak, store, inner=inner, rounds=2)
    assert [turn.call for turn in gated.turns[1:]] == [turn.call for turn in alone.turns]
    assert all(turn.replayed for turn in gated.turns[1:])
    assert gated.verdict.answer == alone.verdict.answer
    assert gated.dismissed == {"probe"}
    assert not any(1 in turn.reads for turn in gated.turns[1:])


@pytest.mark.parametrize(
    "reply",
    [
        "Final answer: 4\nConfidence: 0.99",
        critique("4", chance='"sure"'),
        critique("", draft="4", chance=0.9, confidence=0.9),
    ],
)
async def test_a_reply_without_all_features_debates_and_is_counted_as_such(store, reply):
    def script(call):
        return reply if call.scene.step == "examine" else speak(call)

    transcript = await hold("feature-gate", script, store, classifier={"offset": 9.0})
    [note] = notes(transcript, "gate")
    assert (note.why, note.signal, note.ends) == ("the features cannot be read", None, False)
    assert not notes(transcript, "count")
    assert len(transcript.turns) == 11
