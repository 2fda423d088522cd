"""ReConcile: weights by confidence, groups of answers, and the end at agreement."""

import pytest

from support.debates import hold
from support.prompts import requests


def state(answer, confidence=None, reason="So."):
    sure = "" if confidence is None else f', "confidence_level": {confidence}'
    return f'{{"reasoning": "{reason}", "answer": "{answer}"{sure}}}'


def by_seat(*replies):
    return lambda call: replies[call.draw.seat]


@pytest.mark.parametrize(
    ("confidences", "answer"),
    [
        ((0.65, 0.70, 0.90), "5"),
        ((None, None, None), "4"),
        ((0.9, 0.9, 0.9), "4"),
        ((0.1, 0.1, 0.61), "5"),
    ],
)
async def test_the_answer_with_the_largest_weight_wins(store, confidences, answer):
    replies = [state(a, c) for a, c in zip("445", confidences, strict=True)]
    transcript = await hold("reconcile", by_seat(*replies), store, rounds=1)
    assert transcript.verdict.answer == answer
    if confidences == (0.65, 0.70, 0.90):
        assert transcript.verdict.scores == pytest.approx({"4": 0.6, "5": 0.8})


async def test_agreement_at_once_ends_it(store):
    transcript = await hold("reconcile", by_seat(*[state("4", 0.9)] * 3), store)
    assert len(transcript.turns) == 3
    assert [note.why for note in transcript.notes if note.ends] == ["all agree"]


async def test_an_unreadable_reply_does_not_vote_and_changes_no_other(store):
    transcript = await hold("reconcile", by_seat("?", state("5", "0.9"), "{"), store, rounds=1)
    assert transcript.verdict.answer == "5"
    assert [turn.answer for turn in transcript.turns] == [None, "5", None]


async def test_all_answers_are_shown_the_most_frequent_first_with_confidence(store):
    replies = (
        state("7", 0.5, "First."),
        state("5", "82%".join('""'), "Second."),
        state("5.0", 0.8, "Third."),
        "Lost.",
        state("9", 1, "Fifth."),
    )
    sent = await requests("reconcile", store, by_seat(*replies), agents=5, rounds=2)
    shown = {each.prompt for each in sent.of(step="reconsider")}
    assert len(shown) == 1
    [text] = shown
    places = [
        text.index(each)
        for each in (
            "Answer 5, held by 2:",
            "- Second. (confidence 0.82)",
            "- Third. (confidence 0.8)",
            "Answer 7, held by 1:",
            "- First. (confidence 0.5)",
            "Answer 9, held by 1:",
            "- Fifth. (confidence 1)",
            "Without a clear answer:",
            "- Lost.",
        )
    ]
    assert places == sorted(places)
    assert "member" not in text
