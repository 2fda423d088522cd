"""Councils: labels and their orders, abstentions, the chair, and dissents."""

import msgspec
import pytest

from moot.core.questions import Question
from moot.core.stored import decode_transcript
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.studies.stand_in import MemoryLedger
from support.debates import hold
from support.prompts import requests

YES_NO = Question(id="b", kind="boolean", text="Is it so?")


def order_labels(call, preferred):
    """The labels that a reviewer is shown, those of these members first."""
    names = list(call.scene.heard)
    ranked = sorted(names, key=lambda name: preferred.index(name) if name in preferred else 99)
    return [f"Response {chr(ord('A') + names.index(name))}" for name in ranked]


def review(call, *preferred, **scores):
    """A review that ranks members in this order, and scores them by name."""
    names = list(call.scene.heard)
    label = {name.replace("-", ""): f"Response {chr(ord('A') + i)}" for i, name in enumerate(names)}
    said = {
        "ranking": order_labels(call, preferred),
        "scores": {label[name]: mark for name, mark in scores.items()},
    }
    return f"I looked at {label['member1']} first.\n{msgspec.json.encode(said).decode()}"


def member(number):
    return f"member-{number}"


def speak(call, answers=("4", "5", "4", "6"), chair="Final answer: 4"):
    """Members that answer so and rank by seat; the chair says so."""
    scene = call.scene
    if scene.step == "answer":
        return f"Words of mine.\nFinal answer: {answers[call.draw.seat]}"
    if scene.role == "chair":
        return chair
    return review(call, *map(member, range(1, 9)))


@pytest.mark.parametrize(("shuffle", "orders"), [("none", 1), ("once", 1), ("each", 4)])
async def test_labels_stand_in_an_order_that_is_drawn_by_seed(store, shuffle, orders):
    transcript = await hold("council", speak, store, shuffle=shuffle, seed=3)
    again = await hold("council", speak, store, shuffle=shuffle, seed=3)
    reviews = [turn for turn in transcript.turns if turn.step == "review"]
    shown = [turn.reads for turn in reviews]
    assert shown == [turn.reads for turn in again.turns if turn.step == "review"]
    assert len(set(shown)) == orders
    assert all(set(each) == {1, 2, 3, 4} for each in shown)
    assert (set(shown) == {(1, 2, 3, 4)}) == (shuffle == "none")
    for each in (await requests("council", store, speak, shuffle=shuffle)).of(step="review"):
        assert "member" not in each.text, "nobody is told which answer is theirs"
        assert "scripted" not in each.text
    for turn in reviews:
        labels = [turn.reading.labels[f"Response {each}"] for each in "ABCD"]
        assert labels == [member(read) for read in turn.reads]


GARBAGE = ("I will not rank them.", "", "{" * 300, '{"ranking": ["Response X"]}')
GARBAGE += ("FINAL RANKING:\nAll the same.",)


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("garbage", GARBAGE)
async def test_a_review_that_cannot_be_read_changes_no_other_ballot(store, seat, garbage):
    def odd(call):
        is_odd = call.scene.step == "review" and call.draw.seat == seat
        return garbage if is_odd else speak(call)

    whole = await hold("council", speak, MemoryLedger(), chair=False)
    transcript = await hold("council", odd, store, chair=False)
    assert len(transcript.turns) == 8
    assert transcript.verdict.turn in {1, 2, 3, 4}
    assert transcript.notes[0].reading.ballots == 3
    for turn, other in zip(transcript.turns[4:], whole.turns[4:], strict=True):
        assert turn.seat == seat or turn.reading == other.reading
        assert turn.seat != seat or turn.reading is None


async def test_without_ballots_the_chair_decides_and_without_it_the_best_ranked(store):
    def silent(call):
        return speak(call) if call.scene.step != "review" else "No."

    none = await hold("council", silent, store, chair=False)
    assert (none.verdict.answer, none.verdict.by) == (None, "borda: no rankings")
    chaired = await hold("council", silent, store)
    assert (chaired.verdict.answer, chaired.verdict.by) == ("4", "chair")
    asked = (await requests("council", store, silent)).one(role="chair")
    assert "No review has a ranking that could be read." in asked.text
    mute = Scripted(lambda call: speak(call, chair="I cannot say."), name="mute")
    transcript = await hold("council", mute, store)
    assert (transcript.verdict.by, transcript.verdict.turn) == ("borda", 1)


@pytest.mark.parametrize(
    ("reply", "question", "answer", "by"),
    [
        ('{"verdict": "approved", "confidence": 0.9}', YES_NO, "true", "chair"),
        ('{"verdict": "rejected", "confidence": 0.9}', YES_NO, "false", "chair"),
        ('{"verdict": "approved"}', None, "4", "chair"),
        ('{"verdict": "rejected"}', None, None, "chair: rejected"),
        ("Perhaps.", None, None, "chair: no ruling"),
    ],
)
async def test_a_binary_ruling(store, reply, question, answer, by):
    def rules(call):
        return speak(call, answers=("true",) * 4 if question else ("4",) * 4, chair=reply)

    more = {"question": question} if question else {}
    transcript = await hold("council", rules, store, ruling="binary", agents=3, **more)
    assert (transcript.verdict.answer, transcript.verdict.by) == (answer, by)


async def test_a_score_far_below_the_others_is_a_dissent_with_its_words(store):
    def dissenting(call):
        if call.scene.step == "review":
            mark = 4 if call.draw.seat == 3 else 9
            return review(call, *map(member, (1, 2, 3, 4)), member1=mark)
        return speak(call)

    transcript = await hold("council", dissenting, store, self_votes="counted")
    [note] = [each for each in transcript.notes if each.what == "dissent"]
    assert (note.agents, note.turn, note.signal, note.threshold) == (("member-4",), 8, 4, 5.25)
    assert "member-1" in note.why
    assert decode_transcript(msgspec.json.encode(transcript), "it") == transcript


def test_the_price_is_that_of_the_reviews_that_are_asked_for():
    council = registry.get("council")
    assert council.count(council.check({})) == (9, 9)
    assert council.count(council.check({"early": True})) == (6, 9)
    assert council.count(council.check({"early": True, "chair": False, "agents": 7})) == (8, 14)
