"""How alike essays are: against sacrebleu, against values worked out by hand, in any order."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from moot.contrib.essays.assess import diversity
from moot.contrib.essays.assess.diversity import bleus, perspective, self_bleu, self_embedding
from moot.core.errors import InputError

WORDS = st.sampled_from(
    ["a", "b", "c", "the", "3.5", "well-known", "e.g.", "&amp;", "-\n", "…", ""]
)
TEXTS = st.lists(
    st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=20), min_size=2, max_size=5
)
VECTORS = st.lists(
    st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=1, max_size=4
)  # whole numbers, so that rows are often alike, opposite or zero


def by_sacrebleu(texts):
    """The same, as one would write it."""
    bleu = BLEU(effective_order=True)
    others = [texts[:place] + texts[place + 1 :] for place in range(len(texts))]
    return [
        min(100.0, bleu.sentence_score(text, rest).score)
        for text, rest in zip(texts, others, strict=True)
    ]


@given(TEXTS)
def test_each_score_is_that_of_sacrebleu_to_the_last_bit(texts):
    assert bleus(texts) == by_sacrebleu(texts)


def test_by_hand():
    # Of "a b c d e": 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 fours; and the other way.
    expected = 100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert self_bleu(["a b c d e", "a b c d f"]) == pytest.approx(expected)


def test_fewer_than_two_have_nothing_to_be_compared_with():
    assert (self_bleu([]), self_bleu(["a"])) == (None, None)
    assert (self_embedding([]), self_embedding([[1.0, 0.0]])) == (None, None)
    assert (perspective([]), perspective([[[1.0]], []])) == (None, None)


def test_without_sacrebleu_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    diversity._bleu.cache_clear()
    with pytest.raises(InputError, match=r"pip install 'moot\[essays\]'"):
        self_bleu(["a", "b"])
    monkeypatch.undo()
    assert self_bleu(["a", "a"]) == 100.0


def test_cosines_by_hand():
    # The three pairs: a right angle, 45 degrees twice.
    vectors = [[2.0, 0.0], [0.0, 0.5], [3.0, 3.0]]
    assert self_embedding(vectors) == pytest.approx((0 + 2 * 0.5**0.5) / 3)
    assert self_embedding([[1.0, 0.0], [-2.0, 0.0]]) == -1.0
    assert self_embedding([[1.0, 0.0], [0.0, 0.0]]) == 0.0


@given(st.lists(VECTORS, min_size=2, max_size=4))
def test_likeness_is_as_the_formula_says(points):
    def cosine(one, other):
        lengths = np.linalg.norm(one) * np.linalg.norm(other)
        return float(np.dot(one, other) / lengths) if lengths else 0.0

    means = []
    for m, essay in enumerate(points):
        others = [point for k, each in enumerate(points) if k != m for point in each]
        means.append(np.mean([max(cosine(point, other) for other in others) for point in essay]))
    assert perspective(points) == pytest.approx(np.mean(means), abs=1e-9)
