"""Words, sentences and what is said again, counted by hand."""

from time import perf_counter

import pytest

from moot.contrib.essays.text_measures import repetition, sentences, words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("… — !", 0),
        ("One two three.", 3),
        ("It's a well-known fact, isn’t it?", 6),
        ("In 2024 3.5 % won", 5),
        ("博物馆应该免费。", 7),
        ("東京タワーは高い", 8),
        ("พิพิธภัณฑ์", 6),
        ("박물관은 무료다", 2),
    ],
)
def test_words(text, count):
    assert words(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 0),
        ("One. Two! Three? Four…", 4),
        ("A heading\n\nThen a sentence. “And one that is quoted.” Then the last", 4),
        ("Dr. Smith, e.g. in the U.S. of 1990, paid 3.5 dollars vs. nothing.", 1),
        ("One line\ngoes on here.", 1),
    ],
)
def test_sentences(text, count):
    assert sentences(text) == count


def test_repetition_by_hand():
    assert repetition("one two three") is None
    assert repetition("one two three four five") == 0.0
    # Eight words, five runs: one two three four, …, and the first again at the end.
    assert repetition("one two three four. One two three four!") == pytest.approx(1 / 5)
    assert repetition("no " * 8) == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    "hostile",
    ["." * 99_999 + "x", "a." * 50_000, '."' * 50_000 + "x", "\n " * 50_000, "a-" * 50_000],
)
def test_no_text_takes_more_than_its_length(hostile):
    started = perf_counter()
    assert sentences(hostile) <= 1
    assert words(hostile) <= 50_000
    repetition(hostile)
    assert perf_counter() - started < 2
