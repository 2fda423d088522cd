"""Features of a self-critique, by hand."""

from math import log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.debate.reply_features import NAMES, OFFSET, estimate_probability, measure_features
from moot.debate.views import View
from support.debates import hold

CHOICE = Question(id="q", text="Which?", kind="choice", choices=("x", "y", "z"), answer="A")
REPLY = (
    '{"reasoning": "It may be option B. Perhaps (C) fits.", "draft": "B", "chance": 0.6, '
    '"objection": "I think it is not.", "answer": "A", "confidence": 0.9}'
)


async def features(reply, store, question=CHOICE):
    held = await hold("feature-gate", lambda _: reply, store, question=question, rounds=1)
    [noted] = [each for each in held.notes if each.what == "count"]
    return noted.reading.values, held.turns[0]


async def test_what_is_counted_in_a_reply(store):
    values, turn = await features(REPLY, store)
    assert measure_features(View(None, turn), CHOICE) == values, "counted again from the turn"
    words = "It may be option B Perhaps C fits I think it is not"
    assert values == {
        "chance": 0.6,
        "confidence": 0.9,
        "changed": 1.0,
        "words": pytest.approx(log1p(13), abs=1e-6),
        "objection": pytest.approx(log1p(5), abs=1e-6),
        "hedges": pytest.approx(300 / 13, abs=1e-6),
        "answers": pytest.approx(log1p(3), abs=1e-6),
        "word length": pytest.approx(len(words.replace(" ", "")) / 13, abs=1e-6),
        "sentence length": pytest.approx(13 / 3, abs=1e-6),
        **{f"kind {kind}": float(kind == "choice") for kind in ("boolean", "choice", "number")},
        **dict.fromkeys(("kind square", "kind text"), 0.0),
    }
    assert sorted(values) == sorted(NAMES)


@given(st.dictionaries(st.sampled_from(NAMES), st.floats(-1e6, 1e6)), st.floats(-1e6, 1e6))
def test_a_probability_is_between_0_and_1_in_any_order_of_the_features(values, weight):
    classifier = {OFFSET: weight, **dict.fromkeys(values, weight)}
    found = estimate_probability(values, classifier)
    assert 0 <= found <= 1
    assert found == estimate_probability(dict(reversed(values.items())), classifier)
    assert estimate_probability({"chance": 0.3}, {OFFSET: 0.0}) == 0.5, "without a weight"
