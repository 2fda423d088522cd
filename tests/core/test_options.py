"""Options: the letter that a text is, and options with the same words."""

import pytest

from moot.core.options import first_alike, read_option
from moot.core.questions import WITHHELD

METALS = "iron", "gold", "B", "zinc"
READ = [
    ("B", "C"), ("gold", "B"), ("Gold.", "B"), ("(B)", "B"), ("B.", "B"), ("B)", "B"), ("b)", "B"),
    ("B) gold", "B"), ("B. gold", "B"), ("(D) zinc", "D"), ("Option A", "A"), ("d", "D"),
    ("B) iron", None), ("E", None), ("B gold", None), ("", None), ("copper", None), ("A, B", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "letter"), READ)
def test_option_of_a_text(text, letter):
    assert read_option(text, METALS) == letter


def test_options_of_the_same_words_are_the_first():
    ways = ("Up", "Same", "Down", "Up ")
    assert [first_alike(letter, ways) for letter in "ABCD"] == ["A", "B", "C", "A"]
    assert read_option("Up", ways) == "A"
    withheld = (WITHHELD,) * 4
    assert [first_alike(letter, withheld) for letter in "ABCD"] == ["A", "B", "C", "D"]
    assert [first_alike(letter, ("AA", "Aa", "aa")) for letter in "ABC"] == ["A", "B", "C"]
