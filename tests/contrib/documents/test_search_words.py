"""Search words: forms of a word are one, in scripts of all kinds."""

import pytest

from moot.contrib.documents.search_words import guess_language, split_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The fees of the museum are high and they rose.", "english"),
        ("Die Gebühren des Museums sind hoch, und sie stiegen.", "german"),
        ("Les droits du musée sont élevés et ils ont augmenté.", "french"),
        ("Las tarifas del museo son altas y han subido con los años.", "spanish"),
        ("Музеи бесплатны", "english"),
        ("", "english"),
    ],
)
def test_the_language_is_that_of_most_stop_words(text, language):
    assert guess_language([text]) == language


def test_scripts_without_spaces_give_pairs():
    assert split_words("博物館は無料") == ["博物", "物館", "館は", "は無", "無料"]
    assert split_words("館") == ["館"]
    assert split_words("") == []


def test_a_word_has_a_stem_in_each_language_and_none_if_it_is_a_stop_word_of_one():
    assert split_words("Gebühren", "english", "german") == ["gebühren", "gebuhr"]
    assert split_words("the museum", "german", "english") == ["museum"]
    assert split_words("the museum", "german") == ["the", "museum"]
    assert split_words("museums") == ["museums"]
