import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError
from moot.core.questions import Example, Question
from moot.datasets.examples import choose, pool

kinds = st.sampled_from(["number", "text"])
texts = st.text("ab \n", min_size=1, max_size=3)


def example(name, text, kind="number"):
    return Example(question=Question(id=name, kind=kind, text=text, answer="1"))


@st.composite
def pools(draw):
    rows = draw(st.lists(st.tuples(texts, kinds), max_size=20))
    return [example(f"e{place}", text, kind) for place, (text, kind) in enumerate(rows)]


def letters(given):
    """How often each letter comes, as rows of unit length: many equal rows, and zeros."""
    rows = np.array([[t.count("a"), t.count("b"), 0.1] for t in given], dtype=np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def folded(text):
    return " ".join(text.lower().split())


@pytest.mark.parametrize("how", ["seeded", "nearest"])
@given(pools(), texts, kinds, st.integers(0, 5), st.integers(0, 9), st.randoms())
def test_the_order_of_the_pool_does_not_matter(how, given, text, kind, shots, seed, rng):
    question = Question(id="asked", kind=kind, text=text)
    others = [
        e for e in given if e.question.kind == kind and folded(e.question.text) != folded(text)
    ]
    shuffled = random.Random(rng.random()).sample(given, len(given))

    def chosen(pool, shots):
        return choose(pool, question, shots=shots, seed=seed, how=how, embed=letters)

    if shots > len(others):
        with pytest.raises(InputError, match=f"{shots} examples are wanted.*only {len(others)} "):
            chosen(given, shots)
        return
    first = chosen(given, shots)
    assert chosen(shuffled, shots) == first
    assert len({e.question.id for e in first}) == shots
    assert all(e in others for e in first)
    fewer = chosen(given, shots // 2)
    assert fewer == (first[shots - shots // 2 :] if how == "nearest" else first[: shots // 2])


def test_the_nearest_come_last_and_of_equally_near_ones_that_with_the_smaller_id():
    given = [example("far", "b"), example("z", "a b"), example("y", "b a"), example("near", "aa")]
    question = Question(id="q", kind="number", text="a")
    chosen = choose(given, question, shots=4, how="nearest", embed=letters)
    assert [e.question.id for e in chosen] == ["far", "z", "y", "near"]
    chosen = choose(given, question, shots=2, how="nearest", embed=letters)
    assert [e.question.id for e in chosen] == ["y", "near"]


@pytest.mark.parametrize("count", [3, 7, 50])
def test_equal_texts_are_equally_near_wherever_they_stand(count):
    """A matrix product rounds the rows of one block otherwise than those of the rest."""
    twice = np.random.default_rng(0).normal(size=(2, 256)).astype(np.float32)
    given = [example(f"{place:02}", "same") for place in range(count)]
    question = Question(id="q", kind="number", text="a")

    def embed(texts):
        return np.array([twice[int(text == "a")] for text in texts])

    chosen = choose(given, question, shots=count, how="nearest", embed=embed)
    assert [e.question.id for e in chosen] == sorted((e.question.id for e in given), reverse=True)


def test_the_question_itself_is_never_shown_though_spelt_otherwise():
    given = [example("1", "What is  IT?"), example("2", "what is it?\n"), example("3", "And this?")]
    question = Question(id="q", kind="number", text="What is it?")
    [only] = choose(given, question, shots=1, how="seeded", embed=letters)
    assert only.question.id == "3"


def test_impossible_wishes_are_named():
    question = Question(id="q", kind="number", text="a")
    assert choose([], question, shots=0) == ()
    with pytest.raises(InputError, match="shots is -1"):
        choose([], question, shots=-1)
    with pytest.raises(InputError, match=r"pip install 'moot\[embed\]'"):
        choose([example("1", "b")], question, shots=1, how="nearest")


def test_a_pool_is_the_file_else_the_training_part(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"question": "Where to?", "answer": "e5"}')
    [mine] = pool("chess-moves", file=path)  # all its questions ask for squares
    assert (mine.question.kind, mine.question.answer) == ("square", "e5")
    assert [e.question.id for e in pool("starters")][:2] == [
        "starters-training-1",
        "starters-training-2",
    ]
    with pytest.raises(InputError, match="'ciar' has no training part: give examples = FILE"):
        pool("ciar")
    with pytest.raises(InputError, match="say kind"):
        pool("starters", file=path)
