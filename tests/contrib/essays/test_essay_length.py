"""The length of essays: what is counted, the call that mends it, and what is told."""

import pytest

import moot
from moot.contrib.essays.text_measures import words
from moot.debate.protocol import registry
from support.essays import PROPOSITION, speaking, write_by

PARTS = dict.fromkeys(("claim", "reason", "concede", "criticise", "refine"), "A part.")


def essay(length):
    """An essay of so many words."""
    return " ".join(["word"] * length)


async def written(store, first, mended, name="essay-direct", **settings):
    """An essay of 100 words asked for, its steps, and what its writer was sent at last."""
    said = {"essay": essay(first), "revise": essay(first), "fit": essay(mended), **PARTS}
    script = speaking(1, **said)
    transcript, steps, sent = await write_by(store, script, name, words=100, **settings)
    return words(transcript.verdict.answer), steps, sent[len(steps)]


@pytest.mark.parametrize("first", [85, 100, 115])
async def test_an_essay_of_about_the_length_is_not_asked_for_again(first, store):
    length, steps, _ = await written(store, first, 100)
    assert (length, steps) == (first, ["essay"])


@pytest.mark.parametrize(("first", "asked"), [(84, "Make it longer"), (116, "Make it shorter")])
async def test_another_is_asked_for_once(first, asked, store):
    length, steps, sent = await written(store, first, 100)
    assert (length, steps) == (100, ["essay", "fit"])
    assert f"The essay has {first} words and is to have about 100. {asked}" in sent
    assert essay(first) in sent


@pytest.mark.parametrize(
    ("first", "mended", "kept"), [(70, 20, 70), (70, 131, 70), (70, 129, 129), (70, 0, 70)]
)
async def test_the_nearer_of_the_two_counts(first, mended, kept, store):
    length, steps, _ = await written(store, first, mended)
    assert (length, steps) == (kept, ["essay", "fit"])


@pytest.mark.parametrize("name", ["essay-plan", "debate-to-write", "americano"])
async def test_every_protocol_mends_the_length_and_its_price_has_the_call(name, store):
    small = {"pool": 3, "rounds": 1} if name == "debate-to-write" else {}
    length, steps, _ = await written(store, 40, 90, name, **small)
    assert (length, steps[-1]) == (90, "fit")
    protocol = registry.get(name)
    plain, asked = (protocol.check({**small, **more}) for more in ({}, {"words": 100}))
    assert protocol.count(asked)[1] == protocol.count(plain)[1] + 1
    assert protocol.count(asked)[0] == protocol.count(plain)[0]


@pytest.mark.parametrize(
    ("first", "mended", "told"),
    [(100, 100, ""), (50, 60, "60 words, 40% fewer than"), (150, 140, "140 words, 40% more than")],
)
async def test_how_far_off_it_is_is_told(first, mended, told, tmp_path):
    given = {"store": tmp_path, "protocol": "essay-direct", "words": 100}
    model = moot.Scripted(speaking(essay=essay(first), fit=essay(mended)), name="house")
    made = await moot.write(PROPOSITION, model=model, **given)
    if not told:
        assert made.outcomes == ()
        return
    once, off = made.outcomes
    assert "asked once to bring the essay to the length" in once
    assert off == f"The essay has {told} the 100 asked for."
