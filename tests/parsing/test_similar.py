import time
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.parsing.similar import is_similar, similarity

FEW_SIGNS = st.text(alphabet="abcX ", max_size=60)


@given(FEW_SIGNS | st.text(), FEW_SIGNS | st.text())
def test_it_is_the_ratio_of_difflib_for_lowercase_texts(a, b):
    ratio = SequenceMatcher(None, a.lower(), b.lower(), autojunk=False).ratio()
    assert similarity(a, b) == pytest.approx(ratio)


@given(FEW_SIGNS, FEW_SIGNS, st.sampled_from([0.0, 0.5, 0.85, 0.9, 1.0]))
def test_a_glance_says_what_a_comparison_would(a, b, above):
    assert is_similar(a, b, above=above) == (similarity(a, b) > above)


def test_equal_texts_are_one_and_unlike_texts_nothing():
    assert similarity("", "") == 1
    assert similarity("The answer is B.", "the ANSWER is b.") == 1
    assert similarity("", "abc") == 0
    assert similarity("abc", "xyz") == 0
    # Of long texts only the beginning counts.
    said = "".join(chr(97 + n * n % 26) for n in range(4_000))
    assert similarity(said + "x" * 1_000_000, said + "y" * 1_000_000) == 1


def test_long_replies_that_differ_in_little_are_alike():
    said = " ".join(f"Step {n}: we multiply {n} by {n + 7}." for n in range(100))
    other = said.replace("multiply 5", "divide 5").replace("Step 9:", "Then")
    assert len(said) < 4_000
    assert similarity(said, other) > 0.9
    whole = SequenceMatcher(None, said.lower(), other.lower(), autojunk=False).ratio()
    assert similarity(said, other) == pytest.approx(whole)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a" * 1_000_000, "a" * 3_998 + "bb"),
        ("ab" * 500_000, "ba" * 500_000),
        (
            "".join("a" + chr(1_000 + n) for n in range(2_000)),
            "".join("a" + chr(5_000 + n) for n in range(2_000)),
        ),
        (
            "".join("a" * n + "b" for n in range(1, 90)),
            "".join("a" * n + "c" for n in range(1, 90)),
        ),
    ],
    ids=["one sign", "two signs", "every second", "stairs"],
)
def test_texts_that_difflib_needs_long_for_are_compared_soon(a, b):
    began = time.process_time()
    assert 0 <= similarity(a, b) <= 1
    assert time.process_time() - began < 2.0
